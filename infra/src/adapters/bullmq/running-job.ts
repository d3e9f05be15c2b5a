import { AsyncLocalStorage } from 'node:async_hooks';
import { JobEnqueuedItself, type JobKind } from '@alpenglow/domain';

interface RunningJob {
  readonly kind: JobKind;
  readonly jobId: string;
  /** False after the handler has ended. Work that it has started, such as a timer, may still run. */
  isRunning: boolean;
}

const storage = new AsyncLocalStorage<RunningJob>();

/** Runs the handler of a job. Until it ends, `requireOtherJob` knows the job. */
export async function runAsJob<T>(kind: JobKind, jobId: string, handle: () => Promise<T>): Promise<T> {
  const job: RunningJob = { kind, jobId, isRunning: true };
  try {
    return await storage.run(job, handle);
  } finally {
    job.isRunning = false;
  }
}

/**
 * Throws `JobEnqueuedItself` if the caller is the handler of the job with this kind and id. The queue would ignore the
 * job, because it accepts an id only once, and the row of the unfinished job would be removed at the end of the
 * handler.
 */
export function requireOtherJob(kind: JobKind, jobId: string): void {
  const running = storage.getStore();
  if (running?.isRunning && running.kind === kind && running.jobId === jobId)
    throw new JobEnqueuedItself(`The job ${kind} enqueues itself. It must throw PostponedJobError instead`);
}
