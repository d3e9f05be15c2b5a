import { setTimeout as pause } from 'node:timers/promises';
import { UnrecoverableJobError, type JobHandler, type JobKind, type Jobs } from '@alpenglow/domain';
import { UnrecoverableError, Worker, type Job } from 'bullmq';
import type { Logger } from '../../logger.ts';
import type { JobBackend } from './backend.ts';
import { JOB_KINDS } from './job-queue.ts';

export type JobHandlers = { readonly [K in JobKind]: JobHandler<K> };

export interface JobWorkers {
  /** Takes no more jobs and waits for those under way; after 5 s their signals abort, after 8 s they are left to be retried. */
  close(): Promise<void>;
}

export interface JobWorkerOptions {
  readonly handlers: JobHandlers;
  /** What follows, by kind, when a job will not be tried again. Called once, and not again should it fail. */
  readonly onFailedForGood?: { readonly [K in JobKind]?: (payload: Jobs[K]) => Promise<void> };
  readonly log: Logger;
  /** A job whose worker has not been heard of for this long belongs to nobody any more. */
  readonly lock_ms?: number;
  /** How often such jobs are looked for. They run again at the second look. */
  readonly stalledCheck_ms?: number;
}

const LOCK_ms = 10_000;
const STALLED_CHECK_ms = 10_000;
/** A job that takes its process down with it is tried again this often. */
const MAX_STALLS = 4;
/** A new job is announced at once; this is only how often an idle worker makes sure that it heard. */
const IDLE_LOOK_s = 30;
const ABORT_AFTER_ms = 5_000;
const LEAVE_AFTER_ms = 3_000;

/** Does jobs, one of each kind at a time: pictures are made on one processor while the other answers requests. */
export function createJobWorkers(backend: JobBackend, options: JobWorkerOptions): JobWorkers {
  const workers = JOB_KINDS.map((kind) => startWorker(kind, backend, options));
  return {
    async close() {
      const closing = Promise.all(workers.map((worker) => worker.close()));
      const closed = closing.then(() => true);
      if (await Promise.race([closed, pause(ABORT_AFTER_ms, false, { ref: false })])) return;
      for (const worker of workers) worker.cancelAllJobs('closing');
      await Promise.race([closing, pause(LEAVE_AFTER_ms, undefined, { ref: false })]);
    },
  };
}

function startWorker(kind: JobKind, { connection, factory }: JobBackend, { handlers, onFailedForGood = {}, log, lock_ms = LOCK_ms, stalledCheck_ms = STALLED_CHECK_ms }: JobWorkerOptions) {
  // Each handler takes its own kind's payload, which is what its own queue holds.
  const handle = handlers[kind] as JobHandler<JobKind>;
  const giveUp = onFailedForGood[kind] as ((payload: Jobs[JobKind]) => Promise<void>) | undefined;
  const process = async (job: Job<Jobs[JobKind]>, _token: string | undefined, signal: AbortSignal | undefined) => {
    try {
      await handle(job.data, { attempt: job.attemptsMade + 1, signal: signal ?? new AbortController().signal });
    } catch (error) {
      throw error instanceof UnrecoverableJobError ? new UnrecoverableError(error.message) : error;
    }
  };
  const worker = new Worker(
    kind,
    process,
    { connection, concurrency: 1, lockDuration: lock_ms, stalledInterval: stalledCheck_ms, maxStalledCount: MAX_STALLS, drainDelay: IDLE_LOOK_s },
    factory,
  );
  worker.on('completed', (job) => {
    log.info({ ...describe(kind, job), duration_ms: (job.finishedOn ?? 0) - (job.processedOn ?? 0) }, 'job done');
  });
  worker.on('failed', (job, error) => {
    const isLast = job === undefined || job.finishedOn !== undefined;
    log[isLast ? 'error' : 'warn']({ ...(job && describe(kind, job)), err: error }, isLast ? 'job failed for good' : 'job failed, to be retried');
    if (job && isLast) giveUp?.(job.data).catch((err: unknown) => log.error({ ...describe(kind, job), err }, 'what follows a failed job failed'));
  });
  worker.on('stalled', (jobId) => {
    log.warn({ kind, jobId }, 'job taken over from a worker that is gone');
  });
  worker.on('error', (error) => {
    log.error({ kind, err: error }, 'job worker');
  });
  return worker;
}

function describe(kind: JobKind, job: Job) {
  return { kind, jobId: job.id, attempt: job.attemptsMade };
}
