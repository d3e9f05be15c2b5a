import type { DecisionContext } from '../aggregate.ts';
import { DomainError } from '../errors.ts';
import { HIDING_REASONS, URGENT_REASONS, type ReportReason } from '../report/fields.ts';
import type { ModerationEvent } from './events.ts';
import { APPEAL_WINDOW_ms, CLAIM_LIFETIME_ms, type AppealOutcome, type Outcome } from './fields.ts';
import type { HouseRule } from './rules.ts';
import type { CaseState, Evidence, ModerationCase } from './state.ts';
import { caseIdOf, caseSubjectOf, type Subject, type SubjectKind } from './subject.ts';

/** What is looked at: whose it is, and the version somebody saw. */
export interface Judged {
  readonly subject: Subject;
  /** Null of what belongs to the house. */
  readonly ownerId: string | null;
  readonly evidence: Evidence;
}

export interface AddReport extends Judged {
  readonly reportId: string;
  readonly reason: ReportReason;
  /** Whether this report takes it out of sight: it is to be seen, and no moderator has let it stand as it is now. */
  readonly isHiding: boolean;
}

export interface HideByRule extends Judged {
  readonly hidingRuleId: string;
  readonly rule: HouseRule;
  readonly facts: string;
}

export interface DecideCase {
  readonly moderatorId: string;
  readonly outcome: Outcome;
  readonly rule: HouseRule;
  readonly facts: string;
  readonly wasHidden: boolean;
  /** What it says now: the version judged where the moderator went beyond the one that was reported. */
  readonly evidence?: Evidence;
}

export interface DecideAppeal {
  readonly moderatorId: string;
  readonly outcome: AppealOutcome;
  readonly facts: string;
}

/** The rule a report that hides at once is about, until a moderator says which it is. */
const RULE_OF_REASON: Readonly<Record<ReportReason, HouseRule>> = {
  under_age: 'under_age',
  forced: 'forced',
  my_content: 'consent',
  stolen: 'stolen',
  illegal: 'illegal',
  spam: 'spam',
  other: 'other',
  known_image: 'illegal',
};

/** What a poster is told while nobody has looked yet; pages translate it by the decision being automated and of no hiding rule. */
export const FACTS_OF_REPORT = 'Somebody reported this. It is hidden until a moderator has looked at it.';

const OUTCOMES_OF: Readonly<Record<SubjectKind, readonly Outcome[]>> = {
  ad: ['kept', 'hidden', 'removed', 'account_closed'],
  media: ['kept', 'hidden', 'removed', 'account_closed'],
  account: ['kept', 'hidden', 'account_closed'],
  thread: ['kept', 'hidden', 'removed', 'account_closed'],
  post: ['kept', 'hidden', 'removed', 'account_closed'],
  article: ['kept', 'removed'],
};

/** What may be decided about a subject of this kind. */
export function outcomesOf(kind: SubjectKind): readonly Outcome[] {
  return OUTCOMES_OF[kind];
}

/**
 * Puts a report to its case, opening it where it waits for nobody. One that hides at once is an automated decision, and its poster is told;
 * the case stays open for a moderator. The same report twice is one report.
 */
export function addReport(command: AddReport, state: CaseState, context: DecisionContext): readonly ModerationEvent[] {
  const { reportId, reason, evidence, isHiding } = command;
  if (state?.reports.includes(reportId)) return [];
  const caseId = caseIdOf(command.subject);
  const opened = openedRound(command, state, context);
  const added: ModerationEvent = {
    type: 'CaseReportAdded',
    data: { caseId, reportId, reason, priority: URGENT_REASONS.includes(reason) ? 'high' : 'normal', evidence },
  };
  if (!HIDING_REASONS.includes(reason) || !isHiding || state?.isHolding) return [...opened.events, added];
  const automated = {
    moderatorId: null,
    outcome: 'hidden',
    rule: RULE_OF_REASON[reason],
    facts: FACTS_OF_REPORT,
    isAutomated: true,
    hidingRuleId: null,
    wasHidden: false,
  } as const;
  return [...opened.events, added, decided(opened, automated, evidence, context)];
}

/** A hiding rule hides something: an automated decision, and a case for a moderator. Once while it is held. */
export function hideByRule(
  command: HideByRule,
  state: CaseState,
  context: DecisionContext,
): readonly ModerationEvent[] {
  if (state?.isHolding) return [];
  const { hidingRuleId, rule, facts, evidence } = command;
  const opened = openedRound(command, state, context);
  const automated = {
    moderatorId: null,
    outcome: 'hidden',
    rule,
    facts,
    isAutomated: true,
    hidingRuleId,
    wasHidden: false,
  } as const;
  return [...opened.events, decided(opened, automated, evidence, context)];
}

/**
 * Takes a case for half an hour. One's own claim once more lasts on. Refuses with CASE_NOT_FOUND, NOTHING_TO_DECIDE, OWN_CONTENT,
 * ANOTHER_MODERATOR (one's own decision is appealed against), CASE_CLAIMED.
 */
export function claimCase(moderatorId: string, state: CaseState, { now }: DecisionContext): readonly ModerationEvent[] {
  const found = waitingFor(moderatorId, state);
  const claimedBy = claimant(found, now);
  if (claimedBy === moderatorId) return [];
  if (claimedBy !== null) throw new DomainError('CASE_CLAIMED');
  return [{ type: 'CaseClaimed', data: { caseId: found.caseId, moderatorId } }];
}

/** Gives one's claim back; somebody else's, or none, changes nothing. Refuses with CASE_NOT_FOUND. */
export function releaseCase(moderatorId: string, state: CaseState): readonly ModerationEvent[] {
  const found = startedCase(state);
  return found.claim?.moderatorId === moderatorId
    ? [{ type: 'CaseReleased', data: { caseId: found.caseId, moderatorId } }]
    : [];
}

/**
 * Decides a claimed case. Refuses with CASE_NOT_FOUND, NOTHING_TO_DECIDE, APPEAL_PENDING, OWN_CONTENT, CASE_NOT_CLAIMED, WRONG_OUTCOME (not for
 * this kind of subject).
 */
export function decideCase(
  command: DecideCase,
  state: CaseState,
  context: DecisionContext,
): readonly ModerationEvent[] {
  const found = waitingFor(command.moderatorId, state);
  if (found.appeal) throw new DomainError('APPEAL_PENDING');
  requireClaim(found, command.moderatorId, context.now);
  return [decidedBy(command, found, context)];
}

/**
 * Decides about something a moderator comes across, with nobody having reported it: opens its case and decides it in one step.
 * Refuses with OWN_CONTENT, APPEAL_PENDING, CASE_CLAIMED (somebody else is at it), WRONG_OUTCOME.
 */
export function decideDirectly(
  command: DecideCase & Judged,
  state: CaseState,
  context: DecisionContext,
): readonly ModerationEvent[] {
  if (command.ownerId === command.moderatorId) throw new DomainError('OWN_CONTENT');
  if (state?.appeal) throw new DomainError('APPEAL_PENDING');
  const claimedBy = state && claimant(state, context.now);
  if (claimedBy !== null && claimedBy !== command.moderatorId) throw new DomainError('CASE_CLAIMED');
  const opened = openedRound(command, state, context);
  return [...opened.events, decidedBy(command, opened, context)];
}

/**
 * The poster appeals, once and within 30 days, against the newest decision. Refuses with DECISION_NOT_FOUND (not theirs, or none),
 * NOT_APPEALABLE (it stays, a moderator looks at it anyway, or a newer decision stands), ALREADY_APPEALED, APPEAL_OVER.
 */
export function fileAppeal(
  { accountId, decisionId, text }: { readonly accountId: string; readonly decisionId: string; readonly text: string },
  state: CaseState,
  { now }: DecisionContext,
): readonly ModerationEvent[] {
  if (state?.ownerId !== accountId) throw new DomainError('DECISION_NOT_FOUND');
  const { decision } = state;
  if (decision?.decisionId !== decisionId || decision.isAutomated || decision.outcome === 'kept')
    throw new DomainError('NOT_APPEALABLE');
  if (decision.isAppealed) throw new DomainError('ALREADY_APPEALED');
  if (Date.parse(now) - Date.parse(decision.at) > APPEAL_WINDOW_ms) throw new DomainError('APPEAL_OVER');
  return [{ type: 'AppealFiled', data: { caseId: state.caseId, decisionId, accountId, text } }];
}

/** Decides an appeal, by another moderator than whose decision it is, with a claim. Refuses with CASE_NOT_FOUND, NO_APPEAL, OWN_CONTENT, ANOTHER_MODERATOR, CASE_NOT_CLAIMED. */
export function decideAppeal(
  { moderatorId, outcome, facts }: DecideAppeal,
  state: CaseState,
  { now }: DecisionContext,
): readonly ModerationEvent[] {
  if (!startedCase(state).appeal) throw new DomainError('NO_APPEAL');
  const { caseId, appeal, ...found } = waitingFor(moderatorId, state);
  if (!appeal) throw new DomainError('NO_APPEAL');
  requireClaim(found, moderatorId, now);
  const { decisionId, accountId, filedAt } = appeal;
  return [{ type: 'AppealDecided', data: { caseId, decisionId, accountId, moderatorId, outcome, facts, filedAt } }];
}

/** Whether the words and pictures judged have to be kept: it waits for a moderator, or its poster may still appeal. */
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

/** The round that is open, or another one with the event that opens it. */
function openedRound(
  { subject, ownerId, evidence }: Judged,
  state: CaseState,
  { now }: DecisionContext,
): Round & { readonly events: readonly ModerationEvent[] } {
  if (state?.isOpen) return { ...state, events: [] };
  const opening = {
    caseId: caseIdOf(subject),
    subject: caseSubjectOf(subject),
    ownerId,
    round: (state?.round ?? 0) + 1,
    evidence,
  };
  return { ...opening, openedAt: now, events: [{ type: 'CaseOpened', data: opening }] };
}

type Said = Pick<
  Extract<ModerationEvent, { type: 'CaseDecided' }>['data'],
  'moderatorId' | 'outcome' | 'rule' | 'facts' | 'isAutomated' | 'hidingRuleId' | 'wasHidden'
>;

function decided(
  { caseId, subject, ownerId, round, openedAt }: Round,
  said: Said,
  evidence: Evidence,
  { newId }: DecisionContext,
): ModerationEvent {
  return {
    type: 'CaseDecided',
    data: { caseId, decisionId: newId(), round, subject, ownerId, ...said, evidence, openedAt },
  };
}

function decidedBy(
  { moderatorId, outcome, rule, facts, wasHidden, evidence }: DecideCase,
  round: Round,
  context: DecisionContext,
): ModerationEvent {
  if (!outcomesOf(round.subject.kind).includes(outcome) || (outcome === 'account_closed' && round.ownerId === null))
    throw new DomainError('WRONG_OUTCOME');
  return decided(
    round,
    { moderatorId, outcome, rule, facts, isAutomated: false, hidingRuleId: null, wasHidden },
    evidence ?? round.evidence,
    context,
  );
}

function startedCase(state: CaseState): ModerationCase {
  if (!state) throw new DomainError('CASE_NOT_FOUND');
  return state;
}

/** A case that waits for a moderator, this one among them. */
function waitingFor(moderatorId: string, state: CaseState): ModerationCase {
  const found = startedCase(state);
  if (!found.isOpen && !found.appeal) throw new DomainError('NOTHING_TO_DECIDE');
  if (found.ownerId === moderatorId) throw new DomainError('OWN_CONTENT');
  if (found.appeal && found.decision?.moderatorId === moderatorId) throw new DomainError('ANOTHER_MODERATOR');
  return found;
}

/** Whose claim lasts at this moment. */
function claimant({ claim }: Pick<ModerationCase, 'claim'>, now: string): string | null {
  return claim && Date.parse(claim.at) + CLAIM_LIFETIME_ms > Date.parse(now) ? claim.moderatorId : null;
}

function requireClaim(found: Pick<ModerationCase, 'claim'>, moderatorId: string, now: string): void {
  if (claimant(found, now) !== moderatorId) throw new DomainError('CASE_NOT_CLAIMED');
}
