import { createJobQueue, createJobWorkers, createLogger, openJobBackend, type JobBackendOptions } from '@alpenglow/infra';
import type { JobSystem } from '../contract/job-queue.ts';

const ignore = () => Promise.resolve();

/** Job queue and workers as the product has them, only quicker to try again and to notice that a worker is gone. */
export async function openJobSystem(options: JobBackendOptions, afterClose: () => Promise<void> = ignore): Promise<JobSystem> {
  const backend = await openJobBackend(options);
  const queue = createJobQueue(backend, { firstRetry_ms: 10 });
  const working: { close(): Promise<void> }[] = [];
  return {
    queue,
    work(handlers, onFailedForGood = {}) {
      const workers = createJobWorkers(backend, {
        handlers: { 'photo-variants': ignore, 'verification-mail': ignore, ...handlers },
        onFailedForGood,
        log: createLogger('silent'),
        lock_ms: 500,
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
