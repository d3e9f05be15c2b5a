/** Every job kind and its payload. A payload names things by id; it never carries personal data or secrets. */
export interface Jobs {
  'photo-variants': { readonly mediaId: string };
  'verification-mail': { readonly accountId: string; readonly issuanceId: string };
}
export type JobKind = keyof Jobs;

/** Hands work to the workers. Enqueuing the same `jobId` twice enqueues it once. */
export interface JobQueue {
  enqueue<K extends JobKind>(kind: K, payload: Jobs[K], options: { jobId: string }): Promise<void>;
  close(): Promise<void>;
}

/** A job that can never succeed: not retried, kept as failed. */
export class UnrecoverableJobError extends Error {
  override readonly name = 'UnrecoverableJobError';
}

/** Does one job. Throwing retries it with backoff, up to the queue's attempts. Running twice must do no more than running once. */
export type JobHandler<K extends JobKind> = (payload: Jobs[K], context: { attempt: number; signal: AbortSignal }) => Promise<void>;
