import * as z from 'zod/mini';
import { HIDING_RULE_ID, hidingRuleFields, tryRuleFields } from '../../hiding-rule/fields.ts';
import { registerParameter } from '../component.ts';
import { jsonBody, jsonResponse, defineOperation, POSITION_HEADERS, conditionalRead } from '../operation.ts';
import { hidingRulesResponse, hidingRuleWriteResponse, ruleTrialResponse } from '../schemas/rules.ts';

const common = { tag: 'Admin', access: 'admin' } as const;
const write = { ...common, headers: ['Idempotency-Key'] } as const;
const id = registerParameter('HidingRuleId', {
  schema: z.string().check(z.regex(HIDING_RULE_ID)),
  description: 'Id of a hiding rule.',
  example: '0193a1b2-0000-7000-8000-000000000001',
  errorCode: 'HIDING_RULE_NOT_FOUND',
});
const CONDITIONS = { category: null, phrases: ['wire transfer'], youngerThanDays: 7, minReports: null };
const FIELDS = {
  title: 'Asks for money first',
  ...CONDITIONS,
  rule: 'spam',
  facts: 'The ad asks for money before a meeting.',
};

/**
 * Operations on hiding rules, which hide matching ads automatically. A trial of a rule lists the ads that the rule
 * would have hidden (decision 0042).
 */
export const ruleOperations = [
  defineOperation('listHidingRules', 'GET', '/admin/rules', {
    ...common,
    summary: 'List the hiding rules, the newest first',
    ...conditionalRead(hidingRulesResponse, 'The newest 200.'),
  }),
  defineOperation('draftHidingRule', 'POST', '/admin/rules', {
    ...write,
    summary: 'Create a hiding rule that is switched off',
    body: jsonBody(hidingRuleFields, FIELDS),
    responses: {
      201: jsonResponse(hidingRuleWriteResponse, 'The rule is a draft.', ['Location', ...POSITION_HEADERS]),
    },
    errors: ['REQUIRED_FIELDS'],
  }),
  defineOperation('tryHidingRule', 'POST', '/admin/rules/try', {
    ...common,
    summary: 'List the ads that a rule would have hidden',
    description:
      'Each request examines the history of several hundred accounts. ' +
      'Send `nextCursor` as `cursor` to continue. Nothing is written.',
    body: jsonBody(tryRuleFields, { ...CONDITIONS, cursor: null }),
    responses: {
      200: jsonResponse(ruleTrialResponse, 'The ads of the examined accounts that the rule would have hidden.'),
    },
    errors: ['REQUIRED_FIELDS'],
  }),
  defineOperation('changeHidingRule', 'PUT', '/admin/rules/{id}', {
    ...write,
    summary: 'Change a hiding rule that is switched off',
    pathParameters: { id },
    body: jsonBody(hidingRuleFields, FIELDS),
    responses: { 200: jsonResponse(hidingRuleWriteResponse, 'The rule was changed.', POSITION_HEADERS) },
    errors: ['REQUIRED_FIELDS', 'HIDING_RULE_NOT_FOUND', 'HIDING_RULE_ON'],
  }),
  defineOperation('discardHidingRule', 'DELETE', '/admin/rules/{id}', {
    ...write,
    summary: 'Discard a hiding rule that is switched off',
    pathParameters: { id },
    responses: { 200: jsonResponse(hidingRuleWriteResponse, 'The rule was discarded.', POSITION_HEADERS) },
    errors: ['HIDING_RULE_NOT_FOUND', 'HIDING_RULE_ON'],
  }),
  defineOperation('switchHidingRuleOn', 'POST', '/admin/rules/{id}/on', {
    ...write,
    summary: 'Switch a hiding rule on',
    description:
      'The rule then checks every ad that is posted, changed or reported. ' +
      'A hidden ad waits for a moderator, and its owner receives the reason.',
    pathParameters: { id },
    responses: { 200: jsonResponse(hidingRuleWriteResponse, 'The rule is on.', POSITION_HEADERS) },
    errors: ['HIDING_RULE_NOT_FOUND'],
  }),
  defineOperation('switchHidingRuleOff', 'POST', '/admin/rules/{id}/off', {
    ...write,
    summary: 'Switch a hiding rule off',
    description: 'The ads that it has hidden still wait for a moderator.',
    pathParameters: { id },
    responses: { 200: jsonResponse(hidingRuleWriteResponse, 'The rule is off.', POSITION_HEADERS) },
    errors: ['HIDING_RULE_NOT_FOUND'],
  }),
];
