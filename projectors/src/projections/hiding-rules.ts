import { defineProjection } from '../projection.ts';

/** Hiding rules as they stand, but for discarded ones. */
export type HidingRuleRow = {
  readonly rule_id: string;
  readonly title: string;
  readonly category: string | null;
  readonly phrases: readonly string[];
  readonly younger_than_days: number | null;
  readonly min_reports: number | null;
  readonly rule: string;
  readonly facts: string;
  readonly status: string;
  readonly created_at: string;
  readonly changed_at: string;
  /** When it was switched on or off last; null of a draft. */
  readonly switched_at: string | null;
  /** How many ads it has hidden. */
  readonly hidden: number;
};

export const hidingRules = defineProjection<HidingRuleRow>({
  name: 'hiding_rules',
  version: 1,
  columns: {
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
    switched_at: 'timestamptz',
    hidden: 'integer not null',
  },
  indexes: (table) => [
    `create index on ${table} (created_at desc, rule_id desc)`,
    `create index on ${table} (rule_id) where status = 'on'`,
  ],
  keyOf: (event) =>
    event.type === 'CaseDecided' ? event.data.hidingRuleId : 'ruleId' in event.data ? event.data.ruleId : null,
  on: {
    HidingRuleDrafted: ({
      data: { ruleId, title, category, phrases, youngerThanDays, minReports, rule, facts },
      meta,
    }) => ({
      rule_id: ruleId,
      title,
      category,
      phrases,
      younger_than_days: youngerThanDays,
      min_reports: minReports,
      rule,
      facts,
      status: 'draft',
      created_at: meta.at,
      changed_at: meta.at,
      switched_at: null,
      hidden: 0,
    }),
    HidingRuleChanged: ({ data: { title, category, phrases, youngerThanDays, minReports, rule, facts }, meta }, row) =>
      row && {
        ...row,
        title,
        category,
        phrases,
        younger_than_days: youngerThanDays,
        min_reports: minReports,
        rule,
        facts,
        changed_at: meta.at,
      },
    HidingRuleSwitchedOn: ({ meta }, row) => row && { ...row, status: 'on', switched_at: meta.at },
    HidingRuleSwitchedOff: ({ meta }, row) => row && { ...row, status: 'off', switched_at: meta.at },
    HidingRuleDiscarded: () => null,
    CaseDecided: (_event, row) => row && { ...row, hidden: row.hidden + 1 },
  },
});
