import type { Subject } from '../moderation/subject.ts';
import type { ReportReason } from '../report/fields.ts';

/** Every job kind and its payload. A payload names things by id; it never carries personal data or secrets. */
export interface Jobs {
  'photo-variants': { readonly mediaId: string };
  'video-probe': { readonly mediaId: string };
  /** `issuanceId` names what happened: a code, a sign-up, a check of an identity. From `expiresAt` (ISO 8601) on there is nothing to mail any more. */
  'account-mail': {
    readonly about: AccountMail;
    readonly accountId: string;
    readonly issuanceId: string;
    readonly expiresAt: string;
  };
  /** Puts a report to its case, for a call that broke off. */
  'take-report-in': { readonly reportId: string; readonly subject: Subject; readonly reason: ReportReason };
  /** Has what a case is about follow its decision, and its owner told. */
  'settle-case': { readonly caseId: string; readonly decisionId: string; readonly about: 'decision' | 'appeal' };
  /** Finds those who are mailed of each reply of a thread. */
  'thread-replies': { readonly threadId: string; readonly number: number };
  /** Tells one of them of this reply, and of those after it. */
  'reply-mail': { readonly accountId: string; readonly threadId: string; readonly number: number };
  /** `day` (YYYY-MM-DD) is the one on which the 24 hours end that the mail tells of. */
  'digest-mail': { readonly accountId: string; readonly day: string };
}
/** What an account's owner is written about. */
export type AccountMail = 'verification' | 'password-reset' | 'sign-up-repeated' | 'identity-decided';
export type JobKind = keyof Jobs;

/** Hands work to the workers. */
export interface JobQueue {
  /** Enqueuing the same `jobId` twice enqueues it once. With `delay_ms` nobody begins it before then. Rejects with `JobQueueUnavailable`, within seconds, while the queue cannot take jobs. */
  enqueue<K extends JobKind>(kind: K, payload: Jobs[K], options: { jobId: string; delay_ms?: number }): Promise<void>;
  close(): Promise<void>;
}

/** The queue cannot be reached or takes nothing now. The job may have been taken: enqueue it again with the same `jobId`. */
export class JobQueueUnavailable extends Error {
  override readonly name = 'JobQueueUnavailable';
}

/** A job that can never succeed: not retried, kept as failed. */
export class UnrecoverableJobError extends Error {
  override readonly name = 'UnrecoverableJobError';
}

/** Says nothing against the job: it is tried again, after a minute unless told, and this attempt does not count. */
export class PostponedJobError extends Error {
  override readonly name = 'PostponedJobError';
  /** When to try again, in ms from now; null where nobody knows. */
  readonly after_ms: number | null;
  constructor(message: string, { after_ms = null, ...options }: ErrorOptions & { after_ms?: number | null } = {}) {
    super(message, options);
    this.after_ms = after_ms;
  }
}

/** Does one job. Throwing retries it with backoff, up to the queue's attempts. Running twice must do no more than running once. */
export type JobHandler<K extends JobKind> = (
  payload: Jobs[K],
  context: { attempt: number; signal: AbortSignal },
) => Promise<void>;
