import { isHidingOutcome, type Outcome } from './fields.ts';

/**
 * The rules about the person who is shown or written about. Content that breaks one of them must not stay online in
 * part, because the person may be in danger.
 */
const RULES_ABOUT_PERSON: readonly string[] = ['under_age', 'forced'];

/** Checks whether a house rule is about the person, so that a decision with this rule hides the whole content. */
export function isRuleAboutPerson(rule: string): boolean {
  return RULES_ABOUT_PERSON.includes(rule);
}

/**
 * Checks whether a decision with this outcome is possible under a house rule. Content that breaks a rule about the
 * person must not stay online.
 */
export function isAllowedUnderRule(outcome: Outcome, rule: string): boolean {
  return outcome === 'kept' || isHidingOutcome(outcome) || !isRuleAboutPerson(rule);
}

/** A decision about a photo or video. */
interface FileDecision {
  readonly outcome: Outcome;
  readonly isAutomated: boolean;
  readonly rule: string;
}

/**
 * Checks whether a moderator's decision about a photo or video is also a decision about the ad that shows it. The ad
 * then gets its own decision, so that it stays hidden when its owner removes the file from it.
 */
export function isAdDecidedWithFile({ outcome, isAutomated, rule }: FileDecision): boolean {
  return !isAutomated && isHidingOutcome(outcome) && outcome !== 'account_closed' && isRuleAboutPerson(rule);
}

/**
 * Checks whether a decision about a photo or video also hides the ad while the ad shows the file. An automated decision
 * does so after a report that the person is under age or forced, until a moderator decides. A decision that
 * closes the account does so until the account is closed.
 */
export function isAdHiddenWithFile({ outcome, isAutomated, rule }: FileDecision): boolean {
  return outcome === 'account_closed' || (isAutomated && isRuleAboutPerson(rule));
}
