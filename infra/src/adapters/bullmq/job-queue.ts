import {
  JobQueueUnavailable,
  JobRejected,
  type BulkJobQueue,
  type JobKind,
  type JobPayloads,
  type JobRejection,
  type NewJob,
} from '@alpenglow/domain';
import type { Job, JobsOptions } from 'bullmq';
import { Gauge } from 'prom-client';
import { createMetricReader, type Metrics } from '../../service/metrics.ts';
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
  removal: { attempts: 8, firstRetry_ms: 5_000 },
  'thread-replies': { attempts: 8, firstRetry_ms: 5_000 },
  // The retries take an hour and a half in total. These mails are not urgent, because they contain no codes that
  // expire.
  'reply-mail': { attempts: 8, firstRetry_ms: 40_000 },
  'reply-mails': { attempts: 8, firstRetry_ms: 40_000 },
  'digest-mail': { attempts: 8, firstRetry_ms: 40_000 },
};
/**
 * Jobs that send mails, and that must not run again after they were completed. A failover of Postgres may lose the
 * record of a mail, but it cannot undo the delivery. `reply-mails` enqueues its next page before it completes.
 */
const MAIL_JOBS: ReadonlySet<JobKind> = new Set<JobKind>(['account-mail', 'reply-mail', 'reply-mails']);
const MAX_COMPLETED = 1_000;
const MAX_FAILED = 5_000;
const MAX_EVENTS = 100;
/** The maximum number of jobs that are enqueued together. It limits the memory that a batch needs. */
const MAX_BATCH_jobs = 500;
/** The maximum BullMQ priority of a turn. Jobs with higher turns also get this number. BullMQ allows 2,097,152. */
const MAX_TURN = 10_000;

const JOB_OPTIONS: JobsOptions = {
  removeOnComplete: { count: MAX_COMPLETED },
  removeOnFail: { count: MAX_FAILED },
};

type JobCounts = Readonly<Record<'waiting' | 'active' | 'delayed' | 'failed', number>>;

/**
 * A job with its turn: the number of unfinished jobs of its account. A job with a lower turn starts first, so that many
 * jobs of one account do not delay the jobs of others.
 */
type JobWithTurn<K extends JobKind> = NewJob<K> & { readonly turn?: number };

export interface BullJobQueue extends BulkJobQueue {
  enqueue<K extends JobKind>(kind: K, payload: JobPayloads[K], options: Omit<JobWithTurn<K>, 'payload'>): Promise<void>;
  enqueueAll<K extends JobKind>(kind: K, jobs: readonly JobWithTurn<K>[]): Promise<readonly JobRejection[]>;
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
  const toBullJob = <K extends JobKind>(kind: K, job: JobWithTurn<K>) => {
    const { payload, jobId, delay_ms = 0, enqueuedAt_ms, turn = 0 } = job;
    const { attempts, firstRetry_ms } = { ...RETRY_POLICIES[kind], ...options };
    const opts: JobsOptions = {
      ...JOB_OPTIONS,
      // Postgres accepts only a whole number of milliseconds, so the delay is rounded up.
      delay: Math.ceil(delay_ms),
      attempts,
      backoff: { type: 'exponential', delay: firstRetry_ms },
      jobId: bullJobId(jobId),
      // BullMQ starts the jobs with the lowest number first, and those without a number before all others.
      ...(turn > 0 && { priority: Math.min(turn, MAX_TURN) }),
      ...(enqueuedAt_ms !== undefined && { timestamp: enqueuedAt_ms }),
    };
    return { name: kind, data: payload, opts };
  };
  const enqueueOne = async <K extends JobKind>(kind: K, job: JobWithTurn<K>): Promise<void> => {
    requireValidJob(kind, job.payload, job.jobId);
    await attempt(() => {
      const { name, data, opts } = toBullJob(kind, job);
      return queues[kind].add(name, data, opts);
    });
  };
  const enqueue: BullJobQueue['enqueue'] = (kind, payload, jobOptions) => enqueueOne(kind, { payload, ...jobOptions });
  return {
    enqueue,
    enqueueAll: (kind, jobs) =>
      enqueueInBatches(
        jobs,
        async (batch) => {
          for (const { payload, jobId } of batch) requireValidJob(kind, payload, jobId);
          await attempt(() => queues[kind].addBulk(batch.map((job) => toBullJob(kind, job))));
          return [];
        },
        (job) => enqueueOne(kind, job),
      ),
    async enqueueAgain({ kind, jobId, payload, enqueuedAt, turn }) {
      const isMailSent = await attempt(async () => {
        const job = (await queues[kind].getJob(bullJobId(jobId))) as Job | undefined;
        if (!job || !(await job.isCompleted())) return false;
        if (MAIL_JOBS.has(kind)) return true;
        await job.remove();
        return false;
      });
      if (!isMailSent) await enqueue(kind, payload, { jobId, turn, enqueuedAt_ms: enqueuedAt.getTime() });
      return isMailSent;
    },
    counts: () =>
      readByKind(async (kind) => {
        const counts = await queues[kind].getJobCounts('waiting', 'prioritized', 'active', 'delayed', 'failed');
        const { waiting = 0, prioritized = 0, active = 0, delayed = 0, failed = 0 } = counts;
        return { waiting: waiting + prioritized, active, delayed, failed };
      }),
    async close() {
      await Promise.all(Object.values(queues).map((queue) => queue.close()));
    },
  };
}

/**
 * Calls `enqueueBatch` for batches of at most 500 jobs. If a job of a batch is rejected, calls `enqueueOne` for each
 * job of the batch. Returns the rejected jobs. Other errors end the work.
 */
export async function enqueueInBatches<K extends JobKind>(
  jobs: readonly JobWithTurn<K>[],
  enqueueBatch: (batch: readonly JobWithTurn<K>[]) => Promise<readonly JobRejection[]>,
  enqueueOne: (job: JobWithTurn<K>) => Promise<void>,
): Promise<readonly JobRejection[]> {
  const rejections: JobRejection[] = [];
  for (let begin = 0; begin < jobs.length; begin += MAX_BATCH_jobs) {
    const batch = jobs.slice(begin, begin + MAX_BATCH_jobs);
    try {
      rejections.push(...(await enqueueBatch(batch)));
    } catch (error) {
      if (!(error instanceof JobRejected)) throw error;
      for (const job of batch) {
        await enqueueOne(job).catch((reason: unknown) => {
          if (!(reason instanceof JobRejected)) throw reason;
          rejections.push({ jobId: job.jobId, error: reason });
        });
      }
    }
  }
  return rejections;
}

/**
 * Registers a metric with the number of jobs by kind and state, which is updated whenever the metrics are requested. If
 * the queue does not respond within 2 s, the metric has no values, so that the request neither fails nor hangs.
 */
export function registerQueueMetrics(registry: Metrics, queue: Pick<BullJobQueue, 'counts'>): void {
  const readMetric = createMetricReader(registry);
  new Gauge({
    name: 'jobs',
    help: 'Jobs by kind and state',
    labelNames: ['kind', 'state'],
    registers: [registry],
    async collect() {
      const counts = await readMetric('jobs', () => queue.counts());
      this.reset();
      for (const kind of counts ? JOB_KINDS : []) {
        for (const [state, count] of Object.entries<number>({ ...counts?.[kind] })) this.set({ kind, state }, count);
      }
    },
  });
}
