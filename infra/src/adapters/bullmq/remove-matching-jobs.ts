import type { Job, JobType } from 'bullmq';
import type { JobBackend } from './job-backend.ts';
import { JOB_KINDS, openQueue } from './queues.ts';

const STATES: readonly JobType[] = ['waiting', 'delayed', 'prioritized', 'completed', 'failed', 'waiting-children'];
const PAGE = 500;

type Matches = (payload: Readonly<Record<string, unknown>>, enqueuedAt_ms: number) => boolean;

/**
 * Removes every job, finished or not, for which `matches` returns true, and its stored results. Running jobs are not
 * removed. Returns false if a running job matches. The caller must then call this function again.
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
      // A job has no data if a worker took it while the page was read, so it is skipped.
      matching.push(...page.filter(({ data, timestamp }) => data !== undefined && matches(data, timestamp)));
      if (page.length < PAGE) break;
    }
  }
  return matching;
}
