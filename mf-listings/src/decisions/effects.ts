import type { StatementView } from '@alpenglow/domain/contracts';

type Decision = Pick<StatementView, 'subject' | 'path' | 'isInForce' | 'outcome'>;

/**
 * Checks whether the statement says what the decision means and what the owner can do. A decision that a newer one or
 * an appeal has replaced means nothing any more. Nor does a decision about an ad that no longer exists, unless it
 * closed the account.
 */
export const hasEffect = ({ subject, path, isInForce, outcome }: Decision): boolean =>
  isInForce && (subject.kind !== 'ad' || path !== null || outcome === 'account_closed');

/** Checks whether the owner has to change the ad until a date. */
export const isChangeRequested = (
  decision: Decision & Pick<StatementView, 'changeBy' | 'isAutomated' | 'isChanged'>,
): boolean => hasEffect(decision) && decision.changeBy !== null && !decision.isAutomated && !decision.isChanged;
