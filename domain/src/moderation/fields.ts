import * as z from 'zod/mini';
import { requiredText } from '../text-fields.ts';
import { HOUSE_RULE_IDS } from './rules.ts';

/** Field rules of what moderators and the people they decide about write. */

export const FACTS_MAX = 2_000;
export const FACTS_MIN = 3;
export const APPEAL_TEXT_MAX = 2_000;

/** A claim ends by itself, so that a moderator who was called away blocks nobody. */
export const CLAIM_LIFETIME_ms = 30 * 60_000;
/** For so long a decision can be appealed against. */
export const APPEAL_WINDOW_ms = 30 * 24 * 60 * 60_000;

/** A case's id as it stands in addresses. */
export const CASE_ID = /^(?:ad|media|account|thread|post|article)-[\w-]{1,100}$/u;

/** A decision's id as it stands in addresses. */
export const DECISION_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/u;

/** The lists of the queue. */
export const CASE_STATES = ['open', 'mine', 'appeals', 'decided'] as const;
export type CaseListState = (typeof CASE_STATES)[number];

export const CASE_PRIORITIES = ['high', 'normal'] as const;
export type CasePriority = (typeof CASE_PRIORITIES)[number];

/** What a moderator may decide. `removed` hides for good; `account_closed` ends the account with everything of it. */
export const OUTCOMES = ['kept', 'hidden', 'removed', 'account_closed'] as const;
export type Outcome = (typeof OUTCOMES)[number];

export const APPEAL_OUTCOMES = ['upheld', 'overturned'] as const;
export type AppealOutcome = (typeof APPEAL_OUTCOMES)[number];

/** What the poster reads as the facts the decision rests on. */
const facts = requiredText('Facts', FACTS_MAX, FACTS_MIN);

/** `POST /admin/moderation/cases/{id}/decide`. */
export const decideCaseFields = z.object({
  outcome: z.enum(OUTCOMES, 'Please choose what happens'),
  rule: z.enum(HOUSE_RULE_IDS, 'Please choose the rule'),
  facts,
});
export type DecideCaseFields = z.output<typeof decideCaseFields>;

/** `POST /admin/moderation/cases/{id}/appeal`. */
export const decideAppealFields = z.object({ outcome: z.enum(APPEAL_OUTCOMES, 'Please choose what happens'), facts });
export type DecideAppealFields = z.output<typeof decideAppealFields>;

/** `POST /account/decisions/{id}/appeal`. */
export const appealFields = z.object({ text: requiredText('Text', APPEAL_TEXT_MAX, FACTS_MIN) });
