import { setTimeout as pause } from 'node:timers/promises';
import { PostponedJobError, UnrecoverableJobError, type JobHandler, type JobKind, type Jobs } from '@alpenglow/domain';
import { DelayedError, UnrecoverableError, WaitingError, Worker, type Job } from 'bullmq';
import type { Logger } from '../../logger.ts';
import type { JobBackend } from './backend.ts';
import { JOB_KINDS } from './job-queue.ts';

export type JobHandlers = { readonly [K in JobKind]: JobHandler<K> };

export interface JobWorkers {
  /** Takes no more jobs and waits for those under way; after 5 s their signals abort, and what ends then waits for another worker as if never begun; after 7 s they are left to be retried. */
  close(): Promise<void>;
}

export interface JobWorkerOptions {
  readonly handlers: JobHandlers;
  /** What follows, by kind, when a job will not be tried again. Called once; should it fail, the job is forgotten, so that it may be enqueued again. */
  readonly onFailedForGood?: { readonly [K in JobKind]?: (payload: Jobs[K]) => Promise<void> };
  readonly log: Logger;
  /** A job whose worker has not been heard of for this long belongs to nobody any more. */
  readonly lock_ms?: number;
  /** How often such jobs are looked for. They run again at the second look. */
  readonly stalledCheck_ms?: number;
  /** How long a job waits that was postponed until nobody knows when. */
  readonly postponed_ms?: number;
}

const LOCK_ms = 10_000;
const STALLED_CHECK_ms = 10_000;
/** A job that takes its process down with it is tried again this often. */
const MAX_STALLS = 4;
/** How long a worker waits before it asks again a backend that it could not reach. */
const RETRY_WAIT_ms = 1_000;
const POSTPONED_ms = 60_000;
const ABORT_AFTER_ms = 5_000;
const LEAVE_AFTER_ms = 2_000;

/** Does jobs, one of each kind at a time: pictures are made on one processor while the other answers requests. */
export function createJobWorkers(backend: JobBackend, options: JobWorkerOptions): JobWorkers {
  const closed = new AbortController();
  const workers = JOB_KINDS.map((kind) => startWorker(kind, backend, options, closed.signal));
  return {
    async close() {
      closed.abort();
      const closing = Promise.all(workers.map((worker) => worker.close()));
      if (await Promise.race([closing.then(() => true), pause(ABORT_AFTER_ms, false, { ref: false })])) return;
      for (const worker of workers) worker.cancelAllJobs('closing');
      await Promise.race([closing, pause(LEAVE_AFTER_ms, undefined, { ref: false })]);
    },
  };
}

function startWorker(
  kind: JobKind,
  { factory, idleLook_s }: JobBackend,
  {
    handlers,
    onFailedForGood = {},
    log,
    lock_ms = LOCK_ms,
    stalledCheck_ms = STALLED_CHECK_ms,
    postponed_ms = POSTPONED_ms,
  }: JobWorkerOptions,
  closed: AbortSignal,
) {
  // Each handler takes its own kind's payload, which is what its own queue holds.
  const handle = handlers[kind] as JobHandler<JobKind>;
  const giveUp = onFailedForGood[kind] as ((payload: Jobs[JobKind]) => Promise<void>) | undefined;
  // BullMQ hands a signal to what declares three parameters without a default.
  const process = async (job: Job<Jobs[JobKind]>, token: string | undefined, given: AbortSignal | undefined) => {
    const signal = given ?? new AbortController().signal;
    try {
      await handle(job.data, { attempt: job.attemptsMade + 1, signal });
    } catch (error) {
      if (error instanceof UnrecoverableJobError) throw new UnrecoverableError(error.message);
      if (closed.aborted && signal.aborted) {
        // It was we who broke it off.
        await job.moveToWait(token);
        log.info(describe(kind, job), 'job put back for another worker');
        throw new WaitingError();
      }
      if (error instanceof PostponedJobError) {
        // Postgres keeps the moment as a whole number of ms, and refuses any other.
        const after_ms = Math.ceil(error.after_ms ?? postponed_ms);
        await job.moveToDelayed(Date.now() + after_ms, token);
        log.warn({ ...describe(kind, job), err: error.cause ?? error, postponed_ms: after_ms }, 'job postponed');
        throw new DelayedError();
      }
      throw error;
    }
  };
  const worker = new Worker(
    kind,
    process,
    {
      connection: {},
      concurrency: 1,
      lockDuration: lock_ms,
      stalledInterval: stalledCheck_ms,
      maxStalledCount: MAX_STALLS,
      drainDelay: idleLook_s,
      runRetryDelay: RETRY_WAIT_ms,
    },
    factory,
  );
  worker.on('completed', (job) => {
    log.info({ ...describe(kind, job), duration_ms: (job.finishedOn ?? 0) - (job.processedOn ?? 0) }, 'job done');
  });
  worker.on('failed', (job, error) => {
    const isLast = job === undefined || job.finishedOn !== undefined;
    log[isLast ? 'error' : 'warn'](
      { ...(job && describe(kind, job)), err: error },
      isLast ? 'job failed for good' : 'job failed, to be retried',
    );
    if (!job || !isLast) return;
    giveUp?.(job.data).catch((err: unknown) => {
      log.error({ ...describe(kind, job), err }, 'what follows a failed job failed');
      job
        .remove()
        .catch((reason: unknown) =>
          log.warn({ ...describe(kind, job), err: reason }, 'failed job could not be removed'),
        );
    });
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
