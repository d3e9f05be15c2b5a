import { createMailId, type JobQueue } from '@alpenglow/domain';
import type { DueMails } from '@alpenglow/infra';

/** Age in ms after which a mail that was not sent is enqueued again. Mails are normally sent much sooner. */
const MIN_AGE_ms = 2 * 60_000;
/** Maximum number of mails that one run enqueues. The next run enqueues the rest. */
const LIMIT = 1_000;

/**
 * Enqueues the mail with a verification code again if it was not sent within two minutes, because its job may be lost.
 * The mail is sent only once, even if the first job still exists. Mails for password resets are not enqueued again,
 * because the person can request another mail. Returns the number of mails. Rejects if `signal` aborts.
 */
export async function resumeMails(
  { dueMails, jobs }: { readonly dueMails: DueMails; readonly jobs: JobQueue },
  now_ms: number,
  signal: AbortSignal,
): Promise<number> {
  const due = await dueMails.findDue(new Date(now_ms - MIN_AGE_ms), LIMIT);
  for (const { accountId, issuanceId, expiresAt } of due) {
    signal.throwIfAborted();
    const payload = { about: 'verification', accountId, issuanceId, expiresAt: expiresAt.toISOString() } as const;
    await jobs.enqueue('account-mail', payload, { jobId: `resumed-${createMailId('verification', issuanceId)}` });
  }
  return due.length;
}
