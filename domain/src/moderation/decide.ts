import type { Decider, DecisionContext } from '../aggregate.ts';
import { DomainError } from '../error-catalogue.ts';
import { HIDING_REASONS, URGENT_REASONS } from '../report/fields.ts';
import { FULL_WEIGHT, HIDING_WEIGHT } from '../report/weight.ts';
import type {
  AddReport,
  ClaimCase,
  DecideAppeal,
  DecideCase,
  DecideWithoutReport,
  FileAppeal,
  HeldContent,
  HideContentByRule,
  JudgedSubject,
  ReleaseCase,
  RestoreReported,
} from './commands.ts';
import type { ModerationEvent } from './events.ts';
import { APPEAL_WINDOW_ms, CLAIM_LIFETIME_ms, CLAIM_RENEWAL_ms } from './fields.ts';
import { DEFAULT_RULE_BY_REASON } from './rules.ts';
import { outcomesOf, type CaseState, type Evidence, type ModerationCase } from './state.ts';
import { toCaseId, toCaseSubject } from './subject.ts';

/**
 * The explanation that a poster receives if a report has hidden the poster's content automatically. No moderator has
 * reviewed the report yet. Front ends show a translation of this text for every automated decision that was not caused
 * by a hiding rule.
 */
export const AUTOMATED_REPORT_FACTS = 'Somebody reported this. It is hidden until a moderator has looked at it.';

/**
 * Adds a report to the moderation case about the reported content. Opens the case again if it is closed. If the reason
 * of the report is serious and its reports have enough weight, an automated decision hides the content and the poster
 * is notified. The case then stays open, so that a moderator reviews the content. A repeated report changes nothing
 * (R-11.3, R-11.23).
 */
export const addReport: Decider<AddReport, CaseState, ModerationEvent> = (command, state, context) => {
  const { reportId, reason, evidence, canHide, weight = FULL_WEIGHT } = command;
  if (state?.reportIds.includes(reportId)) return [];
  const caseId = toCaseId(command.subject);
  const opened = requireOpenRound(command, state, context);
  const added: ModerationEvent = {
    type: 'CaseReportAdded',
    data: {
      caseId,
      reportId,
      reason,
      priority: URGENT_REASONS.includes(reason) ? 'high' : 'normal',
      evidence,
      ...(weight < FULL_WEIGHT && { weight }),
    },
  };
  const earlierWeight = state?.isOpen ? state.hidingWeight : 0;
  const mayHide = HIDING_REASONS.includes(reason) && earlierWeight + weight > HIDING_WEIGHT;
  if (!mayHide || !canHide || state?.isHidingSubject) return [...opened.events, added];
  const automated = {
    moderatorId: null,
    outcome: 'hidden',
    rule: DEFAULT_RULE_BY_REASON[reason],
    facts: AUTOMATED_REPORT_FACTS,
    isAutomated: true,
    hidingRuleId: null,
    wasHidden: false,
  } as const;
  return [...opened.events, added, caseDecidedEvent(opened, automated, evidence, context)];
};

/**
 * Ends the automated hiding of content that reports have hidden. An admin uses it for many cases at once, without
 * judging each of them, so the case stays open for a moderator. Does nothing if no report hides the content,
 * or if the content belongs to the admin.
 */
export const restoreReported: Decider<RestoreReported, CaseState, ModerationEvent> = (
  { adminId, facts },
  state,
  context,
) => {
  const decision = state?.decision;
  if (!state?.isOpen || !state.isHidingSubject || state.ownerId === adminId) return [];
  if (!decision?.isAutomated || decision.hidingRuleId !== null) return [];
  const restored = {
    moderatorId: adminId,
    outcome: 'kept',
    rule: 'other',
    facts,
    isAutomated: true,
    hidingRuleId: null,
    wasHidden: true,
  } as const;
  return [caseDecidedEvent(state, restored, decision.evidence, context)];
};

/**
 * Hides content because of a hiding rule, and opens a moderation case, so that a moderator reviews the content. Does
 * nothing if the case already hides the content.
 */
export const hideContentByRule: Decider<HideContentByRule, CaseState, ModerationEvent> = (command, state, context) => {
  if (state?.isHidingSubject) return [];
  const { hidingRuleId, rule, facts, evidence } = command;
  const opened = requireOpenRound(command, state, context);
  const automated = {
    moderatorId: null,
    outcome: 'hidden',
    rule,
    facts,
    isAutomated: true,
    hidingRuleId,
    wasHidden: false,
  } as const;
  return [...opened.events, caseDecidedEvent(opened, automated, evidence, context)];
};

/**
 * Claims a moderation case for one moderator for half an hour. In the last ten minutes of this time, the moderator can
 * renew the claim. Before that, claiming one's own case again changes nothing. Throws CASE_NOT_FOUND,
 * NOTHING_TO_DECIDE, OWN_CONTENT and CASE_CLAIMED. Throws ANOTHER_MODERATOR if the appeal is against the moderator's
 * own decision.
 */
export const claimCase: Decider<ClaimCase, CaseState, ModerationEvent> = ({ moderatorId }, state, { now }) => {
  const found = requireDecidableCase(moderatorId, state);
  const claimedBy = activeClaimant(found, now);
  if (claimedBy === moderatorId && !isRenewable(found, now)) return [];
  if (claimedBy !== null && claimedBy !== moderatorId) throw new DomainError('CASE_CLAIMED');
  return [{ type: 'CaseClaimed', data: { caseId: found.caseId, moderatorId } }];
};

/**
 * Releases the moderator's own claim to a moderation case. Does nothing if another moderator has claimed the case.
 * Throws CASE_NOT_FOUND.
 */
export const releaseCase: Decider<ReleaseCase, CaseState, ModerationEvent> = ({ moderatorId }, state) => {
  const found = requireCase(state);
  return found.claim?.moderatorId === moderatorId
    ? [{ type: 'CaseReleased', data: { caseId: found.caseId, moderatorId } }]
    : [];
};

/**
 * Records the decision of the moderator who has claimed a moderation case. Throws CASE_NOT_FOUND, NOTHING_TO_DECIDE,
 * APPEAL_PENDING, OWN_CONTENT, ANOTHER_MODERATOR and CASE_NOT_CLAIMED. Throws WRONG_OUTCOME if the outcome is not
 * possible for this kind of content. Throws CONTENT_CHANGED if the decision would show content that the moderator has
 * not read, which the case then keeps hiding.
 */
export const decideCase: Decider<DecideCase, CaseState, ModerationEvent> = (command, state, context) => {
  const found = requireDecidableCase(command.moderatorId, state);
  if (found.appeal) throw new DomainError('APPEAL_PENDING');
  requireClaim(found, command.moderatorId, context.now);
  if (command.outcome === 'kept') requireCurrentVersion(found, command.evidence ?? found.evidence, command.held);
  return [decidedByModerator(command, found, context)];
};

/**
 * Records a moderator's decision about content that no report is about. Opens and decides the moderation case in one
 * step. Throws OWN_CONTENT, APPEAL_PENDING, WRONG_OUTCOME, and CASE_CLAIMED if another moderator has claimed the case.
 */
export const decideWithoutReport: Decider<DecideWithoutReport, CaseState, ModerationEvent> = (
  command,
  state,
  context,
) => {
  if (command.ownerId === command.moderatorId) throw new DomainError('OWN_CONTENT');
  if (state?.appeal) throw new DomainError('APPEAL_PENDING');
  const claimedBy = state && activeClaimant(state, context.now);
  if (claimedBy !== null && claimedBy !== command.moderatorId) throw new DomainError('CASE_CLAIMED');
  const opened = requireOpenRound(command, state, context);
  return [...opened.events, decidedByModerator(command, opened, context)];
};

/**
 * Files the appeal of a poster against the newest decision about the poster's content. A poster can appeal once, within
 * 30 days. Throws DECISION_NOT_FOUND for the content of another person or of an earlier account with the same id.
 * Throws ALREADY_APPEALED, and APPEAL_OVER after 30 days. Throws NOT_APPEALABLE if the content was not restricted, if
 * the decision is automated, or if a newer decision exists.
 */
export const fileAppeal: Decider<FileAppeal, CaseState, ModerationEvent> = (
  { accountId, registeredAt, decisionId, text },
  state,
  { now },
) => {
  if (state?.ownerId !== accountId) throw new DomainError('DECISION_NOT_FOUND');
  const { decision } = state;
  if (registeredAt !== null && decision !== null && decision.at < registeredAt)
    throw new DomainError('DECISION_NOT_FOUND');
  if (decision?.decisionId !== decisionId || decision.isAutomated || decision.outcome === 'kept')
    throw new DomainError('NOT_APPEALABLE');
  if (decision.isAppealed) throw new DomainError('ALREADY_APPEALED');
  if (Date.parse(now) - Date.parse(decision.at) > APPEAL_WINDOW_ms) throw new DomainError('APPEAL_OVER');
  return [{ type: 'AppealFiled', data: { caseId: state.caseId, decisionId, accountId, text } }];
};

/**
 * Records the decision about an appeal. The deciding moderator must have claimed the moderation case, and must not have
 * made the decision that the appeal is against. Throws CASE_NOT_FOUND, NO_APPEAL, OWN_CONTENT, ANOTHER_MODERATOR and
 * CASE_NOT_CLAIMED. Throws CONTENT_CHANGED if a reversal would show content that the moderator has not read.
 */
export const decideAppeal: Decider<DecideAppeal, CaseState, ModerationEvent> = (
  { moderatorId, outcome, facts, revision, held },
  state,
  { now },
) => {
  if (!requireCase(state).appeal) throw new DomainError('NO_APPEAL');
  const { caseId, appeal, ...found } = requireDecidableCase(moderatorId, state);
  if (!appeal) throw new DomainError('NO_APPEAL');
  requireClaim(found, moderatorId, now);
  const judged = found.decision?.evidence ?? found.evidence;
  if (outcome === 'overturned') requireCurrentVersion(found, { revision: revision ?? judged.revision }, held);
  const { decisionId, accountId, filedAt } = appeal;
  return [{ type: 'AppealDecided', data: { caseId, decisionId, accountId, moderatorId, outcome, facts, filedAt } }];
};

/**
 * Checks whether the judged content of a moderation case must be retained as evidence. A moderator needs the evidence
 * for a decision, and the poster needs it for an appeal.
 */
export function isEvidenceNeeded(state: CaseState, now: string): boolean {
  if (!state) return false;
  if (state.isOpen || state.appeal) return true;
  const { decision } = state;
  return (
    decision !== null &&
    decision.outcome !== 'kept' &&
    !decision.isAppealed &&
    Date.parse(now) - Date.parse(decision.at) <= APPEAL_WINDOW_ms
  );
}

type Round = Pick<ModerationCase, 'caseId' | 'subject' | 'ownerId' | 'round' | 'openedAt' | 'evidence'>;

/**
 * Returns the case if it is open. Otherwise, returns the data of a newly opened case, together with the event that
 * opens it. `round` counts how often the moderation case was opened.
 */
function requireOpenRound(
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

type DecisionFields = Pick<
  Extract<ModerationEvent, { type: 'CaseDecided' }>['data'],
  'moderatorId' | 'outcome' | 'rule' | 'facts' | 'isAutomated' | 'hidingRuleId' | 'wasHidden'
>;

function caseDecidedEvent(
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

function decidedByModerator(
  { moderatorId, outcome, rule, facts, wasHidden, evidence }: DecideCase,
  round: Round,
  context: DecisionContext,
): ModerationEvent {
  if (!outcomesOf(round.subject.kind).includes(outcome) || (outcome === 'account_closed' && round.ownerId === null))
    throw new DomainError('WRONG_OUTCOME');
  return caseDecidedEvent(
    round,
    { moderatorId, outcome, rule, facts, isAutomated: false, hidingRuleId: null, wasHidden },
    evidence ?? round.evidence,
    context,
  );
}

function requireCase(state: CaseState): ModerationCase {
  if (!state) throw new DomainError('CASE_NOT_FOUND');
  return state;
}

/**
 * Returns the moderation case. Throws if the case does not wait for a decision, or if this moderator must not decide
 * it.
 */
function requireDecidableCase(moderatorId: string, state: CaseState): ModerationCase {
  const found = requireCase(state);
  if (!found.isOpen && !found.appeal) throw new DomainError('NOTHING_TO_DECIDE');
  if (found.ownerId === moderatorId) throw new DomainError('OWN_CONTENT');
  if (found.appeal && found.decision?.moderatorId === moderatorId) throw new DomainError('ANOTHER_MODERATOR');
  return found;
}

/**
 * Returns the id of the moderator who has claimed the moderation case. Returns null if there is no claim or if it has
 * expired.
 */
function activeClaimant({ claim }: Pick<ModerationCase, 'claim'>, now: string): string | null {
  return claim && Date.parse(claim.at) + CLAIM_LIFETIME_ms > Date.parse(now) ? claim.moderatorId : null;
}

/** Checks whether the claim of a moderation case expires soon, so that its moderator can renew it. */
function isRenewable({ claim }: Pick<ModerationCase, 'claim'>, now: string): boolean {
  return claim !== null && Date.parse(claim.at) + CLAIM_LIFETIME_ms - CLAIM_RENEWAL_ms <= Date.parse(now);
}

function requireClaim(found: Pick<ModerationCase, 'claim'>, moderatorId: string, now: string): void {
  if (activeClaimant(found, now) !== moderatorId) throw new DomainError('CASE_NOT_CLAIMED');
}

/**
 * Throws CONTENT_CHANGED if the case hides content that was changed after the version that the moderator has read. A
 * revision that does not exist yet is rejected, too, because it would include later changes.
 */
function requireCurrentVersion(
  { isHidingSubject }: Pick<ModerationCase, 'isHidingSubject'>,
  readVersion: Pick<Evidence, 'revision'>,
  held: HeldContent | null | undefined,
): void {
  if (!held) return;
  if (readVersion.revision > held.revision || (isHidingSubject && readVersion.revision < held.contentRevision))
    throw new DomainError('CONTENT_CHANGED');
}
