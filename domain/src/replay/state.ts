import type { Aggregate } from '../aggregate.ts';
import { replayEvents, type ReplayEvent } from './events.ts';

/** The actions that admins have requested for one read model, e.g. a rebuild of its tables. */
export interface ReplayState {
  /** Id of the rebuild that was requested last, or null. */
  readonly rebuildId: string | null;
  /** Ids of the events that admins have excluded from the read model permanently. */
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

/** The aggregate of the actions that admins request for one read model. Its event stream is `projection-{name}`. */
export const replay: Aggregate<ReplayState, ReplayEvent> = {
  name: 'projection',
  initial: { rebuildId: null, skippedEventIds: [] },
  evolve,
  eventDefinitions: replayEvents,
  ignoresPersonalFields: true,
};
