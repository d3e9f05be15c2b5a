import type { Evidence } from '../moderation/state.ts';
import type { ReportEvent } from './events.ts';
import type { NewReport, ReportReason } from './fields.ts';
import type { ReportState } from './state.ts';

export interface FileReport extends Omit<NewReport, 'reason'> {
  readonly reportId: string;
  readonly reason: ReportReason;
  /** Null for somebody who is not signed in, and of what the product itself reports. */
  readonly reporterId: string | null;
  /** Whose content it is; null of what belongs to the house. */
  readonly ownerId: string | null;
  /** The version they saw. */
  readonly evidence: Evidence;
}

/** Takes a report in, once. What follows from its reason is for what it is about (`moderation/decide.ts`). */
export function fileReport(
  { reportId, reporterId, ownerId, subject, reason, text, evidence }: FileReport,
  state: ReportState,
): readonly ReportEvent[] {
  return state
    ? []
    : [{ type: 'ReportFiled', data: { reportId, reporterId, ownerId, subject, reason, text, evidence } }];
}

/** What whoever reports is told, to ask after it: `R-7KQ2M4XA`. */
export function reportReference(reportId: string): string {
  return `R-${BigInt(`0x${reportId.replaceAll('-', '').slice(-10)}`)
    .toString(36)
    .toUpperCase()
    .padStart(8, '0')}`;
}
