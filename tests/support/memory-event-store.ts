import { EventEmitter, once, setMaxListeners } from 'node:events';
import {
  ConcurrencyConflict,
  EventStoreUnavailable,
  InvalidAppend,
  LogRewound,
  START_POSITION,
  type AppendResult,
  type EventStore,
  type Position,
  type RecordedEvent,
  type StreamId,
} from '@alpenglow/domain';
import {
  checkAppend,
  checkPageSize,
  positionToCounter,
  startRevision,
  counterToPosition,
  MAX_READ_EVENTS,
  type CheckedAppend,
  type CheckedEvent,
} from '@alpenglow/infra';

interface StoredEvent extends CheckedEvent {
  readonly stream: StreamId;
  readonly revision: number;
  /** The number of the event in the log. The first event has the number 1. */
  readonly sequence: number;
}

/**
 * An event store in memory. `rewindTo` removes the events after a position, like the restore of an older backup or the
 * failover to a replica that lags behind.
 */
export interface MemoryEventStore extends EventStore {
  rewindTo(position: Position): void;
}

/** Creates an event store in memory, for tests. It behaves like the event stores that store events permanently. */
export function createMemoryEventStore(): MemoryEventStore {
  const log: StoredEvent[] = [];
  const streams = new Map<string, StoredEvent[]>();
  const byId = new Map<string, StoredEvent>();
  const changes = new EventEmitter().setMaxListeners(0);
  let closed = false;

  function resultOf(event: StoredEvent | undefined): AppendResult {
    if (!event) throw new Error('An append has at least one event');
    return { revision: event.revision, position: counterToPosition(event.sequence) };
  }

  function earlierResult({ stream, events }: CheckedAppend): AppendResult | null {
    const known = events.map(({ id }) => byId.get(id));
    if (known.every((event) => event === undefined)) return null;
    const first = known[0];
    const isSame = known.every(
      (event, index) => event?.stream === stream && event.sequence === (first?.sequence ?? 0) + index,
    );
    if (!isSame) throw new InvalidAppend(`Some event ids of this append to ${stream} belong to other events`);
    return resultOf(known.at(-1));
  }

  function add(append: CheckedAppend): AppendResult {
    const earlier = earlierResult(append);
    if (earlier) return earlier;
    const { stream, expectedRevision, events } = append;
    const history = streams.get(stream) ?? [];
    const actual = history.length - 1;
    if (expectedRevision !== 'any' && (expectedRevision === 'no-stream' ? -1 : expectedRevision) !== actual) {
      throw new ConcurrencyConflict(stream, expectedRevision, actual);
    }
    streams.set(stream, history);
    for (const event of events) {
      const stored = { ...event, stream, revision: history.length, sequence: log.length + 1 };
      history.push(stored);
      log.push(stored);
      byId.set(event.id, stored);
    }
    changes.emit('changed');
    return resultOf(log.at(-1));
  }

  function readAll(after: Position, limit: number, types?: readonly string[]): readonly RecordedEvent[] {
    const events: StoredEvent[] = [];
    for (
      let sequence = Number(positionToCounter(after));
      sequence < log.length && events.length < limit;
      sequence += 1
    ) {
      const event = log[sequence];
      if (event && (!types || types.includes(event.type))) events.push(event);
    }
    return events.map(toRecorded);
  }

  const idAt = (position: Position) => log[Number(positionToCounter(position)) - 1]?.id ?? null;

  return {
    append: async (stream, events, { expectedRevision }) => {
      if (closed) throw new EventStoreUnavailable('The event store is closed');
      return add(checkAppend(stream, events, expectedRevision));
    },
    readStream: async (stream, { from, direction = 'forwards', limit } = {}) => {
      const history = streams.get(stream) ?? [];
      const size = checkPageSize(limit);
      const start = startRevision(from, direction);
      if (direction === 'forwards') return history.slice(start, start + size).map(toRecorded);
      const end = Math.min(start + 1, history.length);
      return history
        .slice(Math.max(0, end - size), end)
        .reverse()
        .map(toRecorded);
    },
    readAll: async ({ after, limit, types }) => readAll(after, checkPageSize(limit), types),
    readHead: async () => (log.length === 0 ? START_POSITION : counterToPosition(log.length)),
    findEventId: async (position) => idAt(position),
    async *subscribeAll({ after, afterId = null, types, signal }) {
      // Any number of subscriptions may share one signal, so Node's warning about many listeners is disabled.
      setMaxListeners(0, signal);
      let cursor = after;
      let id = afterId ?? idAt(after);
      while (!signal.aborted && !closed) {
        if (cursor !== START_POSITION && (id === null || idAt(cursor) !== id)) throw new LogRewound(cursor);
        const events = readAll(cursor, MAX_READ_EVENTS, types);
        ({ position: cursor, id } = events.at(-1) ?? { position: cursor, id });
        if (events.length > 0) yield events;
        else await once(changes, 'changed', { signal }).catch(() => undefined);
      }
    },
    rewindTo(position) {
      for (const { id, stream } of log.splice(Number(positionToCounter(position)))) {
        byId.delete(id);
        streams.get(stream)?.pop();
      }
      changes.emit('changed');
    },
    close: async () => {
      closed = true;
      changes.emit('changed');
    },
  };
}

/**
 * Converts a stored event to the format of our `EventStore` interface. Parses the JSON text for every reader, so that
 * no reader can change the stored event.
 */
function toRecorded({ sequence, data, meta, ...event }: StoredEvent): RecordedEvent {
  return {
    ...event,
    position: counterToPosition(sequence),
    data: JSON.parse(data) as unknown,
    meta: JSON.parse(meta) as RecordedEvent['meta'],
  };
}
