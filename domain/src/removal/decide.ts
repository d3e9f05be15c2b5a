import type { Decider, EmptyCommand } from '../aggregate.ts';
import { DomainError } from '../error-catalogue.ts';
import type {
  CompleteRemoval,
  DecideRemoval,
  DecideRemovalAppeal,
  RecordIdentityCopies,
  RemovalText,
  RequestRemoval,
} from './commands.ts';
import type { RemovalEvent } from './events.ts';
import { REMOVAL_NOTES_MAX, REMOVAL_WARNINGS_h, removalDeadline } from './fields.ts';
import {
  isAppealOpen,
  isRemovalUnfinished,
  isRemovalWaiting,
  removalAppealableUntil,
  type RemovalRequest,
  type RemovalState,
} from './state.ts';

const HOUR_ms = 60 * 60_000;

/** Records a removal request. Idempotent, so a request is recovered only if it was lost. */
export const requestRemoval: Decider<RequestRemoval, RemovalState, RemovalEvent> = (
  { recoveredFrom, ...command },
  state,
  { now },
) =>
  state
    ? []
    : [
        {
          type: 'RemovalRequested',
          data: {
            ...command,
            subjects: [...command.subjects],
            requestedAt: recoveredFrom ?? now,
            isRecovered: recoveredFrom !== undefined,
          },
        },
      ];

/**
 * Adds a text of the person to a request that waits for a moderator. Throws REMOVAL_NOT_FOUND, REMOVAL_CLOSED and
 * TOO_MANY_NOTES.
 */
export const addRemovalNote: Decider<RemovalText, RemovalState, RemovalEvent> = ({ text }, state) => {
  const { requestId, notes } = requireWaiting(state);
  if (notes.length >= REMOVAL_NOTES_MAX) throw new DomainError('TOO_MANY_NOTES', { max: REMOVAL_NOTES_MAX });
  return [{ type: 'RemovalNoteAdded', data: { requestId, text } }];
};

/** Withdraws a request that waits for a moderator. Idempotent. Throws REMOVAL_NOT_FOUND and REMOVAL_CLOSED. */
export const withdrawRemoval: Decider<EmptyCommand, RemovalState, RemovalEvent> = (_command, state) => {
  if (state?.status === 'withdrawn') return [];
  const { requestId } = requireWaiting(state);
  return [{ type: 'RemovalWithdrawn', data: { requestId } }];
};

/**
 * Records that a request has waited for one of `REMOVAL_WARNINGS_h`, so that staff are warned. A valid one
 * waits until everything is removed. After a standstill, only the latest warning is recorded. Does nothing if it was
 * recorded before.
 */
export const warnAboutRemoval: Decider<EmptyCommand, RemovalState, RemovalEvent> = (_command, state, { now }) => {
  if (state === null || !isRemovalUnfinished(state)) return [];
  const waited_h = (Date.parse(now) - Date.parse(state.waitsSince)) / HOUR_ms;
  const after_h = REMOVAL_WARNINGS_h.findLast((hours) => hours <= waited_h) ?? 0;
  if (after_h <= state.warned_h) return [];
  const deadline = removalDeadline(state.waitsSince);
  return [{ type: 'RemovalWarned', data: { requestId: state.requestId, after_h, deadline } }];
};

/**
 * Records the decision of a moderator about a request. Throws REMOVAL_NOT_FOUND, NOTHING_TO_DECIDE, and OWN_CONTENT if
 * a moderator rejects to remove their own content.
 */
export const decideRemoval: Decider<DecideRemoval, RemovalState, RemovalEvent> = (
  { moderatorId, outcome, facts, ownerIds },
  state,
) => {
  const { requestId, requestedAt, status } = requireRequest(state);
  if (status !== 'open') throw new DomainError('NOTHING_TO_DECIDE');
  if (outcome === 'rejected' && ownerIds.includes(moderatorId)) throw new DomainError('OWN_CONTENT');
  return [{ type: 'RemovalDecided', data: { requestId, requestedAt, moderatorId, outcome, facts } }];
};

/**
 * Files the appeal of the person against the rejection, once and within 30 days. Throws REMOVAL_NOT_FOUND,
 * NOT_APPEALABLE, ALREADY_APPEALED and APPEAL_OVER.
 */
export const appealRemoval: Decider<RemovalText, RemovalState, RemovalEvent> = ({ text }, state, { now }) => {
  const found = requireRequest(state);
  if (found.isErased || found.status !== 'rejected') throw new DomainError('NOT_APPEALABLE');
  if (found.appeal) throw new DomainError('ALREADY_APPEALED');
  if (removalAppealableUntil(found, now) === null) throw new DomainError('APPEAL_OVER');
  return [{ type: 'RemovalAppealed', data: { requestId: found.requestId, text } }];
};

/**
 * Records the decision of another moderator about an appeal. Throws REMOVAL_NOT_FOUND, NO_APPEAL, ANOTHER_MODERATOR,
 * and OWN_CONTENT if the moderator upholds the rejection to remove their own content.
 */
export const decideRemovalAppeal: Decider<DecideRemovalAppeal, RemovalState, RemovalEvent> = (
  { moderatorId, outcome, facts, ownerIds },
  state,
) => {
  const found = requireRequest(state);
  if (!isAppealOpen(found) || found.appeal === null) throw new DomainError('NO_APPEAL');
  if (found.decision?.moderatorId === moderatorId) throw new DomainError('ANOTHER_MODERATOR');
  if (outcome === 'upheld' && ownerIds.includes(moderatorId)) throw new DomainError('OWN_CONTENT');
  const { requestId, appeal } = found;
  return [{ type: 'RemovalAppealDecided', data: { requestId, appealedAt: appeal.at, moderatorId, outcome, facts } }];
};

/**
 * Records the identity checks with copies, so that they are counted if an interrupted removal is continued after their
 * pictures were destroyed. Does nothing for those that are recorded, and unless the request is valid and not completed.
 */
export const recordIdentityCopies: Decider<RecordIdentityCopies, RemovalState, RemovalEvent> = ({ copies }, state) => {
  if (state?.status !== 'valid') return [];
  const { requestId, identityCopies = [] } = state;
  const found = copies.filter(({ checkId }) => !identityCopies.some((known) => known.checkId === checkId));
  return found.length === 0 ? [] : [{ type: 'RemovalIdentityCopiesFound', data: { requestId, identityCopies: found } }];
};

/** Records that everything is removed. Does nothing unless the request is valid and not completed. */
export const completeRemoval: Decider<CompleteRemoval, RemovalState, RemovalEvent> = (
  { removed, copies, identityChecks = 0 },
  state,
) => {
  if (state?.status !== 'valid') return [];
  const { requestId, requestedAt } = state;
  const counted = identityChecks > 0 && { identityChecks };
  return [{ type: 'RemovalCompleted', data: { requestId, requestedAt, removed: [...removed], copies, ...counted } }];
};

/** Records that the key of the request was destroyed. Does nothing if the request is unfinished or was erased. */
export const recordRemovalErasure: Decider<EmptyCommand, RemovalState, RemovalEvent> = (_command, state) =>
  state === null || state.isErased || isRemovalUnfinished(state)
    ? []
    : [{ type: 'RemovalDataErased', data: { requestId: state.requestId } }];

function requireRequest(state: RemovalState): RemovalRequest {
  if (state === null) throw new DomainError('REMOVAL_NOT_FOUND');
  return state;
}

function requireWaiting(state: RemovalState): RemovalRequest {
  const found = requireRequest(state);
  if (!isRemovalWaiting(found)) throw new DomainError('REMOVAL_CLOSED');
  return found;
}
