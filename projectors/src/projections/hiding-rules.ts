import type { DomainEvent } from '@alpenglow/domain';
import { HIDING_RULES } from '@alpenglow/infra';
import { defineProjection } from '../projection.ts';

export const hidingRules = defineProjection(HIDING_RULES)({
  ignoresPersonalFields: true,
  indexes: (table) => [
    `create index on ${table} (created_at desc, rule_id desc)`,
    `create index on ${table} (rule_id) where status = 'on'`,
  ],
  keyOf: (event) =>
    event.type === 'CaseDecided' ? event.data.hidingRuleId : 'ruleId' in event.data ? event.data.ruleId : null,
  on: {
    HidingRuleDrafted: ({ data, meta }) => ({
      rule_id: data.ruleId,
      ...fieldColumns(data),
      status: 'draft',
      created_at: meta.at,
      changed_at: meta.at,
      switched_at: null,
      hidden: 0,
    }),
    HidingRuleChanged: ({ data, meta }, row) => row && { ...row, ...fieldColumns(data), changed_at: meta.at },
    HidingRuleSwitchedOn: ({ meta }, row) => row && { ...row, status: 'on', switched_at: meta.at },
    HidingRuleSwitchedOff: ({ meta }, row) => row && { ...row, status: 'off', switched_at: meta.at },
    HidingRuleDiscarded: () => null,
    CaseDecided: (_event, row) => row && { ...row, hidden: row.hidden + 1 },
  },
});

type Fields = Extract<DomainEvent, { readonly type: 'HidingRuleChanged' }>['data'];

function fieldColumns({ title, category, phrases, youngerThanDays, minReports, rule, facts }: Fields) {
  return { title, category, phrases, younger_than_days: youngerThanDays, min_reports: minReports, rule, facts };
}
