import type { Aggregate } from '../aggregate.ts';
import { replayEvents, type ReplayEvent } from './events.ts';

/** What admins have asked of one projection. */
export interface ReplayState {
  /** Of the rebuild that was asked for last; null before the first. */
  readonly rebuildId: string | null;
  /** Ids of the events it leaves out for good. */
  readonly skipped: readonly string[];
}

function evolve(state: ReplayState, event: ReplayEvent): ReplayState {
  switch (event.type) {
    case 'RebuildRequested':
      return { ...state, rebuildId: event.data.rebuildId };
    case 'ParkedEventSkipped':
      return { ...state, skipped: [...state.skipped, event.data.eventId] };
    case 'RebuildPaused':
    case 'RebuildResumed':
    case 'RebuildCancelled':
    case 'RebuildSwapRequested':
    case 'RebuildReverted':
    case 'ParkedEventRetried':
      return state;
  }
}

/** Its streams are `projection-{name}`. */
export const replay: Aggregate<ReplayState, ReplayEvent> = {
  name: 'projection',
  initial: { rebuildId: null, skipped: [] },
  evolve,
  definitions: replayEvents,
};
