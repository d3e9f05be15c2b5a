import { toStreamId, type Aggregate, type DomainEvent, type EventStore, type LoadedState } from '@alpenglow/domain';
import { LRUCache } from 'lru-cache';
import { emptyStream, evolveWith, STREAM_PAGE_events, toEvent } from './loaded-state.ts';

/** A cached state, and the id of the last event that it contains. */
interface CachedState extends LoadedState<unknown> {
  readonly lastEventId: string;
}

const CACHED_STREAMS = 5_000;

export type StreamStates = ReturnType<typeof createStreamStates>;

/**
 * Owns the cached states of streams, so that only newer events are read. Invariant: a state that was loaded before
 * `forget` is not stored after it, because it may contain personal data that was erased.
 */
export function createStreamStates(store: Pick<EventStore, 'readStream'>) {
  const cache = new LRUCache<string, CachedState>({ max: CACHED_STREAMS });
  /** The number of times that the cache was cleared. */
  let invalidations = 0;

  /** Stores a state that was loaded or derived since the cache had the version `atStart`. */
  function add(stream: string, state: CachedState, atStart: number): void {
    if (atStart === invalidations) cache.set(stream, state);
  }

  async function load<State, Event extends DomainEvent>(
    aggregate: Aggregate<State, Event>,
    id: string,
  ): Promise<LoadedState<State>> {
    const stream = toStreamId(aggregate, id);
    const atStart = invalidations;
    const cached = cache.get(stream);
    let loaded = (cached as LoadedState<State> | undefined) ?? emptyStream(aggregate);
    let lastEventId = cached?.lastEventId ?? null;
    // The last event of the cached state is read again. After a failover or a restore, the stream may have another
    // event with this revision, or no event. The cached state is then of no use.
    let from = Math.max(0, loaded.revision);
    for (;;) {
      const page = await store.readStream(stream, { from, limit: STREAM_PAGE_events });
      const isCachedEvent = from === loaded.revision;
      if (isCachedEvent && page[0]?.id !== lastEventId) {
        cache.delete(stream);
        return load(aggregate, id);
      }
      for (const recorded of isCachedEvent ? page.slice(1) : page) {
        loaded = evolveWith(
          aggregate,
          loaded.state,
          toEvent(aggregate, stream, recorded) as unknown as Event,
          recorded,
        );
        lastEventId = recorded.id;
      }
      if (page.length < STREAM_PAGE_events) break;
      from = loaded.revision + 1;
    }
    if (lastEventId !== null) add(stream, { ...loaded, lastEventId }, atStart);
    return loaded;
  }

  return {
    add,
    load,
    version: (): number => invalidations,
    forget(): void {
      invalidations += 1;
      cache.clear();
    },
  };
}
