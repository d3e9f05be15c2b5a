import type { Aggregate, StreamId } from '../aggregate.ts';
import { moderationEvents, type ModerationEvent } from './events.ts';
import type { CasePriority, Outcome } from './fields.ts';
import type { CaseId, Subject, SubjectKind } from './subject.ts';

/** The judged version of the content. It results from the events of `stream` up to `revision`. */
export interface Evidence {
  readonly stream: StreamId;
  readonly revision: number;
}

interface CaseDecision {
  readonly decisionId: string;
  readonly moderatorId: string | null;
  readonly outcome: Outcome;
  readonly isAutomated: boolean;
  readonly hidingRuleId: string | null;
  readonly wasHidden: boolean;
  /** Empty after the erasure of the owner. */
  readonly facts: string;
  readonly evidence: Evidence;
  /** ISO 8601. */
  readonly at: string;
  readonly isAppealed: boolean;
}

/** The case about one subject. */
export interface ModerationCase {
  readonly caseId: CaseId;
  readonly subject: Subject;
  readonly ownerId: string | null;
  /** The number of the current round. It starts with 1 and increases each time the case is opened. */
  readonly round: number;
  readonly openedAt: string;
  /** True if the case waits for a moderator. */
  readonly isOpen: boolean;
  readonly priority: CasePriority;
  /** Ids of the most recent reports, so that each report is counted once. */
  readonly reportIds: readonly string[];
  /** The first reported version in this round. */
  readonly evidence: Evidence;
  readonly claim: { readonly moderatorId: string; readonly at: string } | null;
  /** The newest decision, or null. */
  readonly decision: CaseDecision | null;
  /** The appeal that is not decided yet, or null. */
  readonly appeal: { readonly decisionId: string; readonly accountId: string; readonly filedAt: string } | null;
  /** True if the case hides its subject. The decision and the appeal determine this. */
  readonly isHidingSubject: boolean;
}

/** State of a case. Null before the case is opened for the first time. */
export type CaseState = ModerationCase | null;

const REPORT_IDS_MAX = 500;

function evolve(state: CaseState, event: ModerationEvent, at: string): CaseState {
  if (event.type === 'CaseOpened') {
    return {
      reportIds: state?.reportIds ?? [],
      decision: state?.decision ?? null,
      appeal: state?.appeal ?? null,
      isHidingSubject: state?.isHidingSubject ?? false,
      ...event.data,
      openedAt: at,
      isOpen: true,
      priority: 'normal',
      claim: null,
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
      const { reportId, priority } = event.data;
      return {
        ...state,
        reportIds: [...state.reportIds, reportId].slice(-REPORT_IDS_MAX),
        priority: priority === 'high' ? 'high' : state.priority,
      };
    }
    case 'CaseClaimed':
      return { ...state, claim: { moderatorId: event.data.moderatorId, at } };
    case 'CaseReleased':
      return { ...state, claim: null };
    case 'CaseDecided': {
      const { decisionId, moderatorId, outcome, isAutomated, hidingRuleId, facts, wasHidden, evidence } = event.data;
      const decision: CaseDecision = {
        decisionId,
        moderatorId,
        outcome,
        isAutomated,
        hidingRuleId,
        facts,
        wasHidden,
        evidence,
        at,
        isAppealed: false,
      };
      return {
        ...state,
        decision,
        isHidingSubject: outcome !== 'kept',
        ...(!isAutomated && { isOpen: false, claim: null }),
      };
    }
    case 'AppealFiled': {
      const { decisionId, accountId } = event.data;
      return {
        ...state,
        appeal: { decisionId, accountId, filedAt: at },
        claim: null,
        decision: state.decision && { ...state.decision, isAppealed: true },
      };
    }
    case 'AppealDecided':
      return {
        ...state,
        appeal: null,
        claim: null,
        isHidingSubject: event.data.outcome === 'upheld' && state.isHidingSubject,
      };
  }
}

/** The aggregate of a case. Its stream is `case-{kind}-{id}`, in which `{kind}-{id}` is the result of `toCaseId`. */
export const moderationCase: Aggregate<CaseState, ModerationEvent> = {
  name: 'case',
  initial: null,
  evolve,
  eventDefinitions: moderationEvents,
};

const OUTCOMES_OF: Readonly<Record<SubjectKind, readonly Outcome[]>> = {
  ad: ['kept', 'hidden', 'removed', 'account_closed'],
  media: ['kept', 'hidden', 'removed', 'account_closed'],
  account: ['kept', 'hidden', 'account_closed'],
  thread: ['kept', 'hidden', 'removed', 'account_closed'],
  post: ['kept', 'hidden', 'removed', 'account_closed'],
  article: ['kept', 'removed'],
};

/** Returns the outcomes that a moderator can choose for a subject of this kind. */
export function outcomesOf(kind: SubjectKind): readonly Outcome[] {
  return OUTCOMES_OF[kind];
}
