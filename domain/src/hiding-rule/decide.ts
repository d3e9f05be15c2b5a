import { DomainError } from '../errors.ts';
import type { HidingRuleEvent } from './events.ts';
import type { HidingRuleFields } from './fields.ts';
import type { HidingRule, HidingRuleState } from './state.ts';

/** Writes a new rule down, switched off. The same one twice is one. */
export function draftHidingRule(
  ruleId: string,
  fields: HidingRuleFields,
  state: HidingRuleState,
): readonly HidingRuleEvent[] {
  return state ? [] : [{ type: 'HidingRuleDrafted', data: { ruleId, ...fields, phrases: [...fields.phrases] } }];
}

/** Changes a rule that is not on: what is on was tried as it is. Refuses with HIDING_RULE_NOT_FOUND, HIDING_RULE_ON. */
export function changeHidingRule(fields: HidingRuleFields, state: HidingRuleState): readonly HidingRuleEvent[] {
  const { ruleId, status, ...known } = ruleThatIsOff(state);
  const next = { ...fields, phrases: [...fields.phrases] };
  const isSame = Object.entries(next).every(
    ([field, value]) => JSON.stringify(value) === JSON.stringify(known[field as keyof typeof known]),
  );
  return isSame ? [] : [{ type: 'HidingRuleChanged', data: { ruleId, ...next } }];
}

/** Refuses with HIDING_RULE_NOT_FOUND. */
export function switchHidingRuleOn(state: HidingRuleState): readonly HidingRuleEvent[] {
  const { ruleId, status } = knownRule(state);
  return status === 'on' ? [] : [{ type: 'HidingRuleSwitchedOn', data: { ruleId } }];
}

/** What it has hidden stays with the moderators. Refuses with HIDING_RULE_NOT_FOUND. */
export function switchHidingRuleOff(state: HidingRuleState): readonly HidingRuleEvent[] {
  const { ruleId, status } = knownRule(state);
  return status === 'on' ? [{ type: 'HidingRuleSwitchedOff', data: { ruleId } }] : [];
}

/** Refuses with HIDING_RULE_NOT_FOUND, HIDING_RULE_ON. */
export function discardHidingRule(state: HidingRuleState): readonly HidingRuleEvent[] {
  return [{ type: 'HidingRuleDiscarded', data: { ruleId: ruleThatIsOff(state).ruleId } }];
}

function knownRule(state: HidingRuleState): HidingRule {
  if (!state || state.status === 'discarded') throw new DomainError('HIDING_RULE_NOT_FOUND');
  return state;
}

function ruleThatIsOff(state: HidingRuleState): HidingRule {
  const found = knownRule(state);
  if (found.status === 'on') throw new DomainError('HIDING_RULE_ON');
  return found;
}
