import { setTimeout as pause } from 'node:timers/promises';
import { JobQueueUnavailable, JobRejected, type JobKind, type JobQueue } from '@alpenglow/domain';
import type { Job, JobsOptions } from 'bullmq';
import { Gauge } from 'prom-client';
import type { Metrics } from '../../service/metrics.ts';
import type { JobBackend } from './job-backend.ts';
import type { UnfinishedJob } from '../postgres/unfinished-jobs.ts';
import { isJobRejection, requireValidJob } from './job-rejections.ts';
import { bullJobId, JOB_KINDS, openQueues, readByKind } from './queues.ts';

/**
 * The number of attempts of a job, and the wait after its first failure. Each further wait is twice as long as the
 * previous one.
 */
interface RetryPolicy {
  readonly attempts: number;
  readonly firstRetry_ms: number;
}

const RETRY_POLICIES: Readonly<Record<JobKind, RetryPolicy>> = {
  'photo-variants': { attempts: 5, firstRetry_ms: 1_000 },
  'video-probe': { attempts: 5, firstRetry_ms: 1_000 },
  // The retries take ten minutes in total, because some mail servers defer mails of unknown senders for minutes.
  // Further retries are useless, because a code in a mail is valid for only fifteen minutes.
  'account-mail': { attempts: 8, firstRetry_ms: 5_000 },
  'take-report-in': { attempts: 8, firstRetry_ms: 1_000 },
  'settle-case': { attempts: 8, firstRetry_ms: 5_000 },
  'thread-replies': { attempts: 8, firstRetry_ms: 5_000 },
  // The retries take an hour and a half in total. These mails are not urgent, because they contain no codes that
  // expire.
  'reply-mail': { attempts: 8, firstRetry_ms: 40_000 },
  'digest-mail': { attempts: 8, firstRetry_ms: 40_000 },
};
/** Jobs whose only result is a mail. A failover of Postgres cannot undo that the mail was delivered. */
const MAIL_JOBS: ReadonlySet<JobKind> = new Set<JobKind>(['account-mail', 'reply-mail', 'digest-mail']);
const MAX_COMPLETED = 1_000;
const MAX_FAILED = 5_000;
const MAX_EVENTS = 100;
const COUNT_LIMIT_ms = 2_000;

const JOB_OPTIONS: JobsOptions = {
  removeOnComplete: { count: MAX_COMPLETED },
  removeOnFail: { count: MAX_FAILED },
};

type JobCounts = Readonly<Record<'waiting' | 'active' | 'delayed' | 'failed', number>>;

export interface BullJobQueue extends JobQueue {
  /**
   * Enqueues a job again that is unfinished in Postgres. A waiting, running or permanently failed job in the queue is
   * not changed. If the queue contains a completed job with this id, a failover of Postgres may have lost its result,
   * so the job runs again. A job that only sends a mail does not run again, because it would send the mail a second
   * time. Resolves to true if such a mail job is completed.
   */
  enqueueAgain(job: UnfinishedJob): Promise<boolean>;
  /** Returns the number of jobs by kind and state, for metrics. */
  counts(): Promise<Readonly<Record<JobKind, JobCounts>>>;
}

/**
 * Creates a queue that enqueues jobs with the retry policy of their kind. If `firstRetry_ms` is given, it replaces the
 * wait before the first retry for every kind of job. A job whose id is already stored is not enqueued again.
 */
export function createJobQueue(backend: JobBackend, options: { firstRetry_ms?: number } = {}): BullJobQueue {
  const queues = openQueues(backend, { streams: { events: { maxLen: MAX_EVENTS } } });
  const attempt = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (backend.isOutage(error)) throw new JobQueueUnavailable('Jobs cannot be enqueued now', { cause: error });
      throw isJobRejection(error) ? new JobRejected('The queue does not accept the job', { cause: error }) : error;
    }
  };
  const enqueue: JobQueue['enqueue'] = async (kind, payload, { jobId, delay_ms = 0, enqueuedAt_ms }) => {
    requireValidJob(kind, payload, jobId);
    const { attempts, firstRetry_ms } = { ...RETRY_POLICIES[kind], ...options };
    await attempt(() =>
      queues[kind].add(kind, payload, {
        ...JOB_OPTIONS,
        // Postgres accepts only a whole number of milliseconds, so the delay is rounded up.
        delay: Math.ceil(delay_ms),
        attempts,
        backoff: { type: 'exponential', delay: firstRetry_ms },
        jobId: bullJobId(jobId),
        ...(enqueuedAt_ms !== undefined && { timestamp: enqueuedAt_ms }),
      }),
    );
  };
  return {
    enqueue,
    async enqueueAgain({ kind, jobId, payload, enqueuedAt }) {
      const isMailSent = await attempt(async () => {
        const job = (await queues[kind].getJob(bullJobId(jobId))) as Job | undefined;
        if (!job || !(await job.isCompleted())) return false;
        if (MAIL_JOBS.has(kind)) return true;
        await job.remove();
        return false;
      });
      if (!isMailSent) await enqueue(kind, payload, { jobId, enqueuedAt_ms: enqueuedAt.getTime() });
      return isMailSent;
    },
    counts: () =>
      readByKind(async (kind) => {
        const counts = await queues[kind].getJobCounts('waiting', 'active', 'delayed', 'failed');
        const { waiting = 0, active = 0, delayed = 0, failed = 0 } = counts;
        return { waiting, active, delayed, failed };
      }),
    async close() {
      await Promise.all(Object.values(queues).map((queue) => queue.close()));
    },
  };
}

/**
 * Registers a metric with the number of jobs by kind and state, which is updated whenever the metrics are requested. If
 * the queue does not respond within 2 s, the metric has no values, so that the request neither fails nor hangs.
 */
export function registerQueueMetrics(registry: Metrics, queue: Pick<BullJobQueue, 'counts'>): void {
  new Gauge({
    name: 'jobs',
    help: 'Jobs by kind and state',
    labelNames: ['kind', 'state'],
    registers: [registry],
    async collect() {
      const counts = await Promise.race([queue.counts(), pause(COUNT_LIMIT_ms, null, { ref: false })]).catch(
        () => null,
      );
      this.reset();
      for (const kind of counts ? JOB_KINDS : []) {
        for (const [state, count] of Object.entries<number>({ ...counts?.[kind] })) this.set({ kind, state }, count);
      }
    },
  });
}
