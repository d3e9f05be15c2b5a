import type { Aggregate } from '../aggregate.ts';
import { moderationEvents, type ModerationEvent } from './events.ts';
import type { CasePriority, Outcome } from './fields.ts';
import type { Subject } from './subject.ts';

/** The version something was judged by: a stream as it stood after its event of this revision. */
export interface Evidence {
  readonly stream: string;
  readonly revision: number;
}

export interface CaseDecision {
  readonly decisionId: string;
  readonly moderatorId: string | null;
  readonly outcome: Outcome;
  readonly isAutomated: boolean;
  readonly hidingRuleId: string | null;
  readonly wasHidden: boolean;
  /** Empty once the owner is erased. */
  readonly facts: string;
  readonly evidence: Evidence;
  /** ISO 8601. */
  readonly at: string;
  readonly isAppealed: boolean;
}

/** All there is to decide about one subject. */
export interface ModerationCase {
  readonly caseId: string;
  readonly subject: Subject;
  readonly ownerId: string | null;
  /** From 1; another one each time it is opened again. */
  readonly round: number;
  readonly openedAt: string;
  /** It waits for a moderator. */
  readonly isOpen: boolean;
  readonly priority: CasePriority;
  /** Ids of its reports, the last ones of very many: each is counted once. */
  readonly reports: readonly string[];
  /** The first version of this round that somebody found something wrong with. */
  readonly evidence: Evidence;
  readonly claim: { readonly moderatorId: string; readonly at: string } | null;
  /** The newest one. */
  readonly decision: CaseDecision | null;
  /** The appeal that waits to be decided. */
  readonly appeal: { readonly decisionId: string; readonly accountId: string; readonly filedAt: string } | null;
  /** What follows from all of it: whether the case holds its subject out of sight. */
  readonly isHolding: boolean;
}

/** Null until it is opened for the first time. */
export type CaseState = ModerationCase | null;

const REPORTS_REMEMBERED = 500;

function evolve(state: CaseState, event: ModerationEvent, at: string): CaseState {
  if (event.type === 'CaseOpened') {
    const { caseId, subject, ownerId, round, evidence } = event.data;
    const before = {
      reports: state?.reports ?? [],
      decision: state?.decision ?? null,
      appeal: state?.appeal ?? null,
      isHolding: state?.isHolding ?? false,
    };
    return {
      ...before,
      caseId,
      subject,
      ownerId,
      round,
      openedAt: at,
      isOpen: true,
      priority: 'normal',
      evidence,
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
        reports: [...state.reports, reportId].slice(-REPORTS_REMEMBERED),
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
      return { ...state, decision, isHolding: outcome !== 'kept', ...(!isAutomated && { isOpen: false, claim: null }) };
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
      return { ...state, appeal: null, claim: null, isHolding: event.data.outcome === 'upheld' && state.isHolding };
  }
}

/** Named so that its stream is `case-{kind}-{id}`, by the id of `caseIdOf`. */
export const moderationCase: Aggregate<CaseState, ModerationEvent> = {
  name: 'case',
  initial: null,
  evolve,
  definitions: moderationEvents,
};
