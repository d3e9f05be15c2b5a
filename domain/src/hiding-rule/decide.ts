import type { Decider, EmptyCommand } from '../aggregate.ts';
import { DomainError } from '../error-catalogue.ts';
import type { ChangeHidingRule, DraftHidingRule } from './commands.ts';
import type { HidingRuleEvent } from './events.ts';
import type { HidingRule, HidingRuleState } from './state.ts';

/** Creates a hiding rule that is switched off. Idempotent. */
export const draftHidingRule: Decider<DraftHidingRule, HidingRuleState, HidingRuleEvent> = (
  { ruleId, fields },
  state,
) => {
  return state ? [] : [{ type: 'HidingRuleDrafted', data: { ruleId, ...fields, phrases: [...fields.phrases] } }];
};

/**
 * Changes a hiding rule that is switched off. A rule that is on cannot be changed, because its conditions would then
 * differ from the conditions that were tried. Throws HIDING_RULE_NOT_FOUND and HIDING_RULE_ON.
 */
export const changeHidingRule: Decider<ChangeHidingRule, HidingRuleState, HidingRuleEvent> = ({ fields }, state) => {
  const { ruleId, status, ...known } = requireRuleThatIsOff(state);
  const next = { ...fields, phrases: [...fields.phrases] };
  const isSame = Object.entries(next).every(
    ([field, value]) => JSON.stringify(value) === JSON.stringify(known[field as keyof typeof known]),
  );
  return isSame ? [] : [{ type: 'HidingRuleChanged', data: { ruleId, ...next } }];
};

/** Switches a hiding rule on. Throws HIDING_RULE_NOT_FOUND. */
export const switchHidingRuleOn: Decider<EmptyCommand, HidingRuleState, HidingRuleEvent> = (_command, state) => {
  const { ruleId, status } = requireRule(state);
  return status === 'on' ? [] : [{ type: 'HidingRuleSwitchedOn', data: { ruleId } }];
};

/**
 * Switches a hiding rule off. The ads that the rule has hidden stay hidden until a moderator decides about them. Throws
 * HIDING_RULE_NOT_FOUND.
 */
export const switchHidingRuleOff: Decider<EmptyCommand, HidingRuleState, HidingRuleEvent> = (_command, state) => {
  const { ruleId, status } = requireRule(state);
  return status === 'on' ? [{ type: 'HidingRuleSwitchedOff', data: { ruleId } }] : [];
};

/** Discards a hiding rule that is switched off. Throws HIDING_RULE_NOT_FOUND and HIDING_RULE_ON. */
export const discardHidingRule: Decider<EmptyCommand, HidingRuleState, HidingRuleEvent> = (_command, state) => {
  return [{ type: 'HidingRuleDiscarded', data: { ruleId: requireRuleThatIsOff(state).ruleId } }];
};

function requireRule(state: HidingRuleState): HidingRule {
  if (!state || state.status === 'discarded') throw new DomainError('HIDING_RULE_NOT_FOUND');
  return state;
}

function requireRuleThatIsOff(state: HidingRuleState): HidingRule {
  const rule = requireRule(state);
  if (rule.status === 'on') throw new DomainError('HIDING_RULE_ON');
  return rule;
}
