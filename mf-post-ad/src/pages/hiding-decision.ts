import { isAdHiddenWithFile, isHidingOutcome, type StatementView } from '@alpenglow/domain/contracts';

/** The part of a statement that shows whether its decision hides an ad. */
type Decision = Pick<StatementView, 'subject' | 'isInForce' | 'outcome' | 'isAutomated' | 'rule'>;

/**
 * Returns the newest of an account's decisions that hides its ad, or null. `decisions` begins with the newest. A
 * decision about an earlier ad may also hide this one, but a decision about the ad itself takes precedence.
 */
export function findHidingDecision<Statement extends Decision>(
  decisions: readonly Statement[],
  adId: string,
): Statement | null {
  const hiding = decisions.filter(hidesAd);
  return hiding.find(({ subject }) => subject.id === adId) ?? hiding[0] ?? null;
}

/**
 * Checks whether a decision can hide an ad. A decision about a photo or video does so only if it is about the person in
 * it. Decisions about posts and threads never do.
 */
function hidesAd({ subject, isInForce, outcome, isAutomated, rule }: Decision): boolean {
  if (!isInForce || !isHidingOutcome(outcome)) return false;
  if (subject.kind === 'media') return isAdHiddenWithFile({ outcome, isAutomated, rule: rule.id });
  return subject.kind === 'ad' || subject.kind === 'account';
}
