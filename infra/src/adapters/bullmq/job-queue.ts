import { setTimeout as pause } from 'node:timers/promises';
import { JobQueueUnavailable, type JobKind, type JobQueue, type Jobs } from '@alpenglow/domain';
import { Queue, type JobsOptions } from 'bullmq';
import { Gauge } from 'prom-client';
import type { Metrics } from '../../metrics.ts';
import type { JobBackend } from './backend.ts';

/** One BullMQ queue a kind, so that slow work of one kind never holds up another. */
export const JOB_KINDS: readonly JobKind[] = [
  'photo-variants',
  'video-probe',
  'account-mail',
  'take-report-in',
  'settle-case',
  'thread-replies',
  'reply-mail',
  'digest-mail',
];

/** How often a job is tried, and how long after its first failure; each further wait is twice the one before. */
interface Patience {
  readonly attempts: number;
  readonly firstRetry_ms: number;
}

const PATIENCE: Readonly<Record<JobKind, Patience>> = {
  'photo-variants': { attempts: 5, firstRetry_ms: 1_000 },
  'video-probe': { attempts: 5, firstRetry_ms: 1_000 },
  // Ten minutes in all: mail servers put off strangers for some, and a code works for fifteen.
  'account-mail': { attempts: 8, firstRetry_ms: 5_000 },
  'take-report-in': { attempts: 8, firstRetry_ms: 1_000 },
  'settle-case': { attempts: 8, firstRetry_ms: 5_000 },
  'thread-replies': { attempts: 8, firstRetry_ms: 5_000 },
  // Nobody waits for these as for a code: an hour and a half.
  'reply-mail': { attempts: 8, firstRetry_ms: 40_000 },
  'digest-mail': { attempts: 8, firstRetry_ms: 40_000 },
};
const KEPT_COMPLETED = 1_000;
const KEPT_FAILED = 5_000;
const KEPT_EVENTS = 100;
const COUNT_LIMIT_ms = 2_000;

const JOB_OPTIONS: JobsOptions = {
  removeOnComplete: { count: KEPT_COMPLETED },
  removeOnFail: { count: KEPT_FAILED },
};

export interface JobCounts {
  readonly waiting: number;
  readonly active: number;
  readonly delayed: number;
  readonly failed: number;
}

export interface BullJobQueue extends JobQueue {
  /** How many jobs of each kind are in which state, for metrics. */
  counts(): Promise<Readonly<Record<JobKind, JobCounts>>>;
}

/**
 * Enqueues jobs, with the patience each kind deserves; `firstRetry_ms` is the same for all where it is given. The same id is taken once as
 * long as its job is kept.
 */
export function createJobQueue(backend: JobBackend, options: { firstRetry_ms?: number } = {}): BullJobQueue {
  const queues = Object.fromEntries(JOB_KINDS.map((kind) => [kind, openQueue(kind, backend)])) as Record<
    JobKind,
    ReturnType<typeof openQueue>
  >;
  return {
    async enqueue<K extends JobKind>(
      kind: K,
      payload: Jobs[K],
      { jobId, delay_ms = 0 }: { jobId: string; delay_ms?: number },
    ) {
      const { attempts, firstRetry_ms } = { ...PATIENCE[kind], ...options };
      try {
        // Postgres keeps the moment as a whole number of ms, and refuses any other.
        await queues[kind].add(kind, payload, {
          ...JOB_OPTIONS,
          delay: Math.ceil(delay_ms),
          attempts,
          backoff: { type: 'exponential', delay: firstRetry_ms },
          jobId: bullJobId(jobId),
        });
      } catch (error) {
        throw backend.isOutage(error)
          ? new JobQueueUnavailable('Jobs cannot be enqueued now', { cause: error })
          : error;
      }
    },
    async counts() {
      const counted = await Promise.all(
        JOB_KINDS.map(async (kind) => {
          const {
            waiting = 0,
            active = 0,
            delayed = 0,
            failed = 0,
          } = await queues[kind].getJobCounts('waiting', 'active', 'delayed', 'failed');
          return [kind, { waiting, active, delayed, failed }] as const;
        }),
      );
      return Object.fromEntries(counted) as Record<JobKind, JobCounts>;
    },
    async close() {
      await Promise.all(Object.values(queues).map((queue) => queue.close()));
    },
  };
}

/**
 * A gauge of `counts`, read whenever the metrics are scraped. While the queue does not answer, within 2 s, it has no values: a scrape
 * neither fails nor hangs on it.
 */
export function queueDepthMetrics(registry: Metrics, queue: Pick<BullJobQueue, 'counts'>): void {
  new Gauge({
    name: 'jobs',
    help: 'Jobs by kind and state',
    labelNames: ['kind', 'state'],
    registers: [registry],
    async collect() {
      const counted = await Promise.race([queue.counts(), pause(COUNT_LIMIT_ms, null, { ref: false })]).catch(
        () => null,
      );
      this.reset();
      for (const kind of counted ? JOB_KINDS : []) {
        for (const [state, count] of Object.entries<number>({ ...counted?.[kind] })) this.set({ kind, state }, count);
      }
    },
  });
}

function openQueue(kind: JobKind, { factory }: JobBackend) {
  const queue = new Queue(kind, { connection: {}, streams: { events: { maxLen: KEPT_EVENTS } } }, factory);
  // Unheard it would be printed. Whoever enqueues or counts hears of a failure, and the backend tells of its connections.
  queue.on('error', () => undefined);
  return queue;
}

/** BullMQ refuses ids that are whole numbers or hold a colon; this gives every id one it takes. */
function bullJobId(jobId: string): string {
  return `job-${encodeURIComponent(jobId)}`;
}
