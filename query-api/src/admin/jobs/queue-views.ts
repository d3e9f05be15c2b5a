import type { JobKind, JobStateCounts, QueueView } from '@alpenglow/domain';
import { JOB_KINDS } from '@alpenglow/infra';

/** Returns the number of jobs in each state for every job queue. The queues are in a fixed order. */
export function createQueueViews(counts: Readonly<Record<JobKind, JobStateCounts>>): QueueView[] {
  return JOB_KINDS.map((kind) => ({ kind, ...counts[kind] }));
}
