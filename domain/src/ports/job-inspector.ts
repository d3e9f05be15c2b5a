import type { JobState } from '../admin-fields.ts';
import type { JobKind } from './job-queue.ts';

/** How many jobs are in which state. */
export type JobStateCounts = Readonly<Record<JobState, number>>;

/** A job as it may be shown: nothing personal or secret is left in its texts. Times are ISO 8601. */
export interface InspectedJob {
  readonly id: string;
  readonly kind: JobKind;
  readonly state: JobState;
  /** How often it failed, of how often it may. */
  readonly attempts: number;
  readonly maxAttempts: number;
  readonly enqueuedAt: string;
  /** About when it will be tried; null where it waits for no time. */
  readonly nextAt: string | null;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly error: string | null;
  readonly payload: readonly { readonly name: string; readonly value: string }[];
  readonly stack: readonly string[];
}

/** What became of a wish about one job: a worker that is at it is not disturbed. */
export type JobWish = 'done' | 'unknown' | 'under-way';

/** The most dead jobs that one `retryDead` retries. */
export const RETRIED_JOBS_MAX = 1_000;

/** Looks into the queues, and moves jobs by hand. Everything rejects with `JobQueueUnavailable`, within seconds, while the queue cannot be reached. */
export interface JobInspector {
  /** Of the jobs that wait for a time, the first 1,000 of a kind are told apart into `delayed` and `failed`; the rest counts as `delayed`. */
  counts(): Promise<Readonly<Record<JobKind, JobStateCounts>>>;
  /** Jobs in one state from `offset` on, in the order of the queue, dead ones the last first; `next` is where the next page begins. */
  list(
    kind: JobKind,
    state: JobState,
    page: { readonly offset: number; readonly limit: number },
  ): Promise<{ readonly jobs: readonly InspectedJob[]; readonly next: number | null }>;
  /** Null when there is no such job, or it is done. */
  find(kind: JobKind, id: string): Promise<InspectedJob | null>;
  /** Has a job tried now: a dead one with all its attempts, one that waits for its time at once. */
  retry(kind: JobKind, id: string): Promise<JobWish>;
  /** Retries dead jobs, at most `RETRIED_JOBS_MAX`, and returns how many. */
  retryDead(kind: JobKind): Promise<number>;
  remove(kind: JobKind, id: string): Promise<JobWish>;
  close(): Promise<void>;
}
