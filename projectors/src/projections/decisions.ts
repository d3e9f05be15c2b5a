import { changeByAfterAppeal } from '@alpenglow/domain';
import { DECISIONS } from '@alpenglow/infra';
import { defineProjection } from '../projection.ts';

export const decisions = defineProjection(DECISIONS)({
  indexes: (table) => [
    `create index on ${table} (owner_id, decided_at desc, decision_id desc)`,
    `create index on ${table} (case_id, decided_at desc)`,
    `create index on ${table} (change_by) where outcome = 'change_requested'`,
  ],
  keyOf: (event) =>
    event.type === 'CaseDecided' || event.type === 'AppealFiled' || event.type === 'AppealDecided'
      ? event.data.decisionId
      : null,
  on: {
    CaseDecided: ({ id, data, meta }) => ({
      decision_id: data.decisionId,
      event_id: id,
      case_id: data.caseId,
      kind: data.subject.kind,
      subject_id: data.subject.id,
      owner_id: data.ownerId,
      moderator_id: data.moderatorId,
      outcome: data.outcome,
      rule: data.rule,
      facts: data.facts,
      is_automated: data.isAutomated,
      hiding_rule_id: data.hidingRuleId,
      was_hidden: data.wasHidden,
      evidence: data.evidence,
      decided_at: meta.at,
      appeal_text: null,
      appealed_at: null,
      appeal_outcome: null,
      appeal_facts: null,
      appeal_moderator_id: null,
      appeal_decided_at: null,
      change_by: data.changeBy ?? null,
    }),
    AppealFiled: ({ data, meta }, row) => row && { ...row, appeal_text: data.text, appealed_at: meta.at },
    AppealDecided: ({ data, meta }, row) =>
      row && {
        ...row,
        appeal_outcome: data.outcome,
        appeal_facts: data.facts,
        appeal_moderator_id: data.moderatorId,
        appeal_decided_at: meta.at,
        change_by:
          data.outcome === 'upheld'
            ? (changeByAfterAppeal(row.change_by ?? undefined, data.filedAt, meta.at) ?? null)
            : row.change_by,
      },
  },
});
