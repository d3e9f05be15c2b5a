import {
  replay,
  toStreamId,
  toDomainEvent,
  type EventStore,
  type ReplayEvent,
  type ReplayState,
} from '@alpenglow/domain';

const PAGE_events = 500;

/** Returns the ids of the events that an admin has permanently excluded from `projection`. */
export async function readSkippedEventIds(
  store: Pick<EventStore, 'readStream'>,
  projection: string,
): Promise<ReadonlySet<string>> {
  let state: ReplayState = replay.initial;
  for (let from = 0; ; from += PAGE_events) {
    const page = await store.readStream(toStreamId(replay, projection), { from, limit: PAGE_events });
    for (const recorded of page) {
      const event = toDomainEvent(recorded);
      if (event) state = replay.evolve(state, event as unknown as ReplayEvent, recorded.meta.at);
    }
    if (page.length < PAGE_events) return new Set(state.skippedEventIds);
  }
}
