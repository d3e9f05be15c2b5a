import type { Job, JobType } from 'bullmq';
import type { JobBackend } from './job-backend.ts';
import { JOB_KINDS, openQueue } from './queues.ts';

const STATES: readonly JobType[] = ['waiting', 'delayed', 'prioritized', 'completed', 'failed', 'waiting-children'];
const PAGE = 500;

type Matches = (payload: Readonly<Record<string, unknown>>, enqueuedAt_ms: number) => boolean;

/**
 * Removes every waiting or finished job for which `matches` returns true, with its stored results. Running jobs are not
 * removed. Returns false if a running job matches, so that the caller calls this function again later.
 */
export async function removeMatchingJobs(backend: JobBackend, matches: Matches): Promise<boolean> {
  let isIdle = true;
  for (const kind of JOB_KINDS) {
    const queue = openQueue(kind, backend, { skipMetasUpdate: true });
    try {
      for (const job of await matchingJobs(queue, STATES, matches)) await job.remove();
      isIdle &&= (await matchingJobs(queue, ['active'], matches)).length === 0;
    } finally {
      await queue.close();
    }
  }
  return isIdle;
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
