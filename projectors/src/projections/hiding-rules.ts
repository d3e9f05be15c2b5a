import type { DomainEvent } from '@alpenglow/domain';
import { declaredReadModel } from '@alpenglow/infra';
import { defineProjection, type RowOf } from '../projection.ts';

const columns = {
  rule_id: 'text primary key',
  title: 'text not null',
  category: 'text',
  phrases: 'jsonb not null',
  younger_than_days: 'integer',
  min_reports: 'integer',
  rule: 'text not null',
  facts: 'text not null',
  status: 'text not null',
  created_at: 'timestamptz not null',
  changed_at: 'timestamptz not null',
  /** The time at which the rule was last switched on or off. Null for a draft. */
  switched_at: 'timestamptz',
  /** The number of ads that the rule has hidden. */
  hidden: 'integer not null',
} as const;

/** The current state of a hiding rule, which hides matching ads automatically. Discarded rules have no row. */
export type HidingRuleRow = RowOf<typeof columns, { readonly phrases: readonly string[] }>;

export const hidingRules = defineProjection<HidingRuleRow>({
  ...declaredReadModel('hiding_rules'),
  columns,
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
