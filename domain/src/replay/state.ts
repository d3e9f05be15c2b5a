import type { Aggregate } from '../aggregate.ts';
import { replayEvents, type ReplayEvent } from './events.ts';

/** The requests of admins about one projection. */
export interface ReplayState {
  /** Id of the rebuild that was requested last, or null. */
  readonly rebuildId: string | null;
  /** Ids of the events that are excluded permanently. */
  readonly skippedEventIds: readonly string[];
}

function evolve(state: ReplayState, event: ReplayEvent): ReplayState {
  switch (event.type) {
    case 'RebuildRequested':
      return { ...state, rebuildId: event.data.rebuildId };
    case 'ParkedEventSkipped':
      return { ...state, skippedEventIds: [...state.skippedEventIds, event.data.eventId] };
    case 'RebuildPaused':
    case 'RebuildResumed':
    case 'RebuildCancelled':
    case 'RebuildSwapRequested':
    case 'RebuildReverted':
    case 'ParkedEventRetried':
      return state;
  }
}

/** The aggregate of the requests of admins about one projection. Its stream is `projection-{name}`. */
export const replay: Aggregate<ReplayState, ReplayEvent> = {
  name: 'projection',
  initial: { rebuildId: null, skippedEventIds: [] },
  evolve,
  eventDefinitions: replayEvents,
};
