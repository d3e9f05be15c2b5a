import type { JobContext } from '@alpenglow/domain';

/** Returns the context of the first attempt of a job that was enqueued now. */
export function createJobContext(overrides: Partial<JobContext> = {}): JobContext {
  return { jobId: 'j1', attempt: 1, enqueuedAt_ms: Date.now(), signal: new AbortController().signal, ...overrides };
}
