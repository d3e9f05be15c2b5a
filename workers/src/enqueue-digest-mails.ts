import type { BulkJobQueue, JobRejection } from '@alpenglow/domain';
import type { FollowDirectory, Logger } from '@alpenglow/infra';
import { attemptEach } from './attempt-each.ts';
import { digestWindow, dueDigestDays } from './digest-window.ts';

const PAGE = 500;

interface DigestDependencies {
  readonly follows: Pick<FollowDirectory, 'digestsDue'>;
  readonly jobs: Pick<BulkJobQueue, 'enqueueAll'>;
  readonly log: Logger;
}

/**
 * Enqueues the daily mails about new replies that are due and have not been sent. Mails of the previous day are
 * included, because this task may not have run on that day. Returns the number of mails. A mail that the queue rejects
 * does not stop the others. The promise then rejects with `ItemsFailed` at the end. Rejects at once if `signal` aborts.
 */
export async function enqueueDigestMails(
  { follows, jobs, log }: DigestDependencies,
  now_ms: number,
  signal: AbortSignal,
): Promise<number> {
  let due = 0;
  const options = { task: 'send-digests', log, signal };
  const enqueueDay = async (day: string) => {
    const rejections: JobRejection[] = [];
    for await (const accountIds of findDue(follows, day)) {
      signal.throwIfAborted();
      const page = accountIds.map((accountId) => ({
        payload: { accountId, day },
        jobId: `digest-${accountId}-${day}`,
      }));
      const rejected = await jobs.enqueueAll('digest-mail', page);
      due += page.length - rejected.length;
      rejections.push(...rejected);
    }
    await attemptEach(rejections, ({ error }) => Promise.reject(error), { ...options, nameOf: ({ jobId }) => jobId });
  };
  await attemptEach(dueDigestDays(now_ms), enqueueDay, { ...options, nameOf: (day) => day });
  return due;
}

/** Yields pages of the ids of the accounts whose daily mail of this day is due. */
async function* findDue(follows: DigestDependencies['follows'], day: string): AsyncGenerator<readonly string[]> {
  for (let after: string | null = null, isLast = false; !isLast; ) {
    const page: readonly string[] = await follows.digestsDue(day, digestWindow(day), { after, limit: PAGE });
    yield page;
    after = page.at(-1) ?? null;
    isLast = page.length < PAGE;
  }
}
