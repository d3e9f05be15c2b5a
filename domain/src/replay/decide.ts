import type { Decider } from '../aggregate.ts';
import { DomainError } from '../error-catalogue.ts';
import type { ChangeRebuild, RequestRebuild, RetryParkedEvent, SkipParkedEvent } from './commands.ts';
import type { ReplayEvent } from './events.ts';
import type { RebuildState } from './fields.ts';
import type { ReplayState } from './state.ts';

/** Maximum number of excluded events of a projection. A higher number indicates an error in the projection itself. */
export const SKIPPED_EVENTS_MAX = 1_000;

const ENDED: readonly RebuildState[] = ['swapped', 'reverted', 'cancelled', 'failed'];

/**
 * Requests a rebuild. Throws REBUILD_UNDER_WAY while another rebuild has not ended, or while a revert is in
 * progress.
 */
export const requestRebuild: Decider<RequestRebuild, ReplayState, ReplayEvent> = (
  { projection, rebuildId, status: { rebuild, previous } },
  state,
) => {
  const isBegun = state.rebuildId === null || rebuild?.rebuildId === state.rebuildId;
  if (!isBegun || (rebuild !== null && !ENDED.includes(rebuild.state)) || previous?.isReverting)
    throw new DomainError('REBUILD_UNDER_WAY');
  return [{ type: 'RebuildRequested', data: { projection, rebuildId } }];
};

/** Pauses a rebuild. Throws REBUILD_NOT_POSSIBLE if none is running. */
export const pauseRebuild = rebuildDecider('RebuildPaused', ['running', 'checking']);

/** Resumes a paused rebuild. Throws REBUILD_NOT_POSSIBLE if none is paused. */
export const resumeRebuild = rebuildDecider('RebuildResumed', ['paused']);

/** Discards the rebuilt tables. Throws REBUILD_NOT_POSSIBLE if there are none. */
export const cancelRebuild = rebuildDecider('RebuildCancelled', ['running', 'paused', 'checking', 'ready']);

/** Requests that the rebuilt tables replace the live tables. Throws REBUILD_NOT_POSSIBLE before both are compared. */
export const requestSwap = rebuildDecider('RebuildSwapRequested', ['ready']);

/**
 * Requests that the tables from before the last swap are restored. Throws NO_PREVIOUS_VERSION, and REBUILD_UNDER_WAY
 * while a revert or a swap is in progress.
 */
export const revertRebuild: Decider<ChangeRebuild, ReplayState, ReplayEvent> = ({
  projection,
  status: { rebuild, previous },
}) => {
  if (!previous) throw new DomainError('NO_PREVIOUS_VERSION');
  if (previous.isReverting || rebuild?.state === 'swapping') throw new DomainError('REBUILD_UNDER_WAY');
  return [{ type: 'RebuildReverted', data: { projection } }];
};

/** Retries a parked event, which a projection could not handle, and the events that wait for it. */
export const retryParkedEvent: Decider<RetryParkedEvent, ReplayState, ReplayEvent> = (command) => {
  return [{ type: 'ParkedEventRetried', data: command }];
};

/**
 * Excludes a parked event from a projection permanently. `subjectId` is the account that the event is about. Throws
 * TOO_MANY_SKIPPED.
 */
export const skipParkedEvent: Decider<SkipParkedEvent, ReplayState, ReplayEvent> = (command, state) => {
  if (state.skippedEventIds.includes(command.eventId)) return [];
  if (state.skippedEventIds.length >= SKIPPED_EVENTS_MAX)
    throw new DomainError('TOO_MANY_SKIPPED', { max: SKIPPED_EVENTS_MAX });
  return [{ type: 'ParkedEventSkipped', data: command }];
};

/**
 * Returns a decider that records `type` if the rebuild is in one of `states`. Otherwise, it throws
 * REBUILD_NOT_POSSIBLE.
 */
function rebuildDecider(
  type: 'RebuildPaused' | 'RebuildResumed' | 'RebuildCancelled' | 'RebuildSwapRequested',
  states: readonly RebuildState[],
): Decider<ChangeRebuild, ReplayState, ReplayEvent> {
  return ({ projection, status: { rebuild } }) => {
    if (!rebuild || !states.includes(rebuild.state)) throw new DomainError('REBUILD_NOT_POSSIBLE');
    return [{ type, data: { projection, rebuildId: rebuild.rebuildId } }];
  };
}
