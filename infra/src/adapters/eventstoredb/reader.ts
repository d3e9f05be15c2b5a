import { EventStoreUnavailable, START_POSITION, type Position, type RecordedEvent } from '@alpenglow/domain';
import { BACKWARDS, END, START as BEGINNING, type EventStoreDBClient, type ResolvedEvent } from '@eventstore/db-client';
import type { Readable } from 'node:stream';
import { MAX_READ_EVENTS } from '../event-store-input.ts';
import { isUserEvent, toRecordedEvent, type ReceivedEvent } from './envelope.ts';
import { isTombstoned, isUnknownStream } from './errors.ts';
import { readInBatches } from './read-in-batches.ts';
import { toLogPosition, toPosition } from './positions.ts';
import { REQUEST_TIMEOUT_ms, sendWithRetry } from './request.ts';

/** Reads use the leader, because a follower may lack events that the caller has just written. */
const FROM_LEADER = { requiresLeader: true } as const;
const BUFFERED_EVENTS = 500;
const SMALL_BUFFER = { highWaterMark: 16 } as const;

interface StreamPage {
  readonly direction: 'forwards' | 'backwards';
  /**
   * The first revision to read. If undefined, a read forwards starts at the first event, and backwards at the last one.
   */
  readonly from: number | undefined;
  readonly limit: number;
}

export type Reader = ReturnType<typeof createReader>;

/**
 * Creates a reader of the event store. Its reads run until `closing` aborts. They reject with `EventStoreUnavailable`
 * if no event arrives for 10 s. The total time of a read is not limited.
 */
export function createReader(client: EventStoreDBClient, closing: AbortSignal) {
  /** `upTo` is the checked end of the log. `head` is the last event of ours up to `upTo`. */
  let checked: { readonly upTo: Position; readonly head: Position } = { upTo: START_POSITION, head: START_POSITION };

  /** Yields the events of a read. If the caller stops early, the read ends on the server too. */
  async function* eventsOf(read: Readable & { cancel(): Promise<void> }): AsyncGenerator<ReceivedEvent> {
    try {
      for await (const batch of readInBatches<ResolvedEvent>(read, {
        max: MAX_READ_EVENTS,
        signal: closing,
        idleTimeout_ms: REQUEST_TIMEOUT_ms,
      })) {
        for (const { event } of batch) if (event) yield event;
      }
      if (closing.aborted) throw new EventStoreUnavailable('The event store is closed');
    } finally {
      read.cancel().catch(() => undefined);
    }
  }

  /**
   * Returns the position of the last event of ours. Reads backwards from the end of the log and skips the server's own
   * events. An idle store may have many of them, so no range is read twice.
   */
  async function head(): Promise<Position> {
    let upTo: Position | null = null;
    let found: Position | null = null;
    for await (const event of eventsOf(
      client.readAll({ ...FROM_LEADER, direction: BACKWARDS, fromPosition: END }, SMALL_BUFFER),
    )) {
      const position = toPosition(event.position);
      upTo ??= position;
      if (position <= checked.upTo) break;
      if (isUserEvent(event)) {
        found = position;
        break;
      }
    }
    // The result is stored only if it is newer than the result of a parallel call.
    if (upTo !== null && upTo > checked.upTo) checked = { upTo, head: found ?? checked.head };
    return checked.head;
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
    // The read ends at the last event of ours. The server's own events after it are not read.
    const until = await head();
    const events: RecordedEvent[] = [];
    if (after >= until) return events;
    const wanted = types && new Set(types);
    for await (const event of eventsOf(
      client.readAll({ ...FROM_LEADER, fromPosition }, { highWaterMark: Math.min(limit, BUFFERED_EVENTS) }),
    )) {
      const position = toPosition(event.position);
      // The server also returns the event at `after` itself, so it is skipped.
      if (position > after && isUserEvent(event) && (!wanted || wanted.has(event.type)))
        events.push(toRecordedEvent(event));
      if (events.length === limit || position >= until) break;
    }
    return events;
  }

  return {
    /** Returns one page of a stream. The page is empty if the stream does not exist or was deleted. */
    readStream: (stream: string, page: StreamPage): Promise<RecordedEvent[]> =>
      sendWithRetry(() => readStream(stream, page)),
    /**
     * Returns at most `limit` events of these types after `after`. Events that are appended after the start of the read
     * are not included.
     */
    readAll: (after: Position, limit: number, types: readonly string[] | undefined): Promise<RecordedEvent[]> =>
      sendWithRetry(() => readAll(after, limit, types)),
    /** Returns the position of the last event that `readAll` can return, or `START_POSITION`. */
    head: (): Promise<Position> => sendWithRetry(head),
  };
}
