import { HOUSE_OWNER } from '@alpenglow/domain';
import type { Reactor } from '../run-reactor.ts';

/** Has every report put to its case, what a case is about follow its decisions, and its owner told: a call that breaks off half-way is finished by it. */
export const moderation: Reactor = {
  name: 'reactor-moderation',
  on: {
    // A report by the product itself, with the event's id, which nobody is told: whoever can name a report can ask after it. Pictures of the house are nobody's.
    MediaRejected: ({ id, data: { code, ownerId } }) =>
      code === 'PHOTO_NOT_USABLE' && ownerId !== HOUSE_OWNER
        ? {
            kind: 'take-report-in',
            payload: { reportId: id, subject: { kind: 'account', id: ownerId }, reason: 'known_image' },
          }
        : null,
    ReportFiled: ({ data: { reportId, subject, reason } }) => ({
      kind: 'take-report-in',
      payload: { reportId, subject, reason },
    }),
    CaseDecided: ({ data: { caseId, decisionId } }) => ({
      kind: 'settle-case',
      payload: { caseId, decisionId, about: 'decision' },
    }),
    AppealDecided: ({ data: { caseId, decisionId } }) => ({
      kind: 'settle-case',
      payload: { caseId, decisionId, about: 'appeal' },
    }),
  },
};
