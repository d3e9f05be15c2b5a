import type { Aggregate, StreamId } from '../aggregate.ts';
import { moderationEvents, type ModerationEvent } from './events.ts';
import { mayHideContent } from '../report/fields.ts';
import { FULL_WEIGHT } from '../report/weight.ts';
import { isHidingOutcome, type CasePriority, type Outcome } from './fields.ts';
import type { CaseId, Subject, SubjectKind } from './subject.ts';

/**
 * Identifies the version of the content that is judged. This version results from the events of `stream` up to
 * `revision`.
 */
export interface Evidence {
  readonly stream: StreamId;
  readonly revision: number;
}

interface CaseDecision {
  readonly decisionId: string;
  readonly moderatorId: string | null;
  readonly outcome: Outcome;
  /** The id of the violated house rule. */
  readonly rule: string;
  readonly isAutomated: boolean;
  readonly hidingRuleId: string | null;
  readonly wasHidden: boolean;
  /** The explanation for the owner of the content. Empty after an erasure of the owner's data. */
  readonly facts: string;
  readonly evidence: Evidence;
  /** The time at which the case was opened before the decision, in ISO 8601. */
  readonly openedAt: string;
  /** The time of the decision in ISO 8601. */
  readonly at: string;
  readonly isAppealed: boolean;
  /** True after an appeal against the decision was granted. */
  readonly isReversed: boolean;
  /** The time at which unchanged content is hidden, in ISO 8601. Absent if no change was requested. */
  readonly changeBy?: string | undefined;
  /** The photo that the decision removes from an ad. Absent for other outcomes. */
  readonly photoId?: string | undefined;
}

/** A moderation case, which collects all reports about the same content. */
export interface ModerationCase {
  readonly caseId: CaseId;
  readonly subject: Subject;
  readonly ownerId: string | null;
  /** The number of times that the case was opened. It starts with 1. */
  readonly round: number;
  readonly openedAt: string;
  /** True if the content waits for the decision of a moderator. An appeal does not open the case again. */
  readonly isOpen: boolean;
  readonly priority: CasePriority;
  /** Ids of the most recent reports, so that a repeated report is not added twice. */
  readonly reportIds: readonly string[];
  /** The version of the content that was reported first after the case was opened. */
  readonly evidence: Evidence;
  readonly claim: { readonly moderatorId: string; readonly at: string } | null;
  /** The newest decision of the case, or null. */
  readonly decision: CaseDecision | null;
  /** The appeal that is not decided yet, or null. */
  readonly appeal: {
    readonly decisionId: string;
    /** The moderator of the appealed decision. */
    readonly moderatorId: string | null;
    readonly accountId: string;
    readonly filedAt: string;
  } | null;
  /**
   * The sum of the weights of the reports that may hide the content, since the case was opened or a decision left
   * the content visible.
   */
  readonly hidingWeight: number;
  /**
   * The most recent removal requests about the content, also those of earlier rounds. A request in the list may be
   * decided meanwhile. `round` is the round to which it was added, and `revision` is that of the content at this time.
   */
  readonly removals: readonly { readonly id: string; readonly round: number; readonly revision: number }[];
  /**
   * True if something other than a removal request requires a moderator since the case was opened: a report, a hiding
   * rule, or a requested change.
   */
  readonly hasOtherReason: boolean;
  /** The text with which the owner has responded to the newest automated decision, or null. */
  readonly response: { readonly text: string; readonly at: string } | null;
  /** True if the case hides the content. This depends on the newest decision and on the outcome of an appeal. */
  readonly isHidingSubject: boolean;
}

/** State of a moderation case. Null before the case is opened for the first time. */
export type CaseState = ModerationCase | null;

/** The maximum number of ids in `reportIds`. */
export const REPORT_IDS_MAX = 500;

function evolve(state: CaseState, event: ModerationEvent, at: string): CaseState {
  if (event.type === 'CaseOpened') {
    return {
      reportIds: state?.reportIds ?? [],
      decision: state?.decision ?? null,
      appeal: state?.appeal ?? null,
      isHidingSubject: state?.isHidingSubject ?? false,
      removals: state?.removals ?? [],
      ...event.data,
      openedAt: at,
      isOpen: true,
      priority: 'normal',
      claim: null,
      hidingWeight: 0,
      hasOtherReason: state?.decision?.outcome === 'change_requested' && !state.decision.isReversed,
      response: null,
    };
  }
  return state && evolveOpened(state, event, at);
}

function evolveOpened(
  state: ModerationCase,
  event: Exclude<ModerationEvent, { type: 'CaseOpened' }>,
  at: string,
): ModerationCase {
  switch (event.type) {
    case 'CaseReportAdded': {
      const { reportId, priority, reason, evidence, weight = FULL_WEIGHT } = event.data;
      const added = { id: reportId, round: state.round, revision: evidence.revision };
      const isRemoval = reason === 'removal_request';
      return {
        ...state,
        removals: isRemoval ? [...state.removals, added].slice(-REPORT_IDS_MAX) : state.removals,
        hasOtherReason: state.hasOtherReason || !isRemoval,
        reportIds: [...state.reportIds, reportId].slice(-REPORT_IDS_MAX),
        priority: priority === 'high' ? 'high' : state.priority,
        hidingWeight: state.hidingWeight + (mayHideContent(reason, state.subject.kind) ? weight : 0),
      };
    }
    case 'CaseClaimed':
      return { ...state, claim: { moderatorId: event.data.moderatorId, at } };
    case 'CaseReleased':
      return { ...state, claim: null };
    case 'CaseDecided': {
      const { caseId: _caseId, round: _round, subject: _subject, ownerId: _ownerId, ...decided } = event.data;
      const decision: CaseDecision = { ...decided, at, isAppealed: false, isReversed: false };
      return {
        ...state,
        decision,
        isHidingSubject: isHidingOutcome(decision.outcome),
        ...(!isHidingOutcome(decision.outcome) && { hidingWeight: 0 }),
        hasOtherReason: state.hasOtherReason || decision.hidingRuleId !== null || decision.changeBy !== undefined,
        ...(decision.isAutomated ? { response: null } : { isOpen: false, claim: null }),
      };
    }
    case 'OwnerResponded':
      return { ...state, response: { text: event.data.text, at } };
    case 'AppealFiled': {
      const { decisionId, accountId } = event.data;
      return {
        ...state,
        appeal: { decisionId, moderatorId: state.decision?.moderatorId ?? null, accountId, filedAt: at },
        claim: null,
        decision: state.decision && { ...state.decision, isAppealed: true },
      };
    }
    case 'AppealDecided': {
      const decided = { ...state, appeal: null, claim: null };
      const { decision } = state;
      // An appeal against an earlier decision does not change a newer decision.
      if (decision?.decisionId !== event.data.decisionId) return decided;
      if (event.data.outcome === 'overturned')
        return { ...decided, isHidingSubject: false, decision: { ...decision, isReversed: true } };
      const changeBy = changeByAfterAppeal(decision.changeBy, event.data.filedAt, at);
      return { ...decided, decision: { ...decision, isReversed: false, changeBy } };
    }
  }
}

/**
 * Returns the end of the time for a requested change after a rejected appeal, in ISO 8601. The appeal stops the time,
 * so its duration is added. Returns undefined if no change was requested.
 */
export function changeByAfterAppeal(
  changeBy: string | undefined,
  filedAt: string,
  decidedAt: string,
): string | undefined {
  if (changeBy === undefined) return undefined;
  return new Date(Date.parse(changeBy) + Date.parse(decidedAt) - Date.parse(filedAt)).toISOString();
}

/**
 * The aggregate of a moderation case. Its event stream is `case-{kind}-{id}`, with the kind and the id of the reported
 * content.
 */
export const moderationCase: Aggregate<CaseState, ModerationEvent> = {
  name: 'case',
  initial: null,
  evolve,
  eventDefinitions: moderationEvents,
};

/**
 * Checks whether a moderator has confirmed the current content of the case's subject, so that no report and no hiding
 * rule hides it again. `contentRevision` is the revision of the last event that changed the content. Only a
 * moderator's judgement of this version confirms it. A report, a hiding rule and a restoration of many contents in one
 * step judge nothing. All facts are in the event `CaseDecided`, so that this also applies to older decisions.
 * The end of a hold, e.g. `AdRestored`, confirms nothing, because one case may hold several versions and ads.
 */
export function isConfirmed(state: CaseState, contentRevision: number): boolean {
  return isJudgedAllowed(state) && state.decision.evidence.revision >= contentRevision;
}

/**
 * Checks whether a moderator has confirmed a profile that has not changed since it was reported. `changedAt` is the
 * time of its last change in ISO 8601. Profiles are compared by time and not by revision, because the state of an
 * account begins again when a closed account signs up, so it cannot count revisions.
 */
export function isProfileConfirmed(state: CaseState, changedAt: string): boolean {
  return isJudgedAllowed(state) && changedAt <= state.decision.openedAt;
}

function isJudgedAllowed(state: CaseState): state is ModerationCase & { readonly decision: CaseDecision } {
  return state?.decision?.isAutomated === false && !state.isHidingSubject;
}

const OUTCOMES_OF: Readonly<Record<SubjectKind, readonly Outcome[]>> = {
  // Only ads can be changed at any time, so only their owners can be asked for a change.
  ad: ['kept', 'warned', 'change_requested', 'photo_removed', 'hidden', 'removed', 'account_closed'],
  media: ['kept', 'warned', 'hidden', 'removed', 'account_closed'],
  account: ['kept', 'warned', 'hidden', 'account_closed'],
  thread: ['kept', 'warned', 'hidden', 'removed', 'account_closed'],
  post: ['kept', 'warned', 'hidden', 'removed', 'account_closed'],
  article: ['kept', 'removed'],
};

/** Returns the outcomes that a moderator can choose for content of this kind. */
export function outcomesOf(kind: SubjectKind): readonly Outcome[] {
  return OUTCOMES_OF[kind];
}
