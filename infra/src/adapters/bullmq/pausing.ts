import { setTimeout as pause } from 'node:timers/promises';
import type { IQueueBackend } from 'bullmq';

const RETRY_WAIT_ms = 1_000;

/** BullMQ asks again at once when claiming a job fails, which would keep a processor busy for as long as the backend is unwell. */
export function pausingOnFailure<Backend extends IQueueBackend>(backend: Backend): Backend {
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
