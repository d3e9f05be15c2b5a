import type { DecisionContext } from '../aggregate.ts';
import type { JudgedSubject } from './commands.ts';
import type { ModerationEvent } from './events.ts';
import type { CaseState, Evidence, ModerationCase } from './state.ts';
import { toCaseId, toCaseSubject } from './subject.ts';

/** The round of a case: the time between its opening and the decision of a moderator. */
export type Round = Pick<ModerationCase, 'caseId' | 'subject' | 'ownerId' | 'round' | 'openedAt' | 'evidence'>;

/**
 * Returns the case if it is open. Otherwise, returns the data of a newly opened case, together with the event that
 * opens it. `round` counts how often the moderation case was opened.
 */
export function requireOpenRound(
  { subject, ownerId, evidence }: JudgedSubject,
  state: CaseState,
  { now }: DecisionContext,
): Round & { readonly events: readonly ModerationEvent[] } {
  if (state?.isOpen) return { ...state, events: [] };
  const opening = {
    caseId: toCaseId(subject),
    subject: toCaseSubject(subject),
    ownerId,
    round: (state?.round ?? 0) + 1,
    evidence,
  };
  return { ...opening, openedAt: now, events: [{ type: 'CaseOpened', data: opening }] };
}

/** The fields of a decision that do not follow from its case. */
type DecisionFields = Pick<
  Extract<ModerationEvent, { type: 'CaseDecided' }>['data'],
  'moderatorId' | 'outcome' | 'rule' | 'facts' | 'isAutomated' | 'hidingRuleId' | 'wasHidden' | 'changeBy' | 'photoId'
>;

/** Returns the event of a decision about the content of a case. */
export function caseDecidedEvent(
  { caseId, subject, ownerId, round, openedAt }: Round,
  fields: DecisionFields,
  evidence: Evidence,
  { newId }: DecisionContext,
): ModerationEvent {
  return {
    type: 'CaseDecided',
    data: { caseId, decisionId: newId(), round, subject, ownerId, ...fields, evidence, openedAt },
  };
}

/** Returns the event of an automated decision that hides the content of a case until a moderator decides. */
export function hiddenAutomatically(
  round: Round,
  fields: Pick<DecisionFields, 'rule' | 'facts'> & Partial<Pick<DecisionFields, 'hidingRuleId' | 'changeBy'>>,
  evidence: Evidence,
  context: DecisionContext,
): ModerationEvent {
  const automated = {
    moderatorId: null,
    outcome: 'hidden',
    isAutomated: true,
    hidingRuleId: null,
    wasHidden: false,
    ...fields,
  } as const;
  return caseDecidedEvent(round, automated, evidence, context);
}
