import type { CaseId, Subject } from '../moderation/subject.ts';
import type { ReportReason } from '../report/fields.ts';

/**
 * The kinds of background jobs, each with the type of its payload. A payload contains ids, and never personal data or
 * secrets.
 */
export interface JobPayloads {
  'photo-variants': { readonly mediaId: string };
  'video-probe': { readonly mediaId: string };
  /**
   * Sends a mail to the owner of an account. `issuanceId` identifies the cause of the mail: a code, a sign-up, an
   * identity check or a change of the account. The mail is not sent after `expiresAt` (ISO 8601).
   */
  'account-mail': {
    readonly about: AccountMailTopic;
    readonly accountId: string;
    readonly issuanceId: string;
    readonly expiresAt: string;
  };
  /**
   * Adds a report to its moderation case. The job repeats this step, because the request that filed the report may have
   * been interrupted before it.
   */
  'take-report-in': {
    readonly reportId: string;
    readonly subject: Subject;
    readonly reason: ReportReason;
    readonly weight?: number;
  };
  /** Carries out a moderation decision, e.g. hides an ad, and notifies the owner of the content. */
  'settle-case': {
    readonly caseId: CaseId;
    readonly decisionId: string;
    readonly about: 'decision' | 'appeal';
    /** The time of the decision in ISO 8601. Jobs of earlier releases do not contain it. */
    readonly decidedAt?: string;
  };
  /**
   * Brings the content that a removal request names into the required state, and sends the mails about an event of the
   * request. `at` is the time of the event in ISO 8601.
   */
  removal: { readonly requestId: string; readonly about: RemovalMailTopic; readonly at: string };
  /**
   * Finds the followers of a thread who receive a mail about a reply. Enqueues a `reply-mail` job for each follower of
   * a small thread, or a `reply-mails` job for a large thread.
   */
  'thread-replies': { readonly threadId: string; readonly number: number };
  /** Mails one follower of a thread about a reply and all later replies. */
  'reply-mail': { readonly accountId: string; readonly threadId: string; readonly number: number };
  /**
   * Mails a page of the followers of a large thread about a reply and all later replies, and enqueues the next page.
   * The page begins with the first account id that is not less than `from`, and ends before `until` (null: no end).
   * Both are prefixes of account ids, so that the payload contains no account id. `round` is part of the job ids. It is
   * the number of the reply, or `after-<number>` for a delayed mail to followers whose last mail was too recent.
   */
  'reply-mails': {
    readonly threadId: string;
    readonly number: number;
    readonly round: string;
    readonly from: string;
    readonly until: string | null;
  };
  /**
   * Sends the daily mail about new replies in followed threads. The mail covers 24 hours, which end on `day`
   * (YYYY-MM-DD).
   */
  'digest-mail': { readonly accountId: string; readonly day: string };
}
/** The topics of mails to the owner of an account. */
export type AccountMailTopic =
  | 'verification'
  | 'password-reset'
  | 'login-code'
  | 'sign-up-repeated'
  | 'identity-decided'
  | 'password-changed'
  | 'two-step-on'
  | 'two-step-off'
  | 'role-changed';
/** The events of a removal request that cause mails or a change of the named content. */
export type RemovalMailTopic =
  | 'requested'
  | 'warned'
  | 'withdrawn'
  | 'decided'
  | 'completed'
  | 'appealed'
  | 'appeal-decided';
export type JobKind = keyof JobPayloads;

/** A background job before it is enqueued, with the options of `JobQueue.enqueue`. */
export interface NewJob<K extends JobKind> {
  readonly payload: JobPayloads[K];
  readonly jobId: string;
  readonly delay_ms?: number;
  readonly enqueuedAt_ms?: number;
  readonly accountId?: string;
}

/** A job that the queue can never accept. */
export interface JobRejection {
  readonly jobId: string;
  readonly error: JobRejected;
}

/** Enqueues background jobs for the workers. */
export interface JobQueue {
  /**
   * Enqueues a job. A job with the same `jobId` is enqueued only once. With `delay_ms`, the job does not start before
   * the delay is over. `enqueuedAt_ms` is the time when the job was first enqueued, by default the current time.
   * Accounts take turns: a job with `accountId` starts after the jobs of other accounts that have fewer unfinished jobs
   * of this kind. Rejects with `JobQueueUnavailable` within seconds while the queue is unavailable, and with
   * `JobRejected` if the queue can never accept this job. Rejects with `JobEnqueuedItself` if the handler of a job
   * enqueues this same job.
   */
  enqueue<K extends JobKind>(kind: K, payload: JobPayloads[K], options: Omit<NewJob<K>, 'payload'>): Promise<void>;
  close(): Promise<void>;
}

/** Enqueues many background jobs at once. */
export interface BulkJobQueue extends JobQueue {
  /**
   * Enqueues any number of jobs of one kind, like `enqueue` for each of them, but with few statements for each batch of
   * 500 jobs. Returns the jobs that the queue rejects. All other jobs are enqueued. Rejects like `enqueue` if the queue
   * is unavailable. Some of the jobs may then be enqueued.
   */
  enqueueAll<K extends JobKind>(kind: K, jobs: readonly NewJob<K>[]): Promise<readonly JobRejection[]>;
}

/**
 * The job queue cannot be reached or accepts no jobs. It is unknown whether the job was enqueued. Retry with the same
 * `jobId`, so that the job is not enqueued twice.
 */
export class JobQueueUnavailable extends Error {
  override readonly name = 'JobQueueUnavailable';
}

/**
 * The queue does not accept a job, e.g. because the job is too large, its kind is unknown, or it conflicts with another
 * job. The queue accepts other jobs, so this job must not stop them.
 */
export class JobRejected extends Error {
  override readonly name = 'JobRejected';
}

/**
 * The handler of a job enqueues a job of the same kind with the same id. The queue would ignore it, and the work would
 * be lost. A handler that must run again throws `PostponedJobError`.
 */
export class JobEnqueuedItself extends Error {
  override readonly name = 'JobEnqueuedItself';
}

/** Thrown by a background job that can never succeed. The job is not retried and stays stored as failed. */
export class UnrecoverableJobError extends Error {
  override readonly name = 'UnrecoverableJobError';
}

/**
 * Thrown by a background job to postpone itself. The current attempt does not count towards the maximum number of
 * attempts. The default delay is one minute.
 */
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
 * Executes one background job. If the handler throws, the job is retried with backoff, up to the maximum number of
 * attempts. A handler must be idempotent, because the same job may run more than once.
 */
export type JobHandler<K extends JobKind> = (payload: JobPayloads[K], context: JobContext) => Promise<void>;

/** The facts about a job that its handler receives. */
export interface JobContext {
  readonly jobId: string;
  /** The number of the attempt, starting with 1. */
  readonly attempt: number;
  /** The time when the job was first enqueued, in ms since 1970. It stays the same if the queue has lost the job. */
  readonly enqueuedAt_ms: number;
  readonly signal: AbortSignal;
}
