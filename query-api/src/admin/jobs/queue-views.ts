import type { JobKind, JobStateCounts, QueueView } from '@alpenglow/domain';
import { JOB_KINDS } from '@alpenglow/infra';

/** Returns the job counts of each queue, in a fixed order. */
export function createQueueViews(counts: Readonly<Record<JobKind, JobStateCounts>>): QueueView[] {
  return JOB_KINDS.map((kind) => ({ kind, ...counts[kind] }));
}
