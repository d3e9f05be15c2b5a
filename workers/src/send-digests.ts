import type { JobQueue } from '@alpenglow/domain';
import type { FollowDirectory } from '@alpenglow/infra';
import { digestWindow, dueDigestDays } from './digest-window.ts';

const PAGE = 500;

/**
 * Enqueues the mail of the day for everybody who is due one and has not got it, of the day before as well: rounds need not come by at any certain
 * time. Answers how many those are.
 */
export async function sendDigests(
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
