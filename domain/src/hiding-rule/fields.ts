import * as z from 'zod/mini';
import { registerRequestSchema } from '../api/component.ts';
import { CATEGORIES } from '../listing/categories.ts';
import { HOUSE_RULE_IDS } from '../moderation/rules.ts';
import { requiredLine, requiredText } from '../text-fields.ts';

/**
 * Validation rules for the fields of hiding rules. A hiding rule hides matching ads until a moderator has reviewed
 * them.
 */

export const RULE_TITLE_MAX = 80;
export const RULE_FACTS_MAX = 500;
export const RULE_PHRASES_MAX = 20;
const RULE_PHRASE_MAX = 80;
const RULE_AGE_MAX_days = 365;
const RULE_REPORTS_MAX = 100;

/** Matches the id of a hiding rule in URLs. */
export const HIDING_RULE_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/u;

export const HIDING_RULE_STATUSES = ['draft', 'on', 'off'] as const;
export type HidingRuleStatus = (typeof HIDING_RULE_STATUSES)[number];

const NO_CONDITION = 'A rule needs a condition';
const BAD_PHRASE = 'A phrase needs letters or digits';
const BAD_AGE = `The age must be a whole number of days from 1 to ${RULE_AGE_MAX_days}`;
const BAD_REPORTS = `Reports must be a whole number from 1 to ${RULE_REPORTS_MAX}`;
const HAS_WORD = /[\p{L}\p{N}]/u;

const conditions = {
  category: z._default(z.nullable(z.enum(CATEGORIES, 'Please choose a category')), null),
  /** Words or phrases, of which the ad must contain at least one. */
  phrases: z._default(
    z
      .array(
        requiredLine('Phrase', RULE_PHRASE_MAX).check(z.refine((text) => HAS_WORD.test(text), BAD_PHRASE)),
        'Phrases must be a list',
      )
      .check(z.maxLength(RULE_PHRASES_MAX, `Maximum ${RULE_PHRASES_MAX} phrases allowed`)),
    [],
  ),
  youngerThanDays: z._default(
    z.nullable(z.int(BAD_AGE).check(z.minimum(1, BAD_AGE), z.maximum(RULE_AGE_MAX_days, BAD_AGE))),
    null,
  ),
  minReports: z._default(
    z.nullable(z.int(BAD_REPORTS).check(z.minimum(1, BAD_REPORTS), z.maximum(RULE_REPORTS_MAX, BAD_REPORTS))),
    null,
  ),
};

const hasCondition = ({ category, phrases, youngerThanDays, minReports }: RuleConditions) =>
  category !== null || phrases.length > 0 || youngerThanDays !== null || minReports !== null;
const needsCondition = { error: NO_CONDITION, path: ['phrases'] };

/** The conditions of a hiding rule. An ad must meet all conditions that are set. */
export interface RuleConditions {
  readonly category: (typeof CATEGORIES)[number] | null;
  readonly phrases: readonly string[];
  /** The account of the owner must be younger than this number of days. Null means any age. */
  readonly youngerThanDays: number | null;
  /** Minimum number of reports about the ad, its pictures or the profile of its owner. */
  readonly minReports: number | null;
}

/** Request body of `POST /admin/rules` and `PUT /admin/rules/{id}`, which create and change a hiding rule. */
export const hidingRuleFields = registerRequestSchema(
  'HidingRule',
  z
    .object({
      title: requiredLine('Title', RULE_TITLE_MAX, 3),
      ...conditions,
      rule: z.enum(HOUSE_RULE_IDS, 'Please choose the rule'),
      /** The facts that the owner of a hidden ad receives as an explanation. */
      facts: requiredText('Facts', RULE_FACTS_MAX, 3),
    })
    .check(z.refine(hasCondition, needsCondition)),
);
export type HidingRuleFields = z.output<typeof hidingRuleFields>;

/** Matches the cursor of a trial of a hiding rule. The cursor is the id of the last account whose ads were examined. */
const CURSOR = /^[\w-]{1,64}$/u;
const BAD_CURSOR = 'This cursor is invalid';

/** Request body of `POST /admin/rules/try`, which lists the ads that a hiding rule would have hidden. */
export const tryRuleFields = registerRequestSchema(
  'TryRule',
  z
    .object({
      ...conditions,
      cursor: z._default(z.nullable(z.string(BAD_CURSOR).check(z.regex(CURSOR, BAD_CURSOR))), null),
    })
    .check(z.refine(hasCondition, needsCondition)),
);
