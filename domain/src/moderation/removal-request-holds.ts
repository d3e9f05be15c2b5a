import type { Decider } from '../aggregate.ts';
import { DomainError } from '../error-catalogue.ts';
import { AUTOMATED_REMOVAL_FACTS } from '../removal/fields.ts';
import { HIDING_WEIGHT } from '../report/weight.ts';
import type { EndRemovalHold, HoldForRemoval, RespondToDecision } from './commands.ts';
import type { ModerationEvent } from './events.ts';
import { caseDecidedEvent, hiddenAutomatically, requireOpenRound } from './round.ts';
import type { CaseState } from './state.ts';
import { toCaseId } from './subject.ts';

/**
 * Adds a removal request to the case of content that it names, and hides the content at once, unless the case already
 * hides it. A moderator's earlier decision does not protect the content. The request is added once, but a
 * repeated call hides content that became visible meanwhile. The request must be undecided.
 */
export const holdForRemoval: Decider<HoldForRemoval, CaseState, ModerationEvent> = (command, state, context) => {
  const { removalId, evidence, canHide } = command;
  const isAdded = state?.reportIds.includes(removalId) === true;
  const isHiding = canHide && state?.isHidingSubject !== true;
  if (isAdded && !isHiding) return [];
  const opened = requireOpenRound(command, state, context);
  const caseId = toCaseId(command.subject);
  const added: ModerationEvent = {
    type: 'CaseReportAdded',
    data: { caseId, reportId: removalId, reason: 'removal_request', priority: 'high', evidence },
  };
  const events = isAdded ? opened.events : [...opened.events, added];
  if (!isHiding) return events;
  const fields = { rule: 'consent', facts: AUTOMATED_REMOVAL_FACTS };
  return [...events, hiddenAutomatically(opened, fields, evidence, context)];
};

/**
 * Throws REMOVAL_UNDECIDED if the case has a removal request that `decidedRemovalIds` does not contain. The content
 * must then not be shown, and its case not be decided, without the request. A request that was added after
 * the caller has read the case counts as undecided, too.
 */
export function requireNoUndecidedRequest(state: CaseState, decidedRemovalIds: readonly string[] = []): void {
  if (state?.removals.some(({ id }) => !decidedRemovalIds.includes(id))) throw new DomainError('REMOVAL_UNDECIDED');
}

/**
 * Shows content again after its removal request was rejected or withdrawn. The content stays hidden, and its
 * case stays open for a moderator, if another removal request about it is undecided, if other reports alone would hide
 * it, if something else hides it, or if it has changed since the request. A rejection closes the case, unless
 * the case waits for another reason. The end of a withdrawn request judges nothing, so a moderator still reads it.
 */
export const endRemovalHold: Decider<EndRemovalHold, CaseState, ModerationEvent> = (command, state, context) => {
  const { removalId, moderatorId, facts, hasOtherRemoval, isChanged } = command;
  if (!state?.isOpen || hasOtherRemoval) return [];
  if (!state.removals.some(({ id, round }) => id === removalId && round === state.round)) return [];
  const { decision, isHidingSubject } = state;
  const isHiddenByOther =
    isHidingSubject && (!decision?.isAutomated || decision.hidingRuleId !== null || decision.changeBy !== undefined);
  if (isHiddenByOther || isChanged || state.hidingWeight > HIDING_WEIGHT) return [];
  const isJudged = moderatorId !== null && !state.hasOtherReason;
  if (!isHidingSubject && !isJudged) return [];
  const restored = {
    moderatorId,
    outcome: 'kept',
    rule: 'consent',
    facts,
    isAutomated: !isJudged,
    hidingRuleId: null,
    wasHidden: isHidingSubject,
  } as const;
  return [caseDecidedEvent(state, restored, isHidingSubject && decision ? decision.evidence : state.evidence, context)];
};

/**
 * Records the response of the owner of content to the automated decision that has hidden it. Throws
 * DECISION_NOT_FOUND for the content of another person or of an earlier account with the same id, NOT_RESPONDABLE if
 * the decision is not automated, not the newest one, or no longer waits for a moderator, and ALREADY_RESPONDED.
 */
export const respondToDecision: Decider<RespondToDecision, CaseState, ModerationEvent> = (
  { accountId, registeredAt, decisionId, text },
  state,
) => {
  const decision = state?.decision;
  if (state?.ownerId !== accountId || (decision && decision.at < registeredAt))
    throw new DomainError('DECISION_NOT_FOUND');
  if (decision?.decisionId !== decisionId || !decision.isAutomated || !state.isOpen || !state.isHidingSubject)
    throw new DomainError('NOT_RESPONDABLE');
  if (state.response) throw new DomainError('ALREADY_RESPONDED');
  return [{ type: 'OwnerResponded', data: { caseId: state.caseId, decisionId, accountId, text } }];
};
