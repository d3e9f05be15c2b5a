import type { CaseId, Subject } from '../moderation/subject.ts';
import type { ReportReason } from '../report/fields.ts';

/** Every job kind and its payload. A payload contains ids, and never personal data or secrets. */
export interface JobPayloads {
  'photo-variants': { readonly mediaId: string };
  'video-probe': { readonly mediaId: string };
  /**
   * Sends a mail to the owner of an account. `issuanceId` identifies the cause of the mail: a code, a sign-up or an
   * identity check. The mail is not sent after `expiresAt` (ISO 8601).
   */
  'account-mail': {
    readonly about: AccountMailTopic;
    readonly accountId: string;
    readonly issuanceId: string;
    readonly expiresAt: string;
  };
  /** Adds a report to its case, if the request that filed the report was interrupted before this step. */
  'take-report-in': { readonly reportId: string; readonly subject: Subject; readonly reason: ReportReason };
  /** Carries out a decision about a case and notifies the owner of the content. */
  'settle-case': { readonly caseId: CaseId; readonly decisionId: string; readonly about: 'decision' | 'appeal' };
  /** Finds the followers of a thread who receive a mail about a reply. */
  'thread-replies': { readonly threadId: string; readonly number: number };
  /** Mails one follower about a reply and the replies after it. */
  'reply-mail': { readonly accountId: string; readonly threadId: string; readonly number: number };
  /** Sends a digest of 24 hours. `day` (YYYY-MM-DD) is the day on which the 24 hours end. */
  'digest-mail': { readonly accountId: string; readonly day: string };
}
/** The topics of mails to the owner of an account. */
export type AccountMailTopic = 'verification' | 'password-reset' | 'sign-up-repeated' | 'identity-decided';
export type JobKind = keyof JobPayloads;

/** Enqueues work for the workers. */
export interface JobQueue {
  /**
   * Enqueues a job. A repeated `jobId` is enqueued once. With `delay_ms`, the job does not start before the
   * delay is over. Rejects with `JobQueueUnavailable` within seconds while the queue is unavailable.
   */
  enqueue<K extends JobKind>(
    kind: K,
    payload: JobPayloads[K],
    options: { jobId: string; delay_ms?: number },
  ): Promise<void>;
  close(): Promise<void>;
}

/**
 * The queue cannot be reached or accepts no jobs. It is unknown whether the job was enqueued. Enqueue it again with the
 * same `jobId`, so that it is enqueued once.
 */
export class JobQueueUnavailable extends Error {
  override readonly name = 'JobQueueUnavailable';
}

/** A job that can never succeed. It is not retried and stays stored as failed. */
export class UnrecoverableJobError extends Error {
  override readonly name = 'UnrecoverableJobError';
}

/** Postpones a job. The current attempt is not counted. The default delay is one minute. */
export class PostponedJobError extends Error {
  override readonly name = 'PostponedJobError';
  /** Delay in ms until the next attempt. Null means the default. */
  readonly after_ms: number | null;
  constructor(message: string, { after_ms = null, ...options }: ErrorOptions & { after_ms?: number | null } = {}) {
    super(message, options);
    this.after_ms = after_ms;
  }
}

/**
 * Executes one job. If it throws, the job is retried with backoff, up to the maximum number of attempts. A
 * handler must be idempotent.
 */
export type JobHandler<K extends JobKind> = (
  payload: JobPayloads[K],
  context: { attempt: number; signal: AbortSignal },
) => Promise<void>;
