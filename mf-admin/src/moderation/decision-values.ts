import {
  decideCaseFields,
  errorMessage,
  isAllowedUnderRule,
  type DecideCaseFields,
  type DecideCaseInput,
  type HouseRule,
  type Outcome,
} from '@alpenglow/domain/contracts';
import type { ValidationResult } from '@alpenglow/ui';

/** The values of the form for a decision. */
export interface DecisionValues<Outcome extends string> {
  readonly outcome: Outcome | null;
  /** The violated rule. It is undefined in forms without a field for the rule. */
  readonly rule?: HouseRule | undefined;
  readonly facts: string;
}

/** Returns the message that the rule does not allow the chosen outcome, or null. */
export function findRuleProblem(outcome: Outcome | null, rule: HouseRule | undefined): string | null {
  const isAllowed = outcome === null || rule === undefined || isAllowedUnderRule(outcome, rule);
  return isAllowed ? null : errorMessage('RULE_HIDES_CONTENT');
}

/**
 * Validates the form in the same way as the server, and returns the fields of the decision. `details` are the values of
 * the fields that depend on the outcome.
 */
export function validateDecision(
  values: DecisionValues<Outcome>,
  details: Omit<Partial<DecideCaseInput>, keyof DecisionValues<Outcome>>,
): ValidationResult<DecideCaseFields> {
  const message = findRuleProblem(values.outcome, values.rule);
  if (message !== null) return { success: false, error: { issues: [{ path: ['rule'], message }] } };
  return decideCaseFields.safeParse({ ...values, ...details });
}
