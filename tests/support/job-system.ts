import {
  createJobQueue,
  createJobWorkers,
  createLogger,
  openJobBackend,
  type JobBackendOptions,
  type JobHandlers,
} from '@alpenglow/infra';
import type { JobSystem } from '../contract/job-queue.ts';

const ignore = () => Promise.resolve();

/** Handlers that have nothing to do, for kinds a test does not look at. */
export const IDLE_HANDLERS: JobHandlers = {
  'photo-variants': ignore,
  'video-probe': ignore,
  'account-mail': ignore,
  'take-report-in': ignore,
  'settle-case': ignore,
  'thread-replies': ignore,
  'reply-mail': ignore,
  'digest-mail': ignore,
};

/** Job queue and workers as the product has them, only quicker to try again and to notice that a worker is gone. */
export async function openJobSystem(
  options: JobBackendOptions,
  afterClose: () => Promise<void> = ignore,
): Promise<JobSystem> {
  const backend = await openJobBackend(options);
  const queue = createJobQueue(backend, { firstRetry_ms: 10 });
  const working: { close(): Promise<void> }[] = [];
  return {
    queue,
    work(handlers, onFailedForGood = {}) {
      const workers = createJobWorkers(backend, {
        handlers: { ...IDLE_HANDLERS, ...handlers },
        onFailedForGood,
        log: createLogger('silent'),
        // A busy machine must not take a worker that is only slow for one that is gone.
        lock_ms: 5_000,
        stalledCheck_ms: 500,
        postponed_ms: 200,
      });
      working.push(workers);
      return workers;
    },
    async close() {
      await Promise.all(working.map((workers) => workers.close()));
      await queue.close();
      await backend.close();
      await afterClose();
    },
  };
}
