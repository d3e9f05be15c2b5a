import type { Decider } from '../aggregate.ts';
import { DomainError } from '../error-catalogue.ts';
import type { ChangeRebuild, RequestRebuild, RetryParkedEvent, SkipParkedEvent } from './commands.ts';
import type { ReplayEvent } from './events.ts';
import type { RebuildState } from './fields.ts';
import type { ReplayState } from './state.ts';

/**
 * Maximum number of events that admins can exclude from one read model. If more events cannot be handled, the cause is
 * probably an error in the code of the read model.
 */
export const SKIPPED_EVENTS_MAX = 1_000;

const ENDED: readonly RebuildState[] = ['swapped', 'reverted', 'cancelled', 'failed'];

/**
 * Requests that the tables of a read model are rebuilt from the event log. Throws REBUILD_UNDER_WAY while another
 * rebuild has not ended, or while the previous tables are being restored.
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

/** Pauses the rebuild of a read model. Throws REBUILD_NOT_POSSIBLE if no rebuild is running. */
export const pauseRebuild = rebuildDecider('RebuildPaused', ['running', 'checking']);

/** Resumes the paused rebuild of a read model. Throws REBUILD_NOT_POSSIBLE if no rebuild is paused. */
export const resumeRebuild = rebuildDecider('RebuildResumed', ['paused']);

/**
 * Cancels the rebuild of a read model and discards the rebuilt tables. Throws REBUILD_NOT_POSSIBLE if there are no such
 * tables.
 */
export const cancelRebuild = rebuildDecider('RebuildCancelled', ['running', 'paused', 'checking', 'ready']);

/**
 * Requests that the rebuilt tables of a read model replace the live tables. Throws REBUILD_NOT_POSSIBLE if the rebuilt
 * tables have not yet been compared with the live tables.
 */
export const requestSwap = rebuildDecider('RebuildSwapRequested', ['ready']);

/**
 * Requests that the previous tables of a read model, which the last swap replaced, become the live tables again. Throws
 * NO_PREVIOUS_VERSION if there are no previous tables, and REBUILD_UNDER_WAY while tables are being replaced or
 * restored.
 */
export const revertRebuild: Decider<ChangeRebuild, ReplayState, ReplayEvent> = ({
  projection,
  status: { rebuild, previous },
}) => {
  if (!previous) throw new DomainError('NO_PREVIOUS_VERSION');
  if (previous.isReverting || rebuild?.state === 'swapping') throw new DomainError('REBUILD_UNDER_WAY');
  return [{ type: 'RebuildReverted', data: { projection } }];
};

/**
 * Requests a retry of a parked event. A parked event is stored because a projection, the code that fills a read model,
 * could not handle it. The events that wait for the parked event are retried too.
 */
export const retryParkedEvent: Decider<RetryParkedEvent, ReplayState, ReplayEvent> = (command) => {
  return [{ type: 'ParkedEventRetried', data: command }];
};

/**
 * Excludes a parked event from a projection permanently. A parked event is stored because the projection, the code that
 * fills a read model, could not handle it. `subjectId` is the account that the event is about. Throws TOO_MANY_SKIPPED
 * if too many events are already excluded.
 */
export const skipParkedEvent: Decider<SkipParkedEvent, ReplayState, ReplayEvent> = (command, state) => {
  if (state.skippedEventIds.includes(command.eventId)) return [];
  if (state.skippedEventIds.length >= SKIPPED_EVENTS_MAX)
    throw new DomainError('TOO_MANY_SKIPPED', { max: SKIPPED_EVENTS_MAX });
  return [{ type: 'ParkedEventSkipped', data: command }];
};

/**
 * Returns a function that records an event of the type `type` if the rebuild of a read model is in one of `states`.
 * Otherwise, the function throws REBUILD_NOT_POSSIBLE.
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
