import type { DomainEvent } from '@alpenglow/domain';
import { describe, expect, test } from 'vitest';
import { hidingRules as projection } from '../src/projections/hiding-rules.ts';
import type { Projection } from '../src/projection.ts';
import { STARTED_AT, minutesLater, project } from './project.ts';
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
const ruleDrafted: DomainEvent = { type: 'HidingRuleDrafted', data: { ruleId: 'r', ...FIELDS } };
const ruleSwitchedOn: DomainEvent = { type: 'HidingRuleSwitchedOn', data: { ruleId: 'r' } };
const ruleSwitchedOff: DomainEvent = { type: 'HidingRuleSwitchedOff', data: { ruleId: 'r' } };

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
  created_at: STARTED_AT,
  changed_at: STARTED_AT,
  switched_at: null,
  hidden: 0,
};

describe('hiding_rules', () => {
  test('HidingRuleDrafted creates a rule that is not active', () => {
    expect(project(hidingRules, ruleDrafted)).toEqual({ r: row });
  });

  test('HidingRuleChanged replaces the fields and sets the time of the change', () => {
    const changed: DomainEvent = {
      type: 'HidingRuleChanged',
      data: { ruleId: 'r', ...FIELDS, category: null, phrases: [], minReports: null },
    };
    expect(project(hidingRules, ruleDrafted, changed)).toEqual({
      r: { ...row, category: null, phrases: [], min_reports: null, changed_at: minutesLater(1) },
    });
  });

  test('HidingRuleSwitchedOn and HidingRuleSwitchedOff set status and time', () => {
    expect(project(hidingRules, ruleDrafted, ruleSwitchedOn)).toEqual({
      r: { ...row, status: 'on', switched_at: minutesLater(1) },
    });
    expect(project(hidingRules, ruleDrafted, ruleSwitchedOn, ruleSwitchedOff)).toEqual({
      r: { ...row, status: 'off', switched_at: minutesLater(2) },
    });
  });

  test('CaseDecided increments the hidden ads of its rule; decisions of moderators count for no rule', () => {
    const caseDecided = (hidingRuleId: string | null): DomainEvent => ({
      ...SAMPLES.CaseDecided,
      data: { ...SAMPLES.CaseDecided.data, hidingRuleId },
    });
    expect(project(hidingRules, ruleDrafted, caseDecided('r'), caseDecided(null), caseDecided('other'))).toEqual({
      r: { ...row, hidden: 1 },
    });
  });

  test('HidingRuleDiscarded removes the rule, and later events do not create it', () => {
    expect(project(hidingRules, ruleDrafted, { type: 'HidingRuleDiscarded', data: { ruleId: 'r' } })).toEqual({});
    expect(project(hidingRules, ruleSwitchedOn)).toEqual({});
  });
});
