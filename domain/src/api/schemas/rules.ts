import * as z from 'zod/mini';
import { registerView } from '../component.ts';
import { HIDING_RULE_STATUSES } from '../../hiding-rule/fields.ts';
import {
  count,
  booleanFlag,
  message,
  nextCursor,
  described,
  timestamp,
  category,
  houseRule,
  registerSuccess,
} from './common.ts';

/** A hiding rule: the conditions under which an ad is hidden automatically. */
export const hidingRuleView = registerView('HidingRuleView', {
  id: z.string(),
  title: z.string(),
  category: described(z.nullable(category), 'The category of the ad. Null for any category.'),
  phrases: described(
    z.array(z.string()),
    'The ad contains one of these phrases in whole words. Empty if the text does not matter.',
  ),
  youngerThanDays: described(
    z.nullable(count),
    'The account of the owner is younger than this. Null if its age does not matter.',
  ),
  minReports: described(
    z.nullable(count),
    'Minimum number of reports about the ad, its pictures or the profile of its owner. Null for any number.',
  ),
  rule: described(houseRule, 'The house rule that a decision names.'),
  facts: described(z.string(), 'The text for the owner of a hidden ad.'),
  status: z.enum(HIDING_RULE_STATUSES),
  createdAt: timestamp,
  changedAt: timestamp,
  switchedAt: described(z.nullable(timestamp), 'When the rule was last switched on or off. Null for a draft.'),
  hidden: described(count, 'Number of ads that the rule has hidden.'),
});
export const hidingRulesResponse = registerSuccess('HidingRulesAnswer', { data: z.array(hidingRuleView) });

/** Response of the operations that write a hiding rule. */
export const hidingRuleWriteResponse = registerSuccess('HidingRuleWriteAnswer', {
  message,
  data: z.object({ id: z.string() }),
});

/** An ad that a hiding rule would have hidden, as found by a trial of the rule. */
export const ruleTrialHitView = registerView('RuleHitView', {
  adId: z.string(),
  accountId: z.string(),
  title: described(z.string(), 'The title at that moment. Empty if the owner is erased.'),
  name: described(z.string(), 'The name of the owner in the ad at that moment. Empty if the owner is erased.'),
  state: described(z.string(), 'Two letters, e.g. `NV`.'),
  city: z.string(),
  at: described(timestamp, 'The first moment at which the rule would have hidden the ad.'),
  because: described(z.enum(['posted', 'edited', 'reported']), 'The cause of the check.'),
  isUp: described(booleanFlag, 'Whether the ad is online now.'),
});

/** Response with one page of the ads that a hiding rule would have hidden. */
export const ruleTrialResponse = registerSuccess('RuleTrialAnswer', {
  data: z.array(ruleTrialHitView),
  examined: described(count, 'Number of accounts examined for this response.'),
  total: described(z.nullable(count), 'Total number of accounts. Null except in the first response.'),
  nextCursor,
});
