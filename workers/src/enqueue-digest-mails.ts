import type { JobQueue } from '@alpenglow/domain';
import type { FollowDirectory } from '@alpenglow/infra';
import { digestWindow, dueDigestDays } from './digest-window.ts';

const PAGE = 500;

/**
 * Enqueues the daily mails about new replies that are due and have not been sent. Mails of the previous day are
 * included, because this task may not have run on that day. Returns the number of mails. Rejects if `signal` aborts.
 */
export async function enqueueDigestMails(
  { follows, jobs }: { readonly follows: Pick<FollowDirectory, 'digestsDue'>; readonly jobs: JobQueue },
  now_ms: number,
  signal: AbortSignal,
): Promise<number> {
  let due = 0;
  for (const day of dueDigestDays(now_ms)) {
    for (let after: string | null = null, isLast = false; !isLast; ) {
      const page: readonly string[] = await follows.digestsDue(day, digestWindow(day), { after, limit: PAGE });
      for (const accountId of page) {
        signal.throwIfAborted();
        await jobs.enqueue('digest-mail', { accountId, day }, { jobId: `digest-${accountId}-${day}` });
      }
      due += page.length;
      after = page.at(-1) ?? null;
      isLast = page.length < PAGE;
    }
  }
  return due;
}
