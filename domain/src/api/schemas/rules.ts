import * as z from 'zod/mini';
import { HIDING_RULE_STATUSES } from '../../hiding-rule/fields.ts';
import { CATEGORIES } from '../../listing/categories.ts';
import { HOUSE_RULE_IDS } from '../../moderation/rules.ts';
import { count, done, flag, message, nextCursor, said, time } from './common.ts';

/** A hiding rule: what an ad must be like to be hidden by itself. */
export const hidingRuleView = z.object({
  id: z.string(),
  title: z.string(),
  category: said(z.nullable(z.enum(CATEGORIES)), 'The ad is in this category; null: in any.'),
  phrases: said(z.array(z.string()), 'One of these stands in the ad, in whole words; empty: its words do not matter.'),
  youngerThanDays: said(
    z.nullable(count),
    "The owner's account has been there for fewer days; null: its age does not matter.",
  ),
  minReports: said(
    z.nullable(count),
    "So many reports are about the ad, its pictures or its owner's profile; null: they do not matter.",
  ),
  rule: said(z.enum(HOUSE_RULE_IDS), 'The rule of the house a decision names.'),
  facts: said(z.string(), 'What the owner of a hidden ad reads.'),
  status: z.enum(HIDING_RULE_STATUSES),
  createdAt: time,
  changedAt: time,
  switchedAt: said(z.nullable(time), 'When it was switched on or off last; null of a draft.'),
  hidden: said(count, 'How many ads it has hidden so far.'),
});
export const hidingRulesAnswer = z.object({ success: done, data: z.array(hidingRuleView) });

/** Answer of the calls that write a rule. */
export const hidingRuleWriteAnswer = z.object({ success: done, message, data: z.object({ id: z.string() }) });

/** An ad a rule would have hidden. */
export const ruleHitView = z.object({
  adId: z.string(),
  accountId: z.string(),
  title: said(z.string(), 'As it was at that moment; empty once its owner is erased.'),
  at: said(time, 'The first moment it would have been hidden.'),
  because: said(z.enum(['posted', 'edited', 'reported']), 'What made the rule look at it.'),
  isUp: said(flag, 'Whether it is up now.'),
});

/** Part of a trial. */
export const ruleTrialAnswer = z.object({
  success: done,
  data: z.array(ruleHitView),
  examined: said(count, 'How many accounts were looked at for this answer.'),
  total: said(z.nullable(count), 'How many there are in all; null but in the first answer.'),
  nextCursor,
});
