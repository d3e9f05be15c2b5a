import { setTimeout as pause } from 'node:timers/promises';
import {
  PostponedJobError,
  UnrecoverableJobError,
  type JobHandler,
  type JobKind,
  type JobPayloads,
} from '@alpenglow/domain';
import { DelayedError, UnrecoverableError, WaitingError, Worker, type Job } from 'bullmq';
import type { Logger } from '../../service/logger.ts';
import type { JobBackend } from './job-backend.ts';
import { JOB_KINDS, toJobId } from './queues.ts';
import { runAsJob } from './running-job.ts';

export type JobHandlers = { readonly [K in JobKind]: JobHandler<K> };

export type JobWorkers = ReturnType<typeof createJobWorkers>;

export interface JobWorkerOptions {
  readonly handlers: JobHandlers;
  /**
   * Handlers for permanent failures, by kind of job. A handler receives the payload of a job that will not be retried.
   * If the handler itself fails, the job is removed, so that it can be enqueued again.
   */
  readonly onPermanentFailure?: { readonly [K in JobKind]?: (payload: JobPayloads[K]) => Promise<void> };
  readonly log: Logger;
  /**
   * The time after which a worker loses a job if it has not renewed the lock of the job. Another worker then runs the
   * job.
   */
  readonly lock_ms?: number;
  /**
   * The interval of the check for jobs whose worker has not renewed the lock. The second check that finds such a job
   * starts it again.
   */
  readonly stalledCheck_ms?: number;
  readonly postponed_ms?: number;
}

const LOCK_ms = 10_000;
const STALLED_CHECK_ms = 10_000;
/** The maximum number of times that a job is restarted after the process that ran it crashed. */
const MAX_STALLS = 4;
/** The wait after which a worker tries again to reach Postgres or Redis, in which the jobs are stored. */
const RETRY_WAIT_ms = 1_000;
const POSTPONED_ms = 60_000;
const ABORT_AFTER_ms = 5_000;
const ABANDON_AFTER_ms = 2_000;

/**
 * Starts one worker per kind of job. Each worker runs one job at a time, so that photo jobs occupy only one processor
 * core.
 */
export function createJobWorkers(backend: JobBackend, options: JobWorkerOptions) {
  const closed = new AbortController();
  const workers = JOB_KINDS.map((kind) => startWorker(kind, backend, options, closed.signal));
  return {
    /**
     * Stops the workers. They accept no more jobs, and their running jobs have 5 s to complete. After 5 s, aborts the
     * signals of these jobs, and a job that ends because of its signal returns to the queue for another worker. After 7
     * s, abandons the remaining jobs, which another worker retries.
     */
    async close(): Promise<void> {
      closed.abort();
      const closing = Promise.all(workers.map((worker) => worker.close()));
      if (await Promise.race([closing.then(() => true), pause(ABORT_AFTER_ms, false, { ref: false })])) return;
      for (const worker of workers) worker.cancelAllJobs('closing');
      await Promise.race([closing, pause(ABANDON_AFTER_ms, undefined, { ref: false })]);
    },
  };
}

function startWorker(
  kind: JobKind,
  { factory, idleCheck_s }: JobBackend,
  {
    handlers,
    onPermanentFailure = {},
    log,
    lock_ms = LOCK_ms,
    stalledCheck_ms = STALLED_CHECK_ms,
    postponed_ms = POSTPONED_ms,
  }: JobWorkerOptions,
  closed: AbortSignal,
) {
  // Each queue contains only payloads of its own kind, so the type cast of the handler is safe.
  const handle = handlers[kind] as JobHandler<JobKind>;
  const onFailed = onPermanentFailure[kind] as ((payload: JobPayloads[JobKind]) => Promise<void>) | undefined;
  // BullMQ passes an abort signal only to a function with three parameters without default values.
  const process = async (
    job: Job<JobPayloads[JobKind]>,
    token: string | undefined,
    passedSignal: AbortSignal | undefined,
  ) => {
    const signal = passedSignal ?? new AbortController().signal;
    const jobId = toJobId(job.id ?? '');
    const context = { jobId, attempt: job.attemptsMade + 1, enqueuedAt_ms: job.timestamp, signal };
    try {
      await runAsJob(kind, jobId, () => handle(job.data, context));
    } catch (error) {
      if (error instanceof UnrecoverableJobError) throw new UnrecoverableError(error.message);
      if (closed.aborted && signal.aborted) {
        // `close` aborted the job, so the job returns to the queue and does not count as failed.
        await job.moveToWait(token);
        log.info(describe(kind, job), 'job returned to the queue for another worker');
        throw new WaitingError();
      }
      if (error instanceof PostponedJobError) {
        // Postgres accepts only a whole number of milliseconds, so the delay is rounded up.
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
      drainDelay: idleCheck_s,
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
      isLast ? 'job failed for good' : 'job failed, will be retried',
    );
    if (!job || !isLast) return;
    onFailed?.(job.data).catch((err: unknown) => {
      log.error({ ...describe(kind, job), err }, 'failure handler of a job failed');
      job
        .remove()
        .catch((reason: unknown) =>
          log.warn({ ...describe(kind, job), err: reason }, 'failed job could not be removed'),
        );
    });
  });
  worker.on('stalled', (jobId) => {
    log.warn({ kind, jobId }, 'job taken over from a stopped worker');
  });
  worker.on('error', (error) => {
    log.error({ kind, err: error }, 'job worker failed');
  });
  return worker;
}

function describe(kind: JobKind, job: Job) {
  return { kind, jobId: job.id, attempt: job.attemptsMade };
}
