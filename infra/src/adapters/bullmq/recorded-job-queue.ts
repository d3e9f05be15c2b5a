import { JobRejected, type JobKind, type JobPayloads } from '@alpenglow/domain';
import type { UnfinishedJobs } from '../postgres/unfinished-jobs.ts';
import type { BullJobQueue } from './job-queue.ts';
import { isJobRejection, requireValidJob } from './job-rejections.ts';

/**
 * The jobs that are stored in Postgres until they finish, because a person or the law relies on them (decision 0074). A
 * daily mail is not stored: a periodic task enqueues it again until the mail is sent.
 */
const IS_RECORDED: Readonly<Record<JobKind, boolean>> = {
  'photo-variants': true,
  'video-probe': true,
  'account-mail': true,
  'take-report-in': true,
  'settle-case': true,
  'thread-replies': true,
  'reply-mail': true,
  'digest-mail': false,
};

/**
 * Returns a queue that stores each job in Postgres before the job is enqueued in `queue`. If `queue` loses the job, a
 * periodic task of the workers enqueues it again. Rejects like `queue`, and with the driver's error if Postgres fails.
 * A rejected job is not stored.
 */
export function createRecordedJobQueue(queue: BullJobQueue, unfinishedJobs: UnfinishedJobs): BullJobQueue {
  return {
    ...queue,
    async enqueue<K extends JobKind>(
      kind: K,
      payload: JobPayloads[K],
      options: { readonly jobId: string; readonly delay_ms?: number },
    ): Promise<void> {
      if (!IS_RECORDED[kind]) return queue.enqueue(kind, payload, options);
      requireValidJob(kind, payload, options.jobId);
      const { enqueuedAt, isNew } = await unfinishedJobs.add(kind, payload, options).catch((error: unknown) => {
        throw isJobRejection(error) ? new JobRejected('The job cannot be stored', { cause: error }) : error;
      });
      try {
        await queue.enqueue(kind, payload, { ...options, enqueuedAt_ms: enqueuedAt.getTime() });
      } catch (error) {
        // The queue would reject the job again whenever it is resumed.
        if (error instanceof JobRejected && isNew) await unfinishedJobs.remove(kind, options.jobId);
        throw error;
      }
    },
  };
}
