import { isHidingOutcome } from '@alpenglow/domain';
import { MODERATION_CASES } from '@alpenglow/infra';
import { defineProjection } from '../projection.ts';

export const moderationCases = defineProjection(MODERATION_CASES)({
  indexes: (table) => [
    `create index on ${table} (is_urgent desc, opened_at, case_id) where is_open`,
    `create index on ${table} (appealed_at, case_id) where appealed_at is not null`,
    `create index on ${table} (decided_at desc, case_id desc) where decided_at is not null`,
    `create index on ${table} (owner_id)`,
    `create index on ${table} (claimed_by) where claimed_by is not null`,
  ],
  // Some events of ads also have a `caseId`, which is the id of the moderation case that hides the ad. These events do
  // not change the case, so they are excluded.
  keyOf: (event) => ('caseId' in event.data && !('adId' in event.data) ? event.data.caseId : null),
  on: {
    CaseOpened: ({ data, meta }, row) => ({
      case_id: data.caseId,
      kind: data.subject.kind,
      subject_id: data.subject.id,
      owner_id: data.ownerId,
      round: data.round,
      opened_at: meta.at,
      is_open: true,
      is_urgent: false,
      reasons: {},
      report_count: 0,
      last_report_at: null,
      evidence: data.evidence,
      claimed_by: null,
      claimed_at: null,
      is_holding: row?.is_holding ?? false,
      decision: row?.decision ?? null,
      decided_at: row?.decided_at ?? null,
      appealed_at: row?.appealed_at ?? null,
    }),
    CaseReportAdded: ({ data, meta }, row) =>
      row && {
        ...row,
        is_urgent: row.is_urgent || data.priority === 'high',
        reasons: { ...row.reasons, [data.reason]: (row.reasons[data.reason] ?? 0) + 1 },
        report_count: row.report_count + 1,
        last_report_at: meta.at,
      },
    CaseClaimed: ({ data, meta }, row) => row && { ...row, claimed_by: data.moderatorId, claimed_at: meta.at },
    CaseReleased: (_event, row) => row && { ...row, ...UNCLAIMED },
    CaseDecided: ({ data, meta }, row) => {
      if (!row) return null;
      const { decisionId: id, outcome, rule, isAutomated, moderatorId: by, evidence } = data;
      const decided = {
        ...row,
        is_holding: isHidingOutcome(outcome),
        decision: { id, outcome, rule, isAutomated, by, at: meta.at, evidence },
      };
      return isAutomated ? decided : { ...decided, ...UNCLAIMED, is_open: false, decided_at: meta.at };
    },
    AppealFiled: ({ meta }, row) => row && { ...row, ...UNCLAIMED, appealed_at: meta.at },
    AppealDecided: ({ data, meta }, row) =>
      row && {
        ...row,
        ...UNCLAIMED,
        appealed_at: null,
        decided_at: meta.at,
        // An appeal against an earlier decision does not change a newer decision.
        is_holding: row.is_holding && (data.outcome === 'upheld' || data.decisionId !== row.decision?.id),
      },
  },
});

const UNCLAIMED = { claimed_by: null, claimed_at: null } as const;
