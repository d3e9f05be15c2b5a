import { mailId, type JobQueue } from '@alpenglow/domain';
import type { DueMails } from '@alpenglow/infra';

/** Longer than a mail takes when nothing is wrong. */
const MIN_AGE_ms = 2 * 60_000;
/** What is left over is for the next round. */
const AT_MOST = 1_000;

/**
 * Enqueues again the mail of every verification code that still works and was not mailed within some minutes, lest it was lost with its
 * queue. One whose job is still there is sent once nevertheless. Answers how many those are. A code that resets a password is left to whoever
 * waits for it, who asks for another one.
 */
export async function resumeMails(
  { dueMails, jobs }: { readonly dueMails: DueMails; readonly jobs: JobQueue },
  now_ms: number,
  signal: AbortSignal,
): Promise<number> {
  const due = await dueMails.due(new Date(now_ms - MIN_AGE_ms), AT_MOST);
  for (const { accountId, issuanceId, expiresAt } of due) {
    signal.throwIfAborted();
    const payload = { about: 'verification', accountId, issuanceId, expiresAt: expiresAt.toISOString() } as const;
    await jobs.enqueue('account-mail', payload, { jobId: `resumed-${mailId('verification', issuanceId)}` });
  }
  return due.length;
}
