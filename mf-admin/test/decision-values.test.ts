import { expect, test } from 'vitest';
import { errorMessage, type HouseRule, type Outcome } from '@alpenglow/domain/contracts';
import { findRuleProblem, validateDecision } from '../src/moderation/decision-values.ts';

const validate = (outcome: Outcome, rule: HouseRule) =>
  validateDecision({ outcome, rule, facts: 'The second line.' }, { photoId: 'p1' });

test('an outcome that leaves content online is rejected under a rule that protects a person', () => {
  const problem = errorMessage('RULE_HIDES_CONTENT');
  for (const rule of ['under_age', 'forced'] as const)
    for (const outcome of ['warned', 'change_requested', 'photo_removed'] as const) {
      expect(findRuleProblem(outcome, rule)).toBe(problem);
      expect(validate(outcome, rule)).toMatchObject({
        success: false,
        error: { issues: [{ path: ['rule'], message: problem }] },
      });
    }
});

test('other outcomes and other rules can be confirmed', () => {
  for (const outcome of ['kept', 'hidden', 'removed', 'account_closed'] as const)
    expect(validate(outcome, 'under_age')).toMatchObject({ success: true, data: { outcome, rule: 'under_age' } });
  expect(validate('warned', 'spam')).toMatchObject({ success: true });
  expect(findRuleProblem(null, 'under_age')).toBeNull();
});

test('an incomplete decision has the errors of its fields', () => {
  const { success } = validateDecision({ outcome: null, rule: 'under_age', facts: '' }, {});
  expect(success).toBe(false);
});
