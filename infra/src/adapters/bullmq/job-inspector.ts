import {
  JobQueueUnavailable,
  RETRY_DEAD_MAX,
  type InspectedJob,
  type JobInspector,
  type JobKind,
  type JobState,
  type JobStateCounts,
  type JobActionResult,
} from '@alpenglow/domain';
import type { Job, Queue } from 'bullmq';
import type { JobBackend } from './job-backend.ts';
import { maskPayload, maskText } from './mask-personal-data.ts';
import { JOB_KINDS, openQueues, readByKind } from './queues.ts';

/**
 * The maximum number of jobs that are read at once from BullMQ's list of delayed jobs. The list also contains failed
 * jobs that wait for a retry.
 */
const MAX_CHECKED = 1_000;
const MAX_PARALLEL = 20;
const MAX_STACKS = 3;
/**
 * Maps BullMQ's job states to ours. BullMQ's state `delayed` is missing, because it means `failed` for a job that waits
 * for a retry, and `delayed` for any other job. BullMQ's state `completed` is missing, because completed jobs are not
 * shown.
 */
const STATES: Readonly<Record<string, JobState>> = {
  waiting: 'waiting',
  prioritized: 'waiting',
  'waiting-children': 'waiting',
  active: 'active',
  failed: 'dead',
};

interface FoundJob {
  readonly job: Job;
  readonly state: JobState;
}

/**
 * Creates an inspector, with which staff view, retry and remove background jobs. BullMQ's state `failed` is our state
 * `dead`, because such a job is not retried automatically. BullMQ's state `delayed` is our state `failed` if the job
 * has already been attempted.
 */
export function createJobInspector(backend: JobBackend): JobInspector {
  const queues = openQueues(backend) as unknown as Record<JobKind, Queue>;

  /** Calls `run`, which queries the job backend. Throws `JobQueueUnavailable` during an outage of the backend. */
  async function query<T>(run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (error) {
      throw backend.isOutage(error) ? new JobQueueUnavailable('Jobs cannot be inspected now', { cause: error }) : error;
    }
  }

  async function countsOf(kind: JobKind): Promise<JobStateCounts> {
    const counts = await queues[kind].getJobCounts('waiting', 'prioritized', 'active', 'delayed', 'failed');
    const { waiting = 0, prioritized = 0, active = 0, delayed = 0, failed: dead = 0 } = counts;
    const failed =
      delayed === 0
        ? 0
        : (await listBullDelayed(kind, 0, MAX_CHECKED)).filter(({ attemptsMade }) => attemptsMade > 0).length;
    return { waiting: waiting + prioritized, active, delayed: Math.max(0, delayed - failed), failed, dead };
  }

  async function listBullDelayed(kind: JobKind, offset: number, limit: number): Promise<readonly Job[]> {
    return withoutGaps(await queues[kind].getDelayed(offset, offset + limit - 1));
  }

  /**
   * Lists either delayed jobs, or failed jobs that wait for a retry. BullMQ stores both kinds in one list, so the list
   * is filtered until the page is full.
   */
  async function listDelayedOrFailed(kind: JobKind, state: 'delayed' | 'failed', offset: number, limit: number) {
    const jobs: InspectedJob[] = [];
    const delayed = await listBullDelayed(kind, offset, MAX_CHECKED);
    for (const [index, job] of delayed.entries()) {
      if (delayedOrFailed(job) !== state) continue;
      if (jobs.length === limit) return { jobs, next: offset + index };
      jobs.push(toInspectedJob(kind, job, state));
    }
    return { jobs, next: delayed.length === MAX_CHECKED ? offset + MAX_CHECKED : null };
  }

  /** Lists waiting jobs. BullMQ has two lists, and starts the jobs of the second one after those of the first. */
  async function listWaiting(kind: JobKind, first: number, last: number): Promise<readonly Job[]> {
    const count = await queues[kind].getWaitingCount();
    const [withoutTurn, withTurn] = await Promise.all([
      first < count ? queues[kind].getWaiting(first, last) : [],
      last >= count ? queues[kind].getPrioritized(Math.max(0, first - count), last - count) : [],
    ]);
    return [...withoutTurn, ...withTurn];
  }
  const listActive = (kind: JobKind, first: number, last: number) => queues[kind].getActive(first, last);
  const listDead = (kind: JobKind, first: number, last: number) => queues[kind].getFailed(first, last);

  async function list(kind: JobKind, state: JobState, offset: number, limit: number) {
    if (state === 'delayed' || state === 'failed') return listDelayedOrFailed(kind, state, offset, limit);
    const range = { waiting: listWaiting, active: listActive, dead: listDead }[state];
    // The first job of the next page is queried separately, to find out whether there is a next page. A single query
    // for one more job is not possible, because BullMQ on Postgres returns a range in reverse order.
    const [page, beyond] = await Promise.all([
      range(kind, offset, offset + limit - 1),
      range(kind, offset + limit, offset + limit),
    ]);
    return {
      jobs: withoutGaps(page).map((job) => toInspectedJob(kind, job, state)),
      next: beyond.length > 0 ? offset + limit : null,
    };
  }

  async function findJob(kind: JobKind, id: string): Promise<FoundJob | null> {
    // Postgres cannot store this character, so there is no such job.
    if (id.includes('\0')) return null;
    const job = (await queues[kind].getJob(id)) as Job | undefined;
    const bullState = await job?.getState();
    const state = job && (bullState === 'delayed' ? delayedOrFailed(job) : STATES[bullState ?? '']);
    return job && state ? { job, state } : null;
  }

  /**
   * Runs `action` on a job that no worker is running, and tries again once after an error. The error may be due to a
   * worker or another admin who changed the state of the job after it was read. The second attempt reads the state
   * again.
   */
  async function attemptTwice(
    kind: JobKind,
    id: string,
    action: (found: FoundJob) => Promise<void>,
  ): Promise<JobActionResult> {
    const attempt = async () => {
      const found = await findJob(kind, id);
      if (!found) return 'unknown';
      if (found.state === 'active') return 'under-way';
      await action(found);
      return 'done';
    };
    try {
      return await attempt();
    } catch (error) {
      if (backend.isOutage(error)) throw error;
      return attempt();
    }
  }

  return {
    countJobs: () => query(() => readByKind(countsOf)),
    list: (kind, state, { offset, limit }) => query(() => list(kind, state, offset, limit)),
    find: (kind, id) =>
      query(async () => {
        const found = await findJob(kind, id);
        return found && toInspectedJob(kind, found.job, found.state);
      }),
    retry: (kind, id) => query(() => attemptTwice(kind, id, retry)),
    remove: (kind, id) => query(() => attemptTwice(kind, id, ({ job }) => job.remove())),
    retryDead: (kind) =>
      query(async () => {
        const dead = withoutGaps(await queues[kind].getFailed(0, RETRY_DEAD_MAX - 1));
        let retried = 0;
        for (let done = 0; done < dead.length; done += MAX_PARALLEL) {
          const outcomes = await Promise.all(
            dead.slice(done, done + MAX_PARALLEL).map(({ id = '' }) => attemptTwice(kind, id, retry)),
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

/** Returns true if `text` is a kind of job. */
export function isJobKind(text: string): text is JobKind {
  return (JOB_KINDS as readonly string[]).includes(text);
}

async function retry({ job, state }: FoundJob): Promise<void> {
  if (state === 'dead') await job.retry('failed', { resetAttemptsMade: true });
  if (state === 'delayed' || state === 'failed') await job.promote();
}

/**
 * Removes empty entries from a list of jobs. BullMQ returns an empty entry for each job that was removed while the list
 * was read.
 */
function withoutGaps(jobs: readonly unknown[]): readonly Job[] {
  const isThere = (job: unknown): job is Job => job !== undefined && job !== null;
  return jobs.filter(isThere);
}

function delayedOrFailed({ attemptsMade }: Job): 'delayed' | 'failed' {
  return attemptsMade > 0 ? 'failed' : 'delayed';
}

function toInspectedJob(kind: JobKind, job: Job, state: JobState): InspectedJob {
  const { id = '', attemptsMade, opts, timestamp, processedOn, finishedOn, delay, failedReason, stacktrace } = job;
  const isWaiting = state === 'delayed' || state === 'failed';
  return {
    id,
    kind,
    state,
    attempts: attemptsMade,
    maxAttempts: opts.attempts ?? 1,
    enqueuedAt: new Date(timestamp).toISOString(),
    nextAt: isWaiting ? new Date((processedOn ?? timestamp) + delay).toISOString() : null,
    startedAt: toIso(processedOn),
    endedAt: state === 'dead' ? toIso(finishedOn) : null,
    error: failedReason ? maskText(failedReason) : null,
    payload: maskPayload(job.data),
    stack: (stacktrace ?? []).filter(Boolean).slice(-MAX_STACKS).map(maskText),
  };
}

function toIso(time_ms: number | undefined): string | null {
  return time_ms === undefined ? null : new Date(time_ms).toISOString();
}
