import type { Reactor } from '../run-reactor.ts';

/** Has every report put to its case, what a case is about follow its decisions, and its owner told: a call that breaks off half-way is finished by it. */
export const moderation: Reactor = {
  name: 'reactor-moderation',
  on: {
    ReportFiled: ({ data: { reportId, subject, reason } }) => ({ kind: 'take-report-in', payload: { reportId, subject, reason } }),
    CaseDecided: ({ data: { caseId, decisionId } }) => ({ kind: 'settle-case', payload: { caseId, decisionId, about: 'decision' } }),
    AppealDecided: ({ data: { caseId, decisionId } }) => ({ kind: 'settle-case', payload: { caseId, decisionId, about: 'appeal' } }),
  },
};
