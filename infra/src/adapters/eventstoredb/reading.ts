import { EventStoreUnavailable, START, type Position, type RecordedEvent } from '@alpenglow/domain';
import { BACKWARDS, END, START as BEGINNING, type EventStoreDBClient, type ResolvedEvent } from '@eventstore/db-client';
import type { Readable } from 'node:stream';
import { MAX_READ_EVENTS } from '../event-store-input.ts';
import { isForReaders, toRecordedEvent, type ReadEvent } from './envelope.ts';
import { isTombstoned, isUnknownStream } from './errors.ts';
import { gather } from './gather.ts';
import { toLogPosition, toPosition } from './positions.ts';
import { REQUEST_TIMEOUT_ms, request } from './request.ts';

/** A follower may lack what the leader has just confirmed, and whoever reads here must find what they wrote. */
const FROM_LEADER = { requiresLeader: true } as const;
/** How many events of a long read the client holds before anyone has taken them. */
const BUFFERED_EVENTS = 500;
const FEW = { highWaterMark: 16 } as const;

export interface StreamPage {
  readonly direction: 'forwards' | 'backwards';
  /** Undefined: the end that `direction` starts at. */
  readonly from: number | undefined;
  readonly limit: number;
}

export interface Reader {
  /** A stream that does not exist, or was deleted, is empty. */
  readStream(stream: string, page: StreamPage): Promise<RecordedEvent[]>;
  /** The events after `after`, at most `limit`, of these types, up to what was the last one when the read began. */
  readAll(after: Position, limit: number, types: readonly string[] | undefined): Promise<RecordedEvent[]>;
  /** The position of the last event that `readAll` can give, or `START`. */
  head(): Promise<Position>;
}

/** Reads through a client until `closing` aborts. Rejects with `EventStoreUnavailable` when nothing comes for 10 s; as long as events come, a read may take its time. */
export function createReader(client: EventStoreDBClient, closing: AbortSignal): Reader {
  /** How far the end of the log has been looked at, and the last event for readers up to there. */
  let looked: { readonly upTo: Position; readonly head: Position } = { upTo: START, head: START };

  /** The events of a read, one by one; leaving early ends it on the server too. */
  async function* eventsOf(read: Readable & { cancel(): Promise<void> }): AsyncGenerator<ReadEvent> {
    try {
      for await (const batch of gather<ResolvedEvent>(read, {
        max: MAX_READ_EVENTS,
        signal: closing,
        silence_ms: REQUEST_TIMEOUT_ms,
      })) {
        for (const { event } of batch) if (event) yield event;
      }
      if (closing.aborted) throw new EventStoreUnavailable('The event store is closed');
    } finally {
      read.cancel().catch(() => undefined);
    }
  }

  /** Backwards from the end of the log, past what the server wrote for itself, which may be much in a store that was idle; never twice over the same stretch. */
  async function head(): Promise<Position> {
    let upTo: Position | null = null;
    let found: Position | null = null;
    for await (const event of eventsOf(
      client.readAll({ ...FROM_LEADER, direction: BACKWARDS, fromPosition: END }, FEW),
    )) {
      const position = toPosition(event.position);
      upTo ??= position;
      if (position <= looked.upTo) break;
      if (isForReaders(event)) {
        found = position;
        break;
      }
    }
    // Another look may have got further meanwhile.
    if (upTo !== null && upTo > looked.upTo) looked = { upTo, head: found ?? looked.head };
    return looked.head;
  }

  async function readStream(stream: string, { direction, from, limit }: StreamPage): Promise<RecordedEvent[]> {
    const fromRevision = from === undefined ? (direction === 'forwards' ? BEGINNING : END) : BigInt(from);
    const events: RecordedEvent[] = [];
    try {
      const read = client.readStream(
        stream,
        { ...FROM_LEADER, direction, maxCount: limit, fromRevision },
        { highWaterMark: Math.min(limit, BUFFERED_EVENTS) },
      );
      for await (const event of eventsOf(read)) events.push(toRecordedEvent(event));
    } catch (error) {
      if (!isUnknownStream(error) && !isTombstoned(error)) throw error;
    }
    return events;
  }

  async function readAll(
    after: Position,
    limit: number,
    types: readonly string[] | undefined,
  ): Promise<RecordedEvent[]> {
    const fromPosition = toLogPosition(after);
    if (types?.length === 0) return [];
    // Without this, a reader at the end would go over all that the server has written for itself since, each time anew.
    const until = await head();
    const events: RecordedEvent[] = [];
    if (after >= until) return events;
    const wanted = types && new Set(types);
    for await (const event of eventsOf(
      client.readAll({ ...FROM_LEADER, fromPosition }, { highWaterMark: Math.min(limit, BUFFERED_EVENTS) }),
    )) {
      const position = toPosition(event.position);
      // The server begins with the event at the position itself.
      if (position > after && isForReaders(event) && (!wanted || wanted.has(event.type)))
        events.push(toRecordedEvent(event));
      if (events.length === limit || position >= until) break;
    }
    return events;
  }

  return {
    readStream: (stream, page) => request(() => readStream(stream, page)),
    readAll: (after, limit, types) => request(() => readAll(after, limit, types)),
    head: () => request(head),
  };
}
