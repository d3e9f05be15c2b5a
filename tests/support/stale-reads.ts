import type { EventStore, Position } from '@alpenglow/domain';
import { findConfirmed } from '../../infra/src/adapters/eventstoredb/confirm-loss.ts';

/**
 * Wraps an event store, so that the first read of the event at each position is stale: it returns the id of another
 * event, as a node of EventStoreDB that was the leader before may do for a moment. Later reads return the event of
 * `store`. As the adapter of EventStoreDB does, `findEventId` confirms a difference from the expected id by a second
 * read. A caller that expects no id therefore receives the stale result.
 */
export function withStaleFirstReads<Store extends Pick<EventStore, 'findEventId'>>(store: Store): Store {
  const read = new Set<Position>();
  const { signal } = new AbortController();
  async function find(position: Position): Promise<string | null> {
    if (read.has(position)) return store.findEventId(position, null);
    read.add(position);
    return 'an event of a former leader';
  }
  return {
    ...store,
    findEventId: (position: Position, expected: string | null) =>
      findConfirmed(() => find(position), expected, { signal, confirmAfter_ms: 1 }),
  };
}
