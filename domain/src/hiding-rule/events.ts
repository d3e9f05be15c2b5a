import * as z from 'zod/mini';
import { defineEvent, type EventFromDefinition } from '../event-definition.ts';
import { logged } from '../event-policies.ts';

/**
 * Hiding rules hide matching ads automatically. Operators write the rules. The rules contain no personal data, so no
 * field is encrypted.
 */
const ids = { ruleId: z.string() };

const fields = {
  title: z.string(),
  category: z.nullable(z.string()),
  phrases: z.array(z.string()),
  youngerThanDays: z.nullable(z.number()),
  minReports: z.nullable(z.number()),
  /** The house rule that the hidden ads violate (`moderation/rules.ts`). */
  rule: z.string(),
  /** The facts that the owner of a hidden ad receives as an explanation. */
  facts: z.string(),
};

export const HidingRuleDrafted = defineEvent('HidingRuleDrafted', {
  version: 1,
  ...logged,
  schema: z.object({ ...ids, ...fields }),
});

export const hidingRuleEvents = [
  HidingRuleDrafted,
  /** A hiding rule was changed. The event contains all fields with their new values. */
  defineEvent('HidingRuleChanged', { version: 1, ...logged, schema: z.object({ ...ids, ...fields }) }),
  /** The hiding rule was switched on. From this event on, the rule checks ads that are posted, changed or reported. */
  defineEvent('HidingRuleSwitchedOn', { version: 1, ...logged, schema: z.object(ids) }),
  defineEvent('HidingRuleSwitchedOff', { version: 1, ...logged, schema: z.object(ids) }),
  /** The hiding rule was deleted. Ads that the rule has hidden stay hidden, and its decisions stay unchanged. */
  defineEvent('HidingRuleDiscarded', { version: 1, ...logged, schema: z.object(ids) }),
] as const;
export type HidingRuleEvent = EventFromDefinition<(typeof hidingRuleEvents)[number]>;
