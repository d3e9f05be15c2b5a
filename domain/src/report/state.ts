import type { Aggregate } from '../aggregate.ts';
import { reportEvents, type ReportEvent } from './events.ts';

/** Null until it is filed. */
export type ReportState = { readonly reportId: string } | null;

export const report: Aggregate<ReportState, ReportEvent> = {
  name: 'report',
  initial: null,
  evolve: (_state, { data: { reportId } }) => ({ reportId }),
  definitions: reportEvents,
};
