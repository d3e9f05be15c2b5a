import {
  JobQueueUnavailable,
  RETRIED_JOBS_MAX,
  type InspectedJob,
  type JobInspector,
  type JobKind,
  type JobState,
  type JobStateCounts,
  type JobWish,
} from '@alpenglow/domain';
import { Queue, type Job } from 'bullmq';
import type { JobBackend } from './backend.ts';
import { JOB_KINDS } from './job-queue.ts';
import { maskedPayload, maskedText } from './masked.ts';

/** So many jobs that wait for a time are looked at one by one. */
const LOOKED_AT_MAX = 1_000;
const AT_ONCE = 20;
const STACKS_MAX = 3;
const RANGE = { waiting: 'getWaiting', active: 'getActive', dead: 'getFailed' } as const;

/** Looks into the queues of a backend; BullMQ's `failed` is what we call dead, its `delayed` is failed once an attempt has been made. */
export function createJobInspector(backend: JobBackend): JobInspector {
  const queues = Object.fromEntries(JOB_KINDS.map((kind) => [kind, openQueue(kind, backend)])) as Record<
    JobKind,
    Queue
  >;

  /** What the backend answers; an outage as the port says it. */
  async function ask<T>(question: () => Promise<T>): Promise<T> {
    try {
      return await question();
    } catch (error) {
      throw backend.isOutage(error) ? new JobQueueUnavailable('Jobs cannot be looked at now', { cause: error }) : error;
    }
  }

  async function countsOf(kind: JobKind): Promise<JobStateCounts> {
    const counted = await queues[kind].getJobCounts('waiting', 'prioritized', 'active', 'delayed', 'failed');
    const { waiting = 0, prioritized = 0, active = 0, delayed = 0, failed: dead = 0 } = counted;
    const failed =
      delayed === 0
        ? 0
        : (await waitingForTime(kind, 0, LOOKED_AT_MAX)).filter(({ attemptsMade }) => attemptsMade > 0).length;
    return { waiting: waiting + prioritized, active, delayed: Math.max(0, delayed - failed), failed, dead };
  }

  async function waitingForTime(kind: JobKind, offset: number, limit: number): Promise<readonly Job[]> {
    return present(await queues[kind].getDelayed(offset, offset + limit - 1));
  }

  /** BullMQ has those that failed and those that were never begun in one list: it is gone through until there is a page. */
  async function listWaitingForTime(kind: JobKind, state: 'delayed' | 'failed', offset: number, limit: number) {
    const jobs: InspectedJob[] = [];
    const looked = await waitingForTime(kind, offset, LOOKED_AT_MAX);
    for (const [index, job] of looked.entries()) {
      if (stateWhileDelayed(job) !== state) continue;
      if (jobs.length === limit) return { jobs, next: offset + index };
      jobs.push(shown(kind, job, state));
    }
    return { jobs, next: looked.length === LOOKED_AT_MAX ? offset + LOOKED_AT_MAX : null };
  }

  async function list(kind: JobKind, state: JobState, offset: number, limit: number) {
    if (state === 'delayed' || state === 'failed') return listWaitingForTime(kind, state, offset, limit);
    const range = RANGE[state];
    // The next page is asked for apart: on Postgres, BullMQ hands a stretch of a queue back to front, of which the last is not the one beyond the page.
    const [page, beyond] = await Promise.all([
      queues[kind][range](offset, offset + limit - 1),
      queues[kind][range](offset + limit, offset + limit),
    ]);
    return {
      jobs: present(page).map((job) => shown(kind, job, state)),
      next: beyond.length > 0 ? offset + limit : null,
    };
  }

  async function look(kind: JobKind, id: string): Promise<{ readonly job: Job; readonly state: JobState } | null> {
    const job = (await queues[kind].getJob(id)) as Job | undefined;
    const state = job && stateOf(job, await job.getState());
    return job && state ? { job, state } : null;
  }

  async function retry(kind: JobKind, id: string): Promise<JobWish> {
    const found = await look(kind, id);
    if (!found) return 'unknown';
    const { job, state } = found;
    if (state === 'active') return 'under-way';
    if (state === 'dead') await job.retry('failed', { resetAttemptsMade: true });
    if (state === 'delayed' || state === 'failed') await job.promote();
    return 'done';
  }

  async function remove(kind: JobKind, id: string): Promise<JobWish> {
    const found = await look(kind, id);
    if (!found) return 'unknown';
    if (found.state === 'active') return 'under-way';
    await found.job.remove();
    return 'done';
  }

  /** A worker or another admin may be faster than we: then the job is no longer as we saw it, which is looked at again once. */
  async function wish(
    kind: JobKind,
    id: string,
    fulfil: (kind: JobKind, id: string) => Promise<JobWish>,
  ): Promise<JobWish> {
    try {
      return await fulfil(kind, id);
    } catch (error) {
      if (backend.isOutage(error)) throw error;
      return fulfil(kind, id);
    }
  }

  return {
    counts: () =>
      ask(
        async () =>
          Object.fromEntries(
            await Promise.all(JOB_KINDS.map(async (kind) => [kind, await countsOf(kind)] as const)),
          ) as Record<JobKind, JobStateCounts>,
      ),
    list: (kind, state, { offset, limit }) => ask(() => list(kind, state, offset, limit)),
    find: (kind, id) =>
      ask(async () => {
        const found = await look(kind, id);
        return found && shown(kind, found.job, found.state);
      }),
    retry: (kind, id) => ask(() => wish(kind, id, retry)),
    remove: (kind, id) => ask(() => wish(kind, id, remove)),
    retryDead: (kind) =>
      ask(async () => {
        const dead = present(await queues[kind].getFailed(0, RETRIED_JOBS_MAX - 1));
        let retried = 0;
        for (let done = 0; done < dead.length; done += AT_ONCE) {
          const outcomes = await Promise.all(
            dead.slice(done, done + AT_ONCE).map(({ id = '' }) => wish(kind, id, retry)),
          );
          retried += outcomes.filter((outcome) => outcome === 'done').length;
        }
        return retried;
      }),
    async close() {
      await Promise.all(Object.values(queues).map((queue) => queue.close()));
    },
  };
}

/** Whether a text names a kind of job. */
export function isJobKind(text: string): text is JobKind {
  return (JOB_KINDS as readonly string[]).includes(text);
}

function openQueue(kind: JobKind, { factory }: JobBackend): Queue {
  const queue = new Queue(kind, { connection: {} }, factory) as unknown as Queue;
  // Unheard it would be printed. Whoever looks hears of a failure.
  queue.on('error', () => undefined);
  return queue;
}

/** A job that is done or removed between two questions is missing in the list of its kind. */
function present(jobs: readonly unknown[]): readonly Job[] {
  const isThere = (job: unknown): job is Job => job !== undefined && job !== null;
  return jobs.filter(isThere);
}

function stateWhileDelayed({ attemptsMade }: Job): 'delayed' | 'failed' {
  return attemptsMade > 0 ? 'failed' : 'delayed';
}

/** Null for a job that is done. */
function stateOf(job: Job, state: string): JobState | null {
  switch (state) {
    case 'waiting':
    case 'prioritized':
    case 'waiting-children':
      return 'waiting';
    case 'active':
      return 'active';
    case 'delayed':
      return stateWhileDelayed(job);
    case 'failed':
      return 'dead';
    default:
      return null;
  }
}

function shown(kind: JobKind, job: Job, state: JobState): InspectedJob {
  const { id = '', attemptsMade, opts, timestamp, processedOn, finishedOn, delay, failedReason, stacktrace } = job;
  const waits = state === 'delayed' || state === 'failed';
  return {
    id,
    kind,
    state,
    attempts: attemptsMade,
    maxAttempts: opts.attempts ?? 1,
    enqueuedAt: new Date(timestamp).toISOString(),
    nextAt: waits ? new Date((processedOn ?? timestamp) + delay).toISOString() : null,
    startedAt: isoOf(processedOn),
    endedAt: state === 'dead' ? isoOf(finishedOn) : null,
    error: failedReason ? maskedText(failedReason) : null,
    payload: maskedPayload(job.data),
    stack: (stacktrace ?? []).filter(Boolean).slice(-STACKS_MAX).map(maskedText),
  };
}

function isoOf(time_ms: number | undefined): string | null {
  return time_ms === undefined ? null : new Date(time_ms).toISOString();
}
