import type { JobKind, JobStateCounts, QueueView } from '@alpenglow/domain';
import { JOB_KINDS } from '@alpenglow/infra';

/** How full each queue is, always in the same order. */
export function queueViews(counts: Readonly<Record<JobKind, JobStateCounts>>): QueueView[] {
  return JOB_KINDS.map((kind) => ({ kind, ...counts[kind] }));
}
