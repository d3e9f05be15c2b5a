import type { JobKind } from '@alpenglow/domain';
import { Queue, type Job, type JobType } from 'bullmq';
import type { JobBackend } from './backend.ts';
import { JOB_KINDS } from './job-queue.ts';

const STATES: readonly JobType[] = ['waiting', 'delayed', 'prioritized', 'completed', 'failed', 'waiting-children'];
const PAGE = 500;

type IsMeant = (payload: Readonly<Record<string, unknown>>, enqueuedAt_ms: number) => boolean;

/**
 * Removes every job of which `isMeant` says so, done or not, with what is noted of it. One that is being done is left to be forgotten the next time: then the answer is false.
 */
export async function forgetJobs(backend: JobBackend, isMeant: IsMeant): Promise<boolean> {
  let isIdle = true;
  for (const kind of JOB_KINDS) {
    const queue = openQueue(kind, backend);
    try {
      for (const job of await meantIn(queue, STATES, isMeant)) await job.remove();
      isIdle &&= (await meantIn(queue, ['active'], isMeant)).length === 0;
    } finally {
      await queue.close();
    }
  }
  return isIdle;
}

function openQueue(kind: JobKind, { factory }: JobBackend) {
  const queue = new Queue(kind, { connection: {}, skipMetasUpdate: true }, factory);
  // Unheard it would be printed. Whoever asks hears of a failure.
  queue.on('error', () => undefined);
  return queue;
}

async function meantIn(
  queue: ReturnType<typeof openQueue>,
  states: readonly JobType[],
  isMeant: IsMeant,
): Promise<readonly Job[]> {
  const meant: Job[] = [];
  for (const state of states) {
    for (let start = 0; ; start += PAGE) {
      const page = (await queue.getJobs([state], start, start + PAGE - 1)) as Job<
        Readonly<Record<string, unknown>> | undefined
      >[];
      // One that was taken on while the list was read has no data.
      meant.push(...page.filter(({ data, timestamp }) => data !== undefined && isMeant(data, timestamp)));
      if (page.length < PAGE) break;
    }
  }
  return meant;
}
