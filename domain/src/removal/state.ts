import type { Aggregate } from '../aggregate.ts';
import { APPEAL_WINDOW_ms, type AppealOutcome } from '../moderation/fields.ts';
import type { Subject } from '../moderation/subject.ts';
import { toReference } from '../report/state.ts';
import type { IdentityCopy } from './commands.ts';
import { removalEvents, type RemovalEvent } from './events.ts';
import { removalDeadline, type RemovalOutcome, type RemovalRelation } from './fields.ts';

/** The decision of a moderator. `at` is its time in ISO 8601. */
interface Decided<Outcome> {
  readonly moderatorId: string;
  readonly outcome: Outcome;
  readonly facts: string;
  readonly at: string;
}

/** A removal request. After the erasure of its personal data, the texts are empty. */
export interface RemovalRequest {
  readonly requestId: string;
  /** The time of the request in ISO 8601. */
  readonly requestedAt: string;
  readonly relation: RemovalRelation;
  readonly subjects: readonly Subject[];
  readonly hidesAtOnce: boolean;
  readonly name: string;
  readonly email: string;
  readonly links: readonly string[];
  readonly hashes: readonly string[];
  readonly signature: string;
  readonly notes: readonly { readonly text: string; readonly at: string }[];
  /**
   * `open` waits for a moderator. `valid` was decided, and the content is being removed. `completed` means that
   * everything is removed.
   */
  readonly status: 'open' | 'withdrawn' | 'rejected' | 'valid' | 'completed';
  /** The time since which the request or the appeal waits for a decision, in ISO 8601. */
  readonly waitsSince: string;
  /** The hours of the newest warning in this time. 0 without one. */
  readonly warned_h: number;
  readonly decision: Decided<RemovalOutcome> | null;
  /** The appeal against a rejection, or null. */
  readonly appeal: { readonly text: string; readonly at: string } | null;
  readonly appealDecision: Decided<AppealOutcome> | null;
  readonly completed: {
    readonly at: string;
    readonly removed: readonly Subject[];
    readonly copies: number;
    readonly identityChecks?: number;
  } | null;
  /** The identity checks with copies that were found. Missing if there are none. */
  readonly identityCopies?: readonly IdentityCopy[];
  readonly isErased: boolean;
}

/** State of a removal request. Null before the request. */
export type RemovalState = RemovalRequest | null;

function evolve(state: RemovalState, event: RemovalEvent, at: string): RemovalState {
  if (event.type === 'RemovalRequested') {
    const { isRecovered: _isRecovered, ...requested } = event.data;
    return {
      ...requested,
      notes: [],
      status: 'open',
      waitsSince: requested.requestedAt,
      warned_h: 0,
      decision: null,
      appeal: null,
      appealDecision: null,
      completed: null,
      isErased: false,
    };
  }
  return state && evolveRequested(state, event, at);
}

function evolveRequested(
  state: RemovalRequest,
  event: Exclude<RemovalEvent, { type: 'RemovalRequested' }>,
  at: string,
): RemovalRequest {
  switch (event.type) {
    case 'RemovalNoteAdded':
      return { ...state, notes: [...state.notes, { text: event.data.text, at }] };
    case 'RemovalWithdrawn':
      return { ...state, status: 'withdrawn' };
    case 'RemovalWarned':
      return { ...state, warned_h: event.data.after_h };
    case 'RemovalDecided': {
      const { moderatorId, outcome, facts } = event.data;
      return { ...state, status: outcome, decision: { moderatorId, outcome, facts, at } };
    }
    case 'RemovalIdentityCopiesFound':
      return { ...state, identityCopies: [...(state.identityCopies ?? []), ...event.data.identityCopies] };
    case 'RemovalCompleted': {
      const { removed, copies, identityChecks } = event.data;
      const counted = identityChecks !== undefined && { identityChecks };
      return { ...state, status: 'completed', completed: { at, removed, copies, ...counted } };
    }
    case 'RemovalAppealed':
      return { ...state, appeal: { text: event.data.text, at }, waitsSince: at, warned_h: 0 };
    case 'RemovalAppealDecided': {
      const { moderatorId, outcome, facts } = event.data;
      return {
        ...state,
        status: outcome === 'overturned' ? 'valid' : state.status,
        appealDecision: { moderatorId, outcome, facts, at },
      };
    }
    case 'RemovalDataErased':
      return { ...state, isErased: true };
  }
}

/** The aggregate of a removal request. Its event stream is `removal-{requestId}`. */
export const removal: Aggregate<RemovalState, RemovalEvent> = {
  name: 'removal',
  initial: null,
  evolve,
  eventDefinitions: removalEvents,
};

/** Checks whether an appeal against the rejection waits for a moderator. */
export const isAppealOpen = ({ status, appeal, appealDecision }: RemovalRequest): boolean =>
  status === 'rejected' && appeal !== null && appealDecision === null;

/** Checks whether the request or its appeal waits for a moderator. */
export const isRemovalWaiting = (state: RemovalRequest): boolean => state.status === 'open' || isAppealOpen(state);

/** Checks whether the request or its appeal waits for a moderator, or whether the removal is not completed. */
export const isRemovalUnfinished = (state: RemovalRequest): boolean =>
  isRemovalWaiting(state) || state.status === 'valid';

/**
 * Returns the end of the time to decide the request or its appeal and to complete the removal, in ISO 8601. Null if
 * nothing remains to be done.
 */
export const deadlineOf = (state: RemovalRequest): string | null =>
  isRemovalUnfinished(state) ? removalDeadline(state.waitsSince) : null;

/** Returns the end of the time for an appeal in ISO 8601. Null if an appeal is not possible. */
export function removalAppealableUntil({ status, decision, appeal }: RemovalRequest, now: string): string | null {
  if (status !== 'rejected' || decision === null || appeal !== null) return null;
  const until = new Date(Date.parse(decision.at) + APPEAL_WINDOW_ms).toISOString();
  return now <= until ? until : null;
}

/** Returns the number of everything that was removed: contents, and identity checks whose pictures were removed. */
export const countRemoved = ({ removed, identityChecks = 0 }: NonNullable<RemovalRequest['completed']>): number =>
  removed.length + identityChecks;

/** Returns the decision by which the content is removed, or null. */
export function validDecisionOf({
  status,
  decision,
  appealDecision,
}: RemovalRequest): Pick<Decided<unknown>, 'moderatorId' | 'facts' | 'at'> | null {
  if (status !== 'valid' && status !== 'completed') return null;
  return decision?.outcome === 'valid' ? decision : appealDecision;
}

/** Returns the reference of a removal request, e.g. `T-1C6T2M4XA07KQ2M`, by which people can talk about it. */
export const removalReference = (requestId: string): string => `T-${toReference(requestId)}`;
