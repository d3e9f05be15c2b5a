import type { BullJobQueue, Logger, UnfinishedJobs } from '@alpenglow/infra';
import { JobRejected, type JobHandler, type JobKind } from '@alpenglow/domain';

/** The maximum number of jobs whose rows are locked at a time. */
const PAGE = 100;

interface ResumeDependencies {
  readonly unfinishedJobs: UnfinishedJobs;
  readonly queue: BullJobQueue;
  readonly log: Logger;
}

/**
 * Enqueues the jobs again that should have finished, because the queue may have lost them (decision 0074). A job keeps
 * its id, so a job that still waits, runs or has failed permanently is not enqueued twice. Returns the number of these
 * jobs. Removes the records of mail jobs that the queue has completed. A job that the queue rejects is logged and does
 * not stop the others. Rejects if `signal` aborts or if the queue fails. The next run then enqueues the rest.
 */
export async function resumeJobs(
  { unfinishedJobs, queue, log }: ResumeDependencies,
  signal: AbortSignal,
): Promise<number> {
  for (let resumed = 0; ; ) {
    const found = await unfinishedJobs.resume(async (job) => {
      signal.throwIfAborted();
      try {
        return await queue.enqueueAgain(job);
      } catch (err) {
        if (!(err instanceof JobRejected)) throw err;
        log.error({ err, kind: job.kind, jobId: job.jobId }, 'the queue rejects an unfinished job');
        return false;
      }
    }, PAGE);
    resumed += found;
    if (found < PAGE) return resumed;
  }
}

/** Returns a job handler that runs `handle` and then records that the job has finished. */
export function withRecordedEnd<K extends JobKind>(
  kind: K,
  handle: JobHandler<K>,
  unfinishedJobs: Pick<UnfinishedJobs, 'remove'>,
): JobHandler<K> {
  return async (payload, context) => {
    await handle(payload, context);
    await unfinishedJobs.remove(kind, context.jobId);
  };
}
