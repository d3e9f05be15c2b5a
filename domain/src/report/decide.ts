import type { Decider } from '../aggregate.ts';
import type { FileReport } from './commands.ts';
import type { ReportEvent } from './events.ts';
import type { ReportState } from './state.ts';
import { FULL_WEIGHT } from './weight.ts';

/**
 * Files a report about content. Idempotent. A separate step, `moderation/decide.ts`, decides whether the report hides
 * the content.
 */
export const fileReport: Decider<FileReport, ReportState, ReportEvent> = (
  { reportId, reporterId, ownerId, subject, reason, text, evidence, weight = FULL_WEIGHT },
  state,
) => {
  return state
    ? []
    : [
        {
          type: 'ReportFiled',
          data: {
            reportId,
            reporterId,
            ownerId,
            subject,
            reason,
            text,
            evidence,
            ...(weight < FULL_WEIGHT && { weight }),
          },
        },
      ];
};
