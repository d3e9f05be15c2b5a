import type { DomainEvent } from '@alpenglow/domain';
import { describe, expect, test } from 'vitest';
import { hidingRules as projection } from '../src/projections/hiding-rules.ts';
import type { Projection } from '../src/projection.ts';
import { AT, minutesLater, project } from './given.ts';
import { SAMPLES } from './samples.ts';

const hidingRules = projection as unknown as Projection;
const FIELDS = {
  title: 'Copied words',
  category: 'escort',
  phrases: ['hot stone'],
  youngerThanDays: 7,
  minReports: 2,
  rule: 'spam',
  facts: 'Copied from elsewhere.',
};
const drafted: DomainEvent = { type: 'HidingRuleDrafted', data: { ruleId: 'r', ...FIELDS } };
const on: DomainEvent = { type: 'HidingRuleSwitchedOn', data: { ruleId: 'r' } };
const off: DomainEvent = { type: 'HidingRuleSwitchedOff', data: { ruleId: 'r' } };

const row = {
  rule_id: 'r',
  title: 'Copied words',
  category: 'escort',
  phrases: ['hot stone'],
  younger_than_days: 7,
  min_reports: 2,
  rule: 'spam',
  facts: 'Copied from elsewhere.',
  status: 'draft',
  created_at: AT,
  changed_at: AT,
  switched_at: null,
  hidden: 0,
};

describe('hiding_rules', () => {
  test('HidingRuleDrafted: a rule that is not on yet', () => {
    expect(project(hidingRules, drafted)).toEqual({ r: row });
  });

  test('HidingRuleChanged: what it says, and when', () => {
    const changed: DomainEvent = {
      type: 'HidingRuleChanged',
      data: { ruleId: 'r', ...FIELDS, category: null, phrases: [], minReports: null },
    };
    expect(project(hidingRules, drafted, changed)).toEqual({
      r: { ...row, category: null, phrases: [], min_reports: null, changed_at: minutesLater(1) },
    });
  });

  test('HidingRuleSwitchedOn, HidingRuleSwitchedOff', () => {
    expect(project(hidingRules, drafted, on)).toEqual({ r: { ...row, status: 'on', switched_at: minutesLater(1) } });
    expect(project(hidingRules, drafted, on, off)).toEqual({
      r: { ...row, status: 'off', switched_at: minutesLater(2) },
    });
  });

  test('CaseDecided: one more that it has hidden; decisions of moderators are none of it', () => {
    const decided = (hidingRuleId: string | null): DomainEvent => ({
      ...SAMPLES.CaseDecided,
      data: { ...SAMPLES.CaseDecided.data, hidingRuleId },
    });
    expect(project(hidingRules, drafted, decided('r'), decided(null), decided('other'))).toEqual({
      r: { ...row, hidden: 1 },
    });
  });

  test('HidingRuleDiscarded: it is gone', () => {
    expect(project(hidingRules, drafted, { type: 'HidingRuleDiscarded', data: { ruleId: 'r' } })).toEqual({});
    expect(project(hidingRules, on)).toEqual({});
  });
});
