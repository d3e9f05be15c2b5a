import { JobRejected, type JobKind, type NewJob } from '@alpenglow/domain';
import type { StoredJob, UnfinishedJobs } from '../postgres/unfinished-jobs.ts';
import { enqueueInBatches, type BullJobQueue } from './job-queue.ts';
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
  removal: true,
  'thread-replies': true,
  'reply-mail': true,
  'reply-mails': true,
  'digest-mail': false,
};

/**
 * Returns a queue that stores each job in Postgres before the job is enqueued in `queue`. If `queue` loses the job, a
 * periodic task of the workers enqueues it again. Rejects like `queue`, and with the driver's error if Postgres fails.
 * A rejected job is not stored.
 */
export function createRecordedJobQueue(queue: BullJobQueue, unfinishedJobs: UnfinishedJobs): BullJobQueue {
  async function store<K extends JobKind, T>(kind: K, jobs: readonly NewJob<K>[], add: () => Promise<T>): Promise<T> {
    for (const { payload, jobId } of jobs) requireValidJob(kind, payload, jobId);
    return add().catch((error: unknown) => {
      throw isJobRejection(error) ? new JobRejected('The job cannot be stored', { cause: error }) : error;
    });
  }

  async function enqueueOne<K extends JobKind>(kind: K, job: NewJob<K>): Promise<void> {
    const { jobId, payload } = job;
    const stored = await store(kind, [job], () => unfinishedJobs.add(kind, payload, job));
    try {
      await queue.enqueue(kind, payload, { ...job, ...toTurn(stored) });
    } catch (error) {
      // The queue would reject the job again whenever it is resumed.
      if (error instanceof JobRejected && stored.isNew) await unfinishedJobs.remove(kind, jobId);
      throw error;
    }
  }

  return {
    ...queue,
    enqueue: (kind, payload, options) =>
      IS_RECORDED[kind] === false ? queue.enqueue(kind, payload, options) : enqueueOne(kind, { payload, ...options }),
    enqueueAll: (kind, jobs) =>
      IS_RECORDED[kind] === false
        ? queue.enqueueAll(kind, jobs)
        : enqueueInBatches(
            jobs,
            async (batch) => {
              const stored = await store(kind, batch, () => unfinishedJobs.addAll(kind, batch));
              const rejections = await queue.enqueueAll(
                kind,
                batch.map((job) => ({ ...job, ...toTurn(stored.get(job.jobId)) })),
              );
              for (const { jobId } of rejections)
                if (stored.get(jobId)?.isNew) await unfinishedJobs.remove(kind, jobId);
              return rejections;
            },
            (job) => enqueueOne(kind, job),
          ),
  };
}

/** Returns the options `enqueuedAt_ms` and `turn` of a stored job. */
function toTurn(stored: StoredJob | undefined) {
  return stored && { enqueuedAt_ms: stored.enqueuedAt.getTime(), turn: stored.turn };
}
