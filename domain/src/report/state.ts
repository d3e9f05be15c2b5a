import type { Aggregate } from '../aggregate.ts';
import { reportEvents, type ReportEvent } from './events.ts';

/** State of a report. Null before the report is filed. */
export type ReportState = { readonly reportId: string } | null;

export const report: Aggregate<ReportState, ReportEvent> = {
  name: 'report',
  initial: null,
  evolve: (_state, { data: { reportId } }) => ({ reportId }),
  eventDefinitions: reportEvents,
};

/** Returns the reference with which a reporter can request the status of a report, e.g. `R-7KQ2M4XA`. */
export function reportReference(reportId: string): string {
  return `R-${BigInt(`0x${reportId.replaceAll('-', '').slice(-10)}`)
    .toString(36)
    .toUpperCase()
    .padStart(8, '0')}`;
}
