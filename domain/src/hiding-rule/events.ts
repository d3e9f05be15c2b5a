import * as z from 'zod/mini';
import { defineEvent, type EventOf } from '../event-definition.ts';

/** Rules that hide ads by themselves. Words of the house about no person, so that nothing is sealed. */
const ofRule = { ruleId: z.string() };

const fields = {
  title: z.string(),
  category: z.nullable(z.string()),
  phrases: z.array(z.string()),
  youngerThanDays: z.nullable(z.number()),
  minReports: z.nullable(z.number()),
  /** A rule of the house (`moderation/rules.ts`). */
  rule: z.string(),
  /** What the owner of a hidden ad reads. */
  facts: z.string(),
};

export const HidingRuleDrafted = defineEvent('HidingRuleDrafted', {
  version: 1,
  schema: z.object({ ...ofRule, ...fields }),
});

/** All fields as they are from here on. */
export const HidingRuleChanged = defineEvent('HidingRuleChanged', {
  version: 1,
  schema: z.object({ ...ofRule, ...fields }),
});

/** From here on ads that are posted, changed or reported are looked at. */
export const HidingRuleSwitchedOn = defineEvent('HidingRuleSwitchedOn', { version: 1, schema: z.object(ofRule) });
export const HidingRuleSwitchedOff = defineEvent('HidingRuleSwitchedOff', { version: 1, schema: z.object(ofRule) });

/** Gone for good. Decisions by it stay as they are. */
export const HidingRuleDiscarded = defineEvent('HidingRuleDiscarded', { version: 1, schema: z.object(ofRule) });

export const hidingRuleEvents = [
  HidingRuleDrafted,
  HidingRuleChanged,
  HidingRuleSwitchedOn,
  HidingRuleSwitchedOff,
  HidingRuleDiscarded,
] as const;
export type HidingRuleEvent = EventOf<(typeof hidingRuleEvents)[number]>;
