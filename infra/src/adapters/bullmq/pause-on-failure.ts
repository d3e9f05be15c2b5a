import { setTimeout as pause } from 'node:timers/promises';
import type { IQueueBackend } from 'bullmq';

const RETRY_WAIT_ms = 1_000;

/**
 * Makes a worker wait for a second after it failed to fetch a job from `backend`. Without the wait, BullMQ retries at
 * once, which would waste processor time during an outage.
 */
export function pauseOnFailure<Backend extends IQueueBackend>(backend: Backend): Backend {
  const claim = backend.moveToActive.bind(backend);
  backend.moveToActive = async (token, name): ReturnType<IQueueBackend['moveToActive']> => {
    try {
      return await claim(token, name);
    } catch (error) {
      if (!backend.closing) await pause(RETRY_WAIT_ms);
      throw error;
    }
  };
  return backend;
}
