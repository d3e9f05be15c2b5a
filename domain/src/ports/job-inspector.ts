import type { JobState } from '../admin-fields.ts';
import type { JobKind } from './job-queue.ts';

/** The number of background jobs in each state. */
export type JobStateCounts = Readonly<Record<JobState, number>>;

/** A background job as admins see it. Its texts contain no personal data or secrets. Times are ISO 8601. */
export interface InspectedJob {
  readonly id: string;
  readonly kind: JobKind;
  readonly state: JobState;
  /** Number of failed attempts to run the job. */
  readonly attempts: number;
  readonly maxAttempts: number;
  readonly enqueuedAt: string;
  /** Approximate time of the next attempt to run the job, or null. */
  readonly nextAt: string | null;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly error: string | null;
  readonly payload: readonly { readonly name: string; readonly value: string }[];
  readonly stack: readonly string[];
}

/**
 * The result of a request to retry or remove one job. `under-way` means that a worker is running the job, so the job
 * was not changed. `unknown` means that the job does not exist.
 */
export type JobActionResult = 'done' | 'unknown' | 'under-way';

/** The maximum number of jobs that one call of `retryDead` retries. */
export const RETRY_DEAD_MAX = 1_000;

/**
 * Lists, retries and removes background jobs. Every method rejects with `JobQueueUnavailable` within seconds while the
 * queue is unavailable.
 */
export interface JobInspector {
  /**
   * Returns the number of jobs by kind and state. A scheduled job is `failed` if it waits for a retry, and `delayed`
   * otherwise. Only the first 1,000 scheduled jobs of a kind are distinguished. All further ones count as `delayed`.
   */
  countJobs(): Promise<Readonly<Record<JobKind, JobStateCounts>>>;
  /**
   * Returns a page of the jobs in one state, starting at `offset`, in the order of the queue. Dead jobs, which have no
   * attempts left, are in reverse order. `next` is the offset of the next page.
   */
  list(
    kind: JobKind,
    state: JobState,
    page: { readonly offset: number; readonly limit: number },
  ): Promise<{ readonly jobs: readonly InspectedJob[]; readonly next: number | null }>;
  /** Returns a job, or null if it does not exist or is done. */
  find(kind: JobKind, id: string): Promise<InspectedJob | null>;
  /**
   * Retries a job now. A dead job, which had no attempts left, gets all its attempts again. A delayed job starts at
   * once.
   */
  retry(kind: JobKind, id: string): Promise<JobActionResult>;
  /** Retries at most `RETRY_DEAD_MAX` dead jobs, which have no attempts left. Returns the number of retried jobs. */
  retryDead(kind: JobKind): Promise<number>;
  remove(kind: JobKind, id: string): Promise<JobActionResult>;
  close(): Promise<void>;
}
