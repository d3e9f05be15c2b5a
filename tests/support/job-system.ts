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

/** Job handlers that do nothing, for kinds of jobs that a test does not check. */
export const IDLE_HANDLERS: JobHandlers = {
  'photo-variants': ignore,
  'video-probe': ignore,
  'account-mail': ignore,
  'take-report-in': ignore,
  'settle-case': ignore,
  removal: ignore,
  'thread-replies': ignore,
  'reply-mail': ignore,
  'reply-mails': ignore,
  'digest-mail': ignore,
};

/** Opens the job queue and workers of the product. Retries and the detection of lost workers have short delays. */
export async function openJobSystem(
  options: JobBackendOptions,
  afterClose: () => Promise<void> = ignore,
): Promise<JobSystem> {
  const backend = await openJobBackend(options);
  const queue = createJobQueue(backend, { firstRetry_ms: 10 });
  const working: { close(): Promise<void> }[] = [];
  return {
    queue,
    startWorkers(handlers, onFailedForGood = {}) {
      const workers = createJobWorkers(backend, {
        handlers: { ...IDLE_HANDLERS, ...handlers },
        onPermanentFailure: onFailedForGood,
        log: createLogger('silent'),
        // The lock lasts long enough that a slow worker on a busy machine does not count as lost.
        lock_ms: 15_000,
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
