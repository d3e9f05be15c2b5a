import { EventEmitter, once, setMaxListeners } from 'node:events';
import {
  ConcurrencyConflict,
  EventStoreUnavailable,
  InvalidAppend,
  START,
  type AppendResult,
  type EventStore,
  type Position,
  type RecordedEvent,
} from '@alpenglow/domain';
import {
  checkAppend,
  pageSize,
  positionToNumber,
  startRevision,
  toPosition,
  MAX_READ_EVENTS,
  type CheckedAppend,
  type CheckedEvent,
} from '../event-store-input.ts';

interface StoredEvent extends CheckedEvent {
  readonly stream: string;
  readonly revision: number;
  /** Its place in the log, from 1. */
  readonly place: number;
}

/** An event store that lives and dies with the process: for tests, under the same contract as the durable ones. */
export function createMemoryEventStore(): EventStore {
  const log: StoredEvent[] = [];
  const streams = new Map<string, StoredEvent[]>();
  const byId = new Map<string, StoredEvent>();
  const bell = new EventEmitter().setMaxListeners(0);
  let closed = false;

  function resultOf(event: StoredEvent | undefined): AppendResult {
    if (!event) throw new Error('An append has at least one event');
    return { revision: event.revision, position: toPosition(event.place) };
  }

  /** The answer given before, when these events are in the store already. */
  function earlierResult({ stream, events }: CheckedAppend): AppendResult | null {
    const known = events.map(({ id }) => byId.get(id));
    if (known.every((event) => event === undefined)) return null;
    const first = known[0];
    const isSame = known.every(
      (event, index) => event?.stream === stream && event.place === (first?.place ?? 0) + index,
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
      const stored = { ...event, stream, revision: history.length, place: log.length + 1 };
      history.push(stored);
      log.push(stored);
      byId.set(event.id, stored);
    }
    bell.emit('changed');
    return resultOf(log.at(-1));
  }

  function readAll(after: Position, limit: number, types?: readonly string[]): readonly RecordedEvent[] {
    const found: StoredEvent[] = [];
    for (let place = Number(positionToNumber(after)); place < log.length && found.length < limit; place += 1) {
      const event = log[place];
      if (event && (!types || types.includes(event.type))) found.push(event);
    }
    return found.map(toRecorded);
  }

  return {
    append: async (stream, events, { expectedRevision }) => {
      if (closed) throw new EventStoreUnavailable('The event store is closed');
      return add(checkAppend(stream, events, expectedRevision));
    },
    readStream: async (stream, { from, direction = 'forwards', limit } = {}) => {
      const history = streams.get(stream) ?? [];
      const size = pageSize(limit);
      const start = startRevision(from, direction);
      if (direction === 'forwards') return history.slice(start, start + size).map(toRecorded);
      const end = Math.min(start + 1, history.length);
      return history
        .slice(Math.max(0, end - size), end)
        .reverse()
        .map(toRecorded);
    },
    readAll: async ({ after, limit, types }) => readAll(after, pageSize(limit), types),
    head: async () => (log.length === 0 ? START : toPosition(log.length)),
    async *subscribeAll({ after, types, signal }) {
      // Any number of subscriptions may share one signal.
      setMaxListeners(0, signal);
      let cursor = after;
      while (!signal.aborted && !closed) {
        const events = readAll(cursor, MAX_READ_EVENTS, types);
        cursor = events.at(-1)?.position ?? cursor;
        if (events.length > 0) yield events;
        else await once(bell, 'changed', { signal }).catch(() => undefined);
      }
    },
    close: async () => {
      closed = true;
      bell.emit('changed');
    },
  };
}

/** Parsed anew for every reader, so that nobody can change history through an object they were given. */
function toRecorded({ place, data, meta, ...event }: StoredEvent): RecordedEvent {
  return {
    ...event,
    position: toPosition(place),
    data: JSON.parse(data) as unknown,
    meta: JSON.parse(meta) as RecordedEvent['meta'],
  };
}
