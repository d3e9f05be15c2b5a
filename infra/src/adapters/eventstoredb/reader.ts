import { START_POSITION, type Position, type RecordedEvent } from '@alpenglow/domain';
import { END, START as BEGINNING, type EventStoreDBClient } from '@eventstore/db-client';
import { MAX_READ_EVENTS } from '../event-store-input.ts';
import { readFiltered } from './client.ts';
import { findConfirmed, type ConfirmOptions } from './confirm-loss.ts';
import { isUserEvent, toRecordedEvent } from './envelope.ts';
import { isInvalidPosition, isTombstoned, isUnknownStream } from './errors.ts';
import { createTypeFilter } from './filters.ts';
import { createHeadSearch } from './head-search.ts';
import { createEventBatchReader, FROM_LEADER, SMALL_BUFFER } from './event-batches.ts';
import { toLogPosition, toPosition } from './positions.ts';
import { sendWithRetry } from './request.ts';

const BUFFERED_EVENTS = 500;
/**
 * The maximum time without an event in a read of some types. The server may search a large part of the log for the next
 * event. A broken connection is detected earlier.
 */
const SEARCH_TIMEOUT_ms = 120_000;

interface StreamPage {
  readonly direction: 'forwards' | 'backwards';
  /**
   * The revision of the first event to read. If undefined, a read forwards starts at the first event, and a read
   * backwards at the last event.
   */
  readonly from: number | undefined;
  readonly limit: number;
}

export type Reader = ReturnType<typeof createReader>;

/**
 * Creates a reader of the event store. When `closing` aborts, its running reads reject with `EventStoreUnavailable`. A
 * read also rejects with this error if no event arrives for 10 s. The total time of a read is not limited.
 */
export function createReader(
  client: EventStoreDBClient,
  closing: AbortSignal,
  options: Pick<ConfirmOptions, 'confirmAfter_ms'> = {},
) {
  const readBatches = createEventBatchReader(closing);
  const { head, knownHead } = createHeadSearch(client, readBatches);

  /**
   * Returns the id of the event at a position, or null if no event begins there. The server rejects a position at which
   * no event begins, or returns the next event.
   */
  async function findEventId(position: Position): Promise<string | null> {
    const fromPosition = toLogPosition(position);
    if (fromPosition === 'start' || position > (await head())) return null;
    try {
      for await (const [event] of readBatches(
        client.readAll({ ...FROM_LEADER, fromPosition, maxCount: 1 }, SMALL_BUFFER),
      )) {
        if (event) return toPosition(event.position) === position ? event.id : null;
      }
    } catch (error) {
      if (!isInvalidPosition(error)) throw error;
    }
    return null;
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
      for await (const batch of readBatches(read)) for (const event of batch) events.push(toRecordedEvent(event));
    } catch (error) {
      if (!isUnknownStream(error) && !isTombstoned(error)) throw error;
    }
    return events;
  }

  /** Returns the events of some types, which the server searches. */
  async function readTypes(after: Position, limit: number, types: readonly string[]): Promise<RecordedEvent[]> {
    const fromPosition = toLogPosition(after);
    if (types.length === 0 || (after >= knownHead() && after >= (await head()))) return [];
    const wanted = new Set(types);
    const events: RecordedEvent[] = [];
    const read = readFiltered(
      client,
      // The server also returns the event at `after` itself if it has one of the types.
      { ...FROM_LEADER, fromPosition, filter: createTypeFilter(types), maxCount: limit + 1 },
      { highWaterMark: Math.min(limit, BUFFERED_EVENTS) },
    );
    for await (const batch of readBatches(read, SEARCH_TIMEOUT_ms)) {
      for (const event of batch) {
        const position = toPosition(event.position);
        if (events.length === limit) return events;
        if (position > after && isUserEvent(event) && wanted.has(event.type))
          events.push(toRecordedEvent(event, position));
      }
    }
    return events;
  }

  async function readAll(after: Position, limit: number): Promise<RecordedEvent[]> {
    const start = toLogPosition(after);
    // The read ends at the last event of ours, so that the server's own events after it are not read. A full page that
    // begins before the known head does not require a new read of the head.
    let until = knownHead();
    let isUntilCurrent = false;
    const events: RecordedEvent[] = [];
    let last = after;
    let fromPosition = start;
    for (let page = 0; events.length < limit; page += 1) {
      if (last >= until && !isUntilCurrent) {
        until = await head();
        isUntilCurrent = true;
      }
      if (last >= until) break;
      // The server also returns the event at `after` itself. The server's own events may fill part of a page, so each
      // further page is larger.
      const maxCount = Math.min(MAX_READ_EVENTS, (limit - events.length) * 2 ** page) + 1;
      const lastOfPage = last;
      const read = client.readAll(
        { ...FROM_LEADER, fromPosition, maxCount },
        { highWaterMark: Math.min(maxCount, BUFFERED_EVENTS) },
      );
      for await (const batch of readBatches(read)) {
        for (const event of batch) {
          const position = toPosition(event.position);
          if (position <= last) continue;
          last = position;
          if (event.position) fromPosition = event.position;
          if (events.length < limit && isUserEvent(event)) events.push(toRecordedEvent(event, position));
        }
      }
      // The log has become shorter than the known head.
      if (last === lastOfPage) until = last;
    }
    return events;
  }

  /** Reads with `read`, which may start with a known head that is outdated because the log was restored. */
  async function unlessRewound(after: Position, read: () => Promise<RecordedEvent[]>): Promise<RecordedEvent[]> {
    try {
      return await read();
    } catch (error) {
      if (error instanceof RangeError || !isInvalidPosition(error) || after < (await head())) throw error;
      return [];
    }
  }

  return {
    /** Returns one page of a stream. The page is empty if the stream does not exist or was deleted. */
    readStream: (stream: string, page: StreamPage): Promise<RecordedEvent[]> =>
      sendWithRetry(() => readStream(stream, page)),
    /**
     * Returns at most `limit` events of these types, starting after the position `after`. Events that are appended
     * after the start of the read may be included.
     */
    readAll: (after: Position, limit: number, types: readonly string[] | undefined): Promise<RecordedEvent[]> =>
      sendWithRetry(() => unlessRewound(after, () => (types ? readTypes(after, limit, types) : readAll(after, limit)))),
    /** Returns the position of the last event that `readAll` can return, or `START_POSITION`. */
    head: (): Promise<Position> => sendWithRetry(head),
    /**
     * Returns the id of the event at a position, or null if no event begins there. If there is no event, or another one
     * than `expected`, a second read confirms this. If `expected` is null, every event is accepted.
     */
    async findEventId(position: Position, expected: string | null): Promise<string | null> {
      // The start of the log is never an event, so that a second read would only delay the result.
      if (position === START_POSITION) return null;
      const find = () => sendWithRetry(() => findEventId(position));
      return findConfirmed(find, expected, { ...options, signal: closing });
    },
  };
}
