import type { Job, JobType } from 'bullmq';
import type { JobBackend } from './job-backend.ts';
import { JOB_KINDS, openQueue } from './queues.ts';

const STATES: readonly JobType[] = ['waiting', 'delayed', 'prioritized', 'completed', 'failed', 'waiting-children'];
const PAGE = 500;

type Payload = Readonly<Record<string, unknown>>;
type Matches = (payload: Payload, enqueuedAt_ms: number) => boolean;

/** A job in the queue, by its payload and the time when it was enqueued. */
export interface QueuedJob {
  readonly payload: Payload;
  readonly enqueuedAt_ms: number;
}

/**
 * Removes every waiting or finished job for which `matches` returns true, with its stored results. Running jobs are not
 * removed. Returns the running jobs that match, so that the caller calls this function again later.
 */
export async function removeMatchingJobs(backend: JobBackend, matches: Matches): Promise<readonly QueuedJob[]> {
  const running: QueuedJob[] = [];
  for (const kind of JOB_KINDS) {
    const queue = openQueue(kind, backend, { skipMetasUpdate: true });
    try {
      for (const job of await matchingJobs(queue, STATES, matches)) await job.remove();
      running.push(...(await matchingJobs(queue, ['active'], matches)).map(toQueuedJob));
    } finally {
      await queue.close();
    }
  }
  return running;
}

/** Returns all jobs for which `matches` returns true: waiting, running and finished ones. */
export async function findMatchingJobs(backend: JobBackend, matches: Matches): Promise<readonly QueuedJob[]> {
  const found: QueuedJob[] = [];
  for (const kind of JOB_KINDS) {
    const queue = openQueue(kind, backend, { skipMetasUpdate: true });
    try {
      found.push(...(await matchingJobs(queue, [...STATES, 'active'], matches)).map(toQueuedJob));
    } finally {
      await queue.close();
    }
  }
  return found;
}

function toQueuedJob({ data, timestamp }: Job): QueuedJob {
  return { payload: data as Payload, enqueuedAt_ms: timestamp };
}

async function matchingJobs(
  queue: ReturnType<typeof openQueue>,
  states: readonly JobType[],
  matches: Matches,
): Promise<readonly Job[]> {
  const matching: Job[] = [];
  for (const state of states) {
    for (let start = 0; ; start += PAGE) {
      const page = (await queue.getJobs([state], start, start + PAGE - 1)) as Job<
        Readonly<Record<string, unknown>> | undefined
      >[];
      // A job that a worker took while the page was read has no data, so it is skipped.
      matching.push(...page.filter(({ data, timestamp }) => data !== undefined && matches(data, timestamp)));
      if (page.length < PAGE) break;
    }
  }
  return matching;
}
