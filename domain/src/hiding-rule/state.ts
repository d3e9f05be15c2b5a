import type { Aggregate } from '../aggregate.ts';
import { hidingRuleEvents, type HidingRuleDrafted, type HidingRuleEvent } from './events.ts';
import type { EventFromDefinition } from '../event-definition.ts';
import type { HidingRuleStatus } from './fields.ts';

type Drafted = EventFromDefinition<typeof HidingRuleDrafted>['data'];

/** The current version of a hiding rule. */
export interface HidingRule extends Drafted {
  readonly status: HidingRuleStatus | 'discarded';
}

/** State of a hiding rule. Null before the rule is drafted. */
export type HidingRuleState = HidingRule | null;

function evolve(state: HidingRuleState, { type, data }: HidingRuleEvent): HidingRuleState {
  if (type === 'HidingRuleDrafted') return { ...data, status: 'draft' };
  if (!state) return null;
  switch (type) {
    case 'HidingRuleChanged':
      return { ...state, ...data };
    case 'HidingRuleSwitchedOn':
      return { ...state, status: 'on' };
    case 'HidingRuleSwitchedOff':
      return { ...state, status: 'off' };
    case 'HidingRuleDiscarded':
      return { ...state, status: 'discarded' };
  }
}

export const hidingRule: Aggregate<HidingRuleState, HidingRuleEvent> = {
  name: 'hiding-rule',
  initial: null,
  evolve,
  eventDefinitions: hidingRuleEvents,
};
