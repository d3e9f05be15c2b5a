import { expect, test } from 'vitest';
import { mergeRuleDraft, NEW_RULE, toRuleDraft } from '../src/rules/rule-values.ts';

test('the draft of a hiding rule has all texts, and an unchanged form has no draft', () => {
  expect(toRuleDraft(NEW_RULE, { ...NEW_RULE, isTrial: true })).toEqual({});
  const typed = { ...NEW_RULE, phrases: 'wire transfer', facts: 'Asks for money' };
  const draft = toRuleDraft(NEW_RULE, typed);
  expect(mergeRuleDraft(NEW_RULE, draft)).toEqual(typed);
  expect(mergeRuleDraft(NEW_RULE, { isTrial: 'yes', unknown: 'x', title: 'Money' })).toEqual({
    ...NEW_RULE,
    title: 'Money',
  });
});
