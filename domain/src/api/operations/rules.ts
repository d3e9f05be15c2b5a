import * as z from 'zod/mini';
import { HIDING_RULE_ID, hidingRuleFields, tryRuleFields } from '../../hiding-rule/fields.ts';
import { body, json, operation, POSITION, readable, type Operation, type Parameter } from '../operation.ts';
import { hidingRulesAnswer, hidingRuleWriteAnswer, ruleTrialAnswer } from '../schemas/rules.ts';

const of = { tag: 'Admin', access: 'admin' } as const;
const id: Parameter = {
  schema: z.string().check(z.regex(HIDING_RULE_ID)),
  words: 'Id of a hiding rule.',
  example: '0193a1b2-0000-7000-8000-000000000001',
};
const CONDITIONS = { category: null, phrases: ['wire transfer'], youngerThanDays: 7, minReports: null };
const FIELDS = {
  title: 'Asks for money first',
  ...CONDITIONS,
  rule: 'spam',
  facts: 'The ad asks for money before a meeting.',
};
const KEY = ['Idempotency-Key'] as const;

/** Rules that hide ads by themselves, and what they would have hidden (decision 0042). */
export const ruleOperations: readonly Operation[] = [
  operation({
    ...of,
    method: 'GET',
    path: '/admin/rules',
    id: 'listHidingRules',
    summary: 'List the hiding rules, the newest first',
    headers: ['If-None-Match', 'X-Wait-Position'],
    answers: readable(hidingRulesAnswer, 'The newest 200.'),
  }),
  operation({
    ...of,
    method: 'POST',
    path: '/admin/rules',
    id: 'draftHidingRule',
    summary: 'Write a hiding rule down, switched off',
    headers: KEY,
    body: body(hidingRuleFields, FIELDS),
    answers: { 201: json(hidingRuleWriteAnswer, 'It is a draft.', ['Location', ...POSITION]) },
    errors: ['REQUIRED_FIELDS'],
  }),
  operation({
    ...of,
    method: 'POST',
    path: '/admin/rules/try',
    id: 'tryHidingRule',
    summary: 'See what a rule would have hidden, had it always been on',
    description:
      'Goes through the histories of some hundred accounts a call; ask again with `nextCursor` as `cursor` for the others. Nothing is written.',
    body: body(tryRuleFields, { ...CONDITIONS, cursor: null }),
    answers: { 200: json(ruleTrialAnswer, 'What it would have hidden of the accounts looked at.') },
    errors: ['REQUIRED_FIELDS'],
  }),
  operation({
    ...of,
    method: 'PUT',
    path: '/admin/rules/{id}',
    id: 'changeHidingRule',
    summary: 'Change a hiding rule that is not on',
    pathParameters: { id },
    headers: KEY,
    body: body(hidingRuleFields, FIELDS),
    answers: { 200: json(hidingRuleWriteAnswer, 'It is changed.', POSITION) },
    errors: ['REQUIRED_FIELDS', 'HIDING_RULE_NOT_FOUND', 'HIDING_RULE_ON'],
  }),
  operation({
    ...of,
    method: 'DELETE',
    path: '/admin/rules/{id}',
    id: 'discardHidingRule',
    summary: 'Throw away a hiding rule that is not on',
    pathParameters: { id },
    headers: KEY,
    answers: { 200: json(hidingRuleWriteAnswer, 'It is gone.', POSITION) },
    errors: ['HIDING_RULE_NOT_FOUND', 'HIDING_RULE_ON'],
  }),
  operation({
    ...of,
    method: 'POST',
    path: '/admin/rules/{id}/on',
    id: 'switchHidingRuleOn',
    summary: 'Have a rule look at every ad that is posted, changed or reported from now on',
    description: 'What it hides waits for a moderator, and its owner reads why.',
    pathParameters: { id },
    headers: KEY,
    answers: { 200: json(hidingRuleWriteAnswer, 'It is on.', POSITION) },
    errors: ['HIDING_RULE_NOT_FOUND'],
  }),
  operation({
    ...of,
    method: 'POST',
    path: '/admin/rules/{id}/off',
    id: 'switchHidingRuleOff',
    summary: 'Switch a hiding rule off',
    description: 'What it has hidden stays with the moderators.',
    pathParameters: { id },
    headers: KEY,
    answers: { 200: json(hidingRuleWriteAnswer, 'It is off.', POSITION) },
    errors: ['HIDING_RULE_NOT_FOUND'],
  }),
];
