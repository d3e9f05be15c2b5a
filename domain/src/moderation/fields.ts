import * as z from 'zod/mini';
import { registerBody } from '../api/component.ts';
import { requiredText } from '../text-fields.ts';
import { HOUSE_RULE_IDS } from './rules.ts';

/** Validation rules for moderation decisions and for appeals against them. */

export const FACTS_MAX = 2_000;
const FACTS_MIN = 3;
export const APPEAL_TEXT_MAX = 2_000;

/**
 * Duration of a moderator's claim to a moderation case. A claim expires, so that an absent moderator does not block the
 * case.
 */
export const CLAIM_LIFETIME_ms = 30 * 60_000;
/**
 * The last part of the lifetime of a claim. The moderator who has claimed the case can renew the claim in this time. An
 * earlier request changes nothing, so that a moderator causes only a few events in an hour.
 */
export const CLAIM_RENEWAL_ms = 10 * 60_000;
/** Time in which an appeal against a moderation decision is possible. */
export const APPEAL_WINDOW_ms = 30 * 24 * 60 * 60_000;

/** The pattern for the id of a moderation decision in URLs. */
export const DECISION_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/u;

/** The lists of moderation cases that a moderator can select. */
export const CASE_LISTS = ['open', 'mine', 'appeals', 'decided'] as const;
export type CaseList = (typeof CASE_LISTS)[number];

export const CASE_PRIORITIES = ['high', 'normal'] as const;
export type CasePriority = (typeof CASE_PRIORITIES)[number];

/**
 * The outcomes of a moderation decision. `removed` hides the content permanently. `account_closed` closes the account
 * with all its content.
 */
export const OUTCOMES = ['kept', 'hidden', 'removed', 'account_closed'] as const;
export type Outcome = (typeof OUTCOMES)[number];

export const APPEAL_OUTCOMES = ['upheld', 'overturned'] as const;
export type AppealOutcome = (typeof APPEAL_OUTCOMES)[number];

/** The facts that a moderation decision is based on. The poster of the content reads this text. */
const facts = requiredText('Facts', FACTS_MAX, FACTS_MIN);

/**
 * The version of the content that the moderator has read (`now.revision` of the case). It is needed to show content
 * again that has changed since the version that the case is about.
 */
const revision = z.optional(z.int('Please reload the case').check(z.nonnegative('Please reload the case')));

/** Request body of `POST /admin/moderation/cases/{id}/decide`. */
export const decideCaseFields = registerBody('DecideCase', {
  outcome: z.enum(OUTCOMES, 'Please choose an outcome'),
  rule: z.enum(HOUSE_RULE_IDS, 'Please choose the rule'),
  facts,
  revision,
});
export type DecideCaseFields = z.output<typeof decideCaseFields>;

/** The maximum number of cases in one request of an admin who restores reported content. */
export const RESTORED_CASES_MAX = 100;
const NO_CASES = 'Please choose one to a hundred cases';

/** Request body of `POST /admin/moderation/restore`. */
export const restoreCasesFields = registerBody('RestoreCases', {
  caseIds: z
    .array(z.string(NO_CASES).check(z.maxLength(200, NO_CASES)), NO_CASES)
    .check(z.minLength(1, NO_CASES), z.maxLength(RESTORED_CASES_MAX, NO_CASES)),
  facts,
});
export type RestoreCasesFields = z.output<typeof restoreCasesFields>;

/** Request body of `POST /admin/moderation/cases/{id}/appeal`. */
export const decideAppealFields = registerBody('DecideAppeal', {
  outcome: z.enum(APPEAL_OUTCOMES, 'Please choose an outcome'),
  facts,
  revision,
});
export type DecideAppealFields = z.output<typeof decideAppealFields>;

/** Request body of `POST /account/decisions/{id}/appeal`. */
export const appealFields = registerBody('NewAppeal', { text: requiredText('Text', APPEAL_TEXT_MAX, FACTS_MIN) });
