import {
  replay,
  toStreamId,
  toReadableEvent,
  type EventStore,
  type ReplayEvent,
  type ReplayState,
} from '@alpenglow/domain';
import { readModelOf, type Projection } from './projection.ts';

const PAGE_events = 500;

/**
 * Returns the ids of the events that an admin has permanently excluded from all versions of `projection`. The reason of
 * the admin is not needed, so it does not matter if it cannot be decrypted.
 */
export async function readSkippedEventIds(
  store: Pick<EventStore, 'readStream'>,
  projection: Projection,
): Promise<ReadonlySet<string>> {
  let state: ReplayState = replay.initial;
  for (let from = 0; ; from += PAGE_events) {
    const page = await store.readStream(toStreamId(replay, readModelOf(projection)), { from, limit: PAGE_events });
    for (const recorded of page) {
      const event = toReadableEvent(recorded);
      if (event) state = replay.evolve(state, event as unknown as ReplayEvent, recorded.meta.at);
    }
    if (page.length < PAGE_events) return new Set(state.skippedEventIds);
  }
}
