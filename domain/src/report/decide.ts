import type { Decider } from '../aggregate.ts';
import type { FileReport } from './commands.ts';
import type { ReportEvent } from './events.ts';
import type { ReportState } from './state.ts';

/** Files a report. Idempotent. The reason of the report has consequences, which `moderation/decide.ts` decides. */
export const fileReport: Decider<FileReport, ReportState, ReportEvent> = (
  { reportId, reporterId, ownerId, subject, reason, text, evidence },
  state,
) => {
  return state
    ? []
    : [{ type: 'ReportFiled', data: { reportId, reporterId, ownerId, subject, reason, text, evidence } }];
};
