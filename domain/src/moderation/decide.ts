import type { Decider, DecisionContext } from '../aggregate.ts';
import { DomainError } from '../error-catalogue.ts';
import { AUTOMATED_COPY_FACTS, mayHideContent, URGENT_REASONS } from '../report/fields.ts';
import { FULL_WEIGHT, HIDING_WEIGHT } from '../report/weight.ts';
import type {
  AddReport,
  ClaimCase,
  DecideAppeal,
  DecideCase,
  DecideConsequence,
  DecideWithoutReport,
  EndChangeRequest,
  FileAppeal,
  HeldContent,
  HideContentByRule,
  ReleaseCase,
  RestoreReported,
} from './commands.ts';
import type { ModerationEvent } from './events.ts';
import {
  APPEAL_WINDOW_ms,
  AUTOMATED_REPORT_FACTS,
  CLAIM_LIFETIME_ms,
  CLAIM_RENEWAL_ms,
  DEFAULT_CHANGE_DAYS,
  isAppealableOutcome,
  isHidingOutcome,
} from './fields.ts';
import { isAllowedUnderRule } from './hidden-with-file.ts';
import { requireNoUndecidedRequest } from './removal-request-holds.ts';
import { caseDecidedEvent, hiddenAutomatically, requireOpenRound, type Round } from './round.ts';
import { DEFAULT_RULE_BY_REASON } from './rules.ts';
import { moderationCase, outcomesOf, type CaseState, type Evidence, type ModerationCase } from './state.ts';
import { toCaseId } from './subject.ts';

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
  const mayHide = mayHideContent(reason, command.subject.kind) && earlierWeight + weight > HIDING_WEIGHT;
  if (!mayHide || !canHide || state?.isHidingSubject) return [...opened.events, added];
  const rule = DEFAULT_RULE_BY_REASON[reason];
  const facts = reason === 'known_image' || reason === 'known_copy' ? AUTOMATED_COPY_FACTS : AUTOMATED_REPORT_FACTS;
  return [...opened.events, added, hiddenAutomatically(opened, { rule, facts }, evidence, context)];
};

/**
 * Ends the automated hiding of content that reports have hidden. An admin uses it for many cases at once, without
 * judging each of them, so the case stays open for a moderator. Does nothing if no report hides the content,
 * e.g. because a requested change was not made, or if the content belongs to the admin. Throws REMOVAL_UNDECIDED.
 */
export const restoreReported: Decider<RestoreReported, CaseState, ModerationEvent> = (
  { adminId, facts, decidedRemovalIds },
  state,
  context,
) => {
  const decision = state?.decision;
  if (!state?.isOpen || !state.isHidingSubject || state.ownerId === adminId) return [];
  if (!decision?.isAutomated || decision.hidingRuleId !== null || decision.changeBy !== undefined) return [];
  requireNoUndecidedRequest(state, decidedRemovalIds);
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
  return [...opened.events, hiddenAutomatically(opened, { rule, facts, hidingRuleId }, evidence, context)];
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
 * APPEAL_PENDING, OWN_CONTENT, ANOTHER_MODERATOR, CASE_NOT_CLAIMED and REMOVAL_UNDECIDED. Throws WRONG_OUTCOME if the
 * outcome is not possible for this kind of content, and RULE_HIDES_CONTENT if the content must not stay online because
 * of the rule. Throws CONTENT_CHANGED if the decision would show a version that the moderator has not read.
 * The content then stays hidden.
 */
export const decideCase: Decider<DecideCase, CaseState, ModerationEvent> = (command, state, context) => {
  const found = requireDecidableCase(command.moderatorId, state);
  if (found.appeal) throw new DomainError('APPEAL_PENDING');
  requireClaim(found, command.moderatorId, context.now);
  requireNoUndecidedRequest(found, command.decidedRemovalIds);
  if (!isHidingOutcome(command.outcome)) requireCurrentVersion(found, command.evidence ?? found.evidence, command.held);
  return [decidedByModerator(command, found, context)];
};

/**
 * Records a moderator's decision about a case that is linked to the one that the moderator has claimed. Works
 * like `decideCase`, but needs no claim. Throws CASE_CLAIMED if another moderator has claimed this case, and
 * WRONG_OUTCOME for a requested change. It needs the version that the moderator has read, and a linked case has only
 * the reported version.
 */
export const decideLinkedCase: Decider<DecideCase, CaseState, ModerationEvent> = (command, state, context) => {
  if (command.outcome === 'change_requested') throw new DomainError('WRONG_OUTCOME');
  const claimed = claimCase({ moderatorId: command.moderatorId }, state, context);
  if (state?.appeal) throw new DomainError('APPEAL_PENDING');
  const after = claimed.reduce((current, event) => moderationCase.evolve(current, event, context.now), state);
  return [...claimed, ...decideCase(command, after, context)];
};

/**
 * Records the decision about content that follows from a moderator's decision about other content: a photo that is
 * removed from an ad, or the ad of a photo. Opens and decides the case in one step, also during an appeal or
 * a claim, because the content must not stay online. Does nothing if a moderator has decided the case after the cause.
 * Does nothing if a moderator hides the content already, unless the command replaces earlier decisions.
 */
export const decideConsequence: Decider<DecideConsequence, CaseState, ModerationEvent> = (command, state, context) => {
  const decision = state?.decision;
  const isHidden = state?.isHidingSubject === true && !command.replacesEarlier;
  if (decision && !decision.isAutomated && (isHidden || decision.at >= command.causedAt)) return [];
  const opened = requireOpenRound(command, state, context);
  return [...opened.events, decidedByModerator(command, opened, context)];
};

/**
 * Ends the time for a requested change. Opens the case again, so that a moderator reads the content. If the
 * owner has not changed the content, an automated decision with the reasons of the moderator hides it. Does nothing
 * before the end of the time, during an appeal, after a granted appeal, and if the case is open or the content does not
 * exist.
 */
export const endChangeRequest: Decider<EndChangeRequest, CaseState, ModerationEvent> = (
  { held, evidence },
  state,
  context,
) => {
  const decision = state?.decision;
  if (decision?.outcome !== 'change_requested' || decision.changeBy === undefined || decision.isReversed) return [];
  if (state === null || state.isOpen || state.appeal || held === null || context.now < decision.changeBy) return [];
  const { subject, ownerId } = state;
  const opened = requireOpenRound({ subject, ownerId, evidence }, state, context);
  if (held.contentRevision > decision.evidence.revision) return opened.events;
  const { rule, facts, changeBy } = decision;
  return [...opened.events, hiddenAutomatically(opened, { rule, facts, changeBy }, evidence, context)];
};

/**
 * Checks whether the newest decision is the same as `command`. The second of two equal requests at the same time reads
 * the content before the first decision has hidden it. A decision from before `ownerSince` is about an earlier account.
 */
function isRepeated(command: DecideWithoutReport, state: CaseState): boolean {
  const { moderatorId, outcome, rule, facts, wasHidden, ownerSince } = command;
  const decision = state?.decision;
  return (
    state?.isOpen === false &&
    decision?.moderatorId === moderatorId &&
    decision.outcome === outcome &&
    decision.rule === rule &&
    decision.facts === facts &&
    (decision.wasHidden === wasHidden || (state.isHidingSubject && isHidingOutcome(outcome))) &&
    (ownerSince === undefined || decision.at >= ownerSince) &&
    !decision.isReversed
  );
}

/**
 * Records a moderator's decision about content that no report is about. Opens and decides the moderation case in one
 * step. Does nothing if the newest decision of the moderator is the same. Throws OWN_CONTENT, APPEAL_PENDING,
 * WRONG_OUTCOME, RULE_HIDES_CONTENT, CASE_CLAIMED if another moderator has claimed the case, and REMOVAL_UNDECIDED if
 * the decision would show the content.
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
  if (isRepeated(command, state)) return [];
  if (!isHidingOutcome(command.outcome)) requireNoUndecidedRequest(state, command.decidedRemovalIds);
  const opened = requireOpenRound(command, state, context);
  return [...opened.events, decidedByModerator(command, opened, context)];
};

/**
 * Files the appeal of a poster against the newest decision about the poster's content, once and within 30 days. Throws:
 * - DECISION_NOT_FOUND for the content of another person, or a decision about an earlier account with the same id
 * - NOT_APPEALABLE if the decision has no consequence for the poster, is automated, or is not the newest one
 * - ALREADY_APPEALED for a second appeal
 * - APPEAL_PENDING during the appeal against an earlier decision
 * - APPEAL_OVER after 30 days
 * The removal of a photo from an ad is appealed with the decision about the photo.
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
  if (decision?.decisionId !== decisionId || decision.isAutomated || !isAppealableOutcome(decision.outcome))
    throw new DomainError('NOT_APPEALABLE');
  if (decision.isAppealed) throw new DomainError('ALREADY_APPEALED');
  if (state.appeal) throw new DomainError('APPEAL_PENDING');
  if (Date.parse(now) - Date.parse(decision.at) > APPEAL_WINDOW_ms) throw new DomainError('APPEAL_OVER');
  return [{ type: 'AppealFiled', data: { caseId: state.caseId, decisionId, accountId, text } }];
};

/**
 * Records the decision about an appeal. The deciding moderator must have claimed the moderation case, and must not have
 * made the appealed decision. Throws CASE_NOT_FOUND, NO_APPEAL, OWN_CONTENT, ANOTHER_MODERATOR and
 * CASE_NOT_CLAIMED. Throws CONTENT_CHANGED if a reversal would show content that the moderator has not read, and
 * REMOVAL_UNDECIDED if a removal request about it is undecided.
 */
export const decideAppeal: Decider<DecideAppeal, CaseState, ModerationEvent> = (
  { moderatorId, outcome, facts, revision, held, decidedRemovalIds },
  state,
  { now },
) => {
  if (!requireCase(state).appeal) throw new DomainError('NO_APPEAL');
  const { caseId, appeal, ...found } = requireDecidableCase(moderatorId, state);
  if (!appeal) throw new DomainError('NO_APPEAL');
  requireClaim(found, moderatorId, now);
  const judged = found.decision?.evidence ?? found.evidence;
  // The reversal of an earlier decision does not show the content, because the newer decision stays in force.
  if (outcome === 'overturned' && found.decision?.decisionId === appeal.decisionId) {
    requireNoUndecidedRequest(state, decidedRemovalIds);
    requireCurrentVersion(found, { revision: revision ?? judged.revision }, held);
  }
  const { decisionId, accountId, filedAt } = appeal;
  return [{ type: 'AppealDecided', data: { caseId, decisionId, accountId, moderatorId, outcome, facts, filedAt } }];
};

function decidedByModerator(
  { moderatorId, outcome, rule, facts, wasHidden, evidence, changeDays, photoId }: DecideCase,
  round: Round,
  context: DecisionContext,
): ModerationEvent {
  if (!outcomesOf(round.subject.kind).includes(outcome) || (outcome === 'account_closed' && round.ownerId === null))
    throw new DomainError('WRONG_OUTCOME');
  if (!isAllowedUnderRule(outcome, rule)) throw new DomainError('RULE_HIDES_CONTENT');
  const fields = { moderatorId, outcome, rule, facts, isAutomated: false, hidingRuleId: null, wasHidden };
  return caseDecidedEvent(
    round,
    {
      ...fields,
      ...(outcome === 'change_requested' && { changeBy: daysAfter(context.now, changeDays ?? DEFAULT_CHANGE_DAYS) }),
      ...(outcome === 'photo_removed' && { photoId }),
    },
    evidence ?? round.evidence,
    context,
  );
}

const DAY_ms = 24 * 60 * 60_000;
const daysAfter = (at: string, days: number) => new Date(Date.parse(at) + days * DAY_ms).toISOString();

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
  if (found.appeal?.moderatorId === moderatorId) throw new DomainError('ANOTHER_MODERATOR');
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
