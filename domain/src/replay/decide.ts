import { DomainError } from '../errors.ts';
import type { ReplayEvent } from './events.ts';
import type { RebuildState } from './fields.ts';
import type { ReplayState } from './state.ts';

/** How far the rebuild that was begun last has come, as the projectors tell; null before the first. */
export interface RebuildStanding {
  readonly rebuildId: string;
  readonly state: RebuildState;
}

/** The last rebuild and the version a swap has put aside, of one projection. */
export interface ReplayStanding {
  readonly rebuild: RebuildStanding | null;
  readonly previous: { readonly isReverting: boolean } | null;
}

export interface ParkedEventRef {
  readonly eventId: string;
  readonly position: string;
}

/** So many events left out say that the projection itself has to be mended. */
export const SKIPPED_EVENTS_MAX = 1_000;

const ENDED: readonly RebuildState[] = ['swapped', 'reverted', 'cancelled', 'failed'];

/** Asks for a rebuild. Refuses with REBUILD_UNDER_WAY while one has not ended, or the tables of before are being brought back. */
export function requestRebuild(
  projection: string,
  rebuildId: string,
  { rebuild, previous }: ReplayStanding,
  state: ReplayState,
): readonly ReplayEvent[] {
  const isBegun = state.rebuildId === null || rebuild?.rebuildId === state.rebuildId;
  if (!isBegun || (rebuild !== null && !ENDED.includes(rebuild.state)) || previous?.isReverting)
    throw new DomainError('REBUILD_UNDER_WAY');
  return [{ type: 'RebuildRequested', data: { projection, rebuildId } }];
}

/** Lets a rebuild rest, so that it goes on from there. Refuses with REBUILD_NOT_POSSIBLE where none is at work. */
export function pauseRebuild(projection: string, { rebuild }: ReplayStanding): readonly ReplayEvent[] {
  return [{ type: 'RebuildPaused', data: { projection, rebuildId: rebuildIn(rebuild, ['running', 'checking']) } }];
}

/** Has a rebuild go on. Refuses with REBUILD_NOT_POSSIBLE where none rests. */
export function resumeRebuild(projection: string, { rebuild }: ReplayStanding): readonly ReplayEvent[] {
  return [{ type: 'RebuildResumed', data: { projection, rebuildId: rebuildIn(rebuild, ['paused']) } }];
}

/** Throws the rebuilt tables away. Refuses with REBUILD_NOT_POSSIBLE where there are none. */
export function cancelRebuild(projection: string, { rebuild }: ReplayStanding): readonly ReplayEvent[] {
  return [
    {
      type: 'RebuildCancelled',
      data: { projection, rebuildId: rebuildIn(rebuild, ['running', 'paused', 'checking', 'ready']) },
    },
  ];
}

/** Has the rebuilt tables read from now on. Refuses with REBUILD_NOT_POSSIBLE unless they were checked against those that are read. */
export function requestSwap(projection: string, { rebuild }: ReplayStanding): readonly ReplayEvent[] {
  return [{ type: 'RebuildSwapRequested', data: { projection, rebuildId: rebuildIn(rebuild, ['ready']) } }];
}

/** Has the tables of before the last swap read again. Refuses with NO_PREVIOUS_VERSION, and with REBUILD_UNDER_WAY while they are on their way back or a swap is. */
export function revertRebuild(projection: string, { rebuild, previous }: ReplayStanding): readonly ReplayEvent[] {
  if (!previous) throw new DomainError('NO_PREVIOUS_VERSION');
  if (previous.isReverting || rebuild?.state === 'swapping') throw new DomainError('REBUILD_UNDER_WAY');
  return [{ type: 'RebuildReverted', data: { projection } }];
}

/** Tries an event that was set aside again, and those that wait behind it. */
export function retryParkedEvent(projection: string, event: ParkedEventRef): readonly ReplayEvent[] {
  return [{ type: 'ParkedEventRetried', data: { projection, ...event } }];
}

/** Leaves an event out of a projection for good. `subjectId` is the account it is about. Refuses with TOO_MANY_SKIPPED. */
export function skipParkedEvent(
  projection: string,
  event: ParkedEventRef & { readonly subjectId: string | null; readonly reason: string },
  state: ReplayState,
): readonly ReplayEvent[] {
  if (state.skipped.includes(event.eventId)) return [];
  if (state.skipped.length >= SKIPPED_EVENTS_MAX)
    throw new DomainError('TOO_MANY_SKIPPED', { max: SKIPPED_EVENTS_MAX });
  return [{ type: 'ParkedEventSkipped', data: { projection, ...event } }];
}

function rebuildIn(rebuild: RebuildStanding | null, states: readonly RebuildState[]): string {
  if (!rebuild || !states.includes(rebuild.state)) throw new DomainError('REBUILD_NOT_POSSIBLE');
  return rebuild.rebuildId;
}
