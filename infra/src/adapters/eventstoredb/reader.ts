import { LogRewound, START_POSITION, type Position, type RecordedEvent } from '@alpenglow/domain';
import type { EventStoreDBClient } from '@eventstore/db-client';
import { MAX_READ_EVENTS } from '../event-store-input.ts';
import { readFiltered } from './client.ts';
import { findConfirmed, type ConfirmOptions } from './confirm-loss.ts';
import type { OwnEvents } from './envelope.ts';
import { isServerError } from './errors.ts';
import { createFilter } from './filters.ts';
import { createEventIdSearch } from './find-event-id.ts';
import { createNewestEventSearch } from './newest-event-search.ts';
import { BUFFERED_EVENTS, createEventBatchReader, FROM_LEADER, SEARCH_TIMEOUT_ms } from './event-batches.ts';
import type { EventIdAndRevision } from './event-id-cache.ts';
import { createLongReads, type LongRead } from './long-reads.ts';
import { toLogPosition, toPosition } from './positions.ts';
import { sendWithRetry } from './request.ts';
import { createStreamReads, type StreamEnd, type StreamPage } from './stream-reads.ts';

export type Reader = ReturnType<typeof createReader>;

/**
 * Creates a reader of our events in the event store. When `closing` aborts, its running reads reject with
 * `EventStoreUnavailable`. A read also rejects with this error if no event arrives for 10 s. The total time of a read
 * is not limited.
 */
export function createReader(
  client: EventStoreDBClient,
  closing: AbortSignal,
  own: OwnEvents,
  options: Pick<ConfirmOptions, 'confirmAfter_ms'> = {},
) {
  const readBatches = createEventBatchReader(closing);
  const { head, knownHead } = createNewestEventSearch(client, readBatches, own);
  const streams = createStreamReads(client, readBatches, own);
  const findEventId = createEventIdSearch(client, readBatches);
  const longReads = createLongReads((...read) => readForwards(...read, Number.MAX_SAFE_INTEGER), closing, own);

  /**
   * Starts a read of all streams, forwards from the event at a position, or from the start. It returns at most
   * `maxCount` events, of which some may not be ours or of other types. The server also returns the event at the
   * position itself.
   */
  function readForwards(from: Position, types: readonly string[] | undefined, maxCount: number): LongRead {
    const fromPosition = toLogPosition(from);
    const buffer = { highWaterMark: Math.min(maxCount, BUFFERED_EVENTS) };
    const isFiltered = types !== undefined || own.streamPrefix !== '';
    const filter = createFilter(own.streamPrefix, types);
    const stream: Parameters<typeof readBatches>[0] & { readonly isBroken?: boolean } = isFiltered
      ? readFiltered(client, { ...FROM_LEADER, fromPosition, filter, maxCount }, buffer)
      : client.readAll({ ...FROM_LEADER, fromPosition, maxCount }, buffer);
    return {
      batches: readBatches(stream, isFiltered ? SEARCH_TIMEOUT_ms : undefined),
      isBroken: () => stream.isBroken === true,
    };
  }

  /** Returns the events of some types, which the server searches. */
  async function readTypes(after: Position, limit: number, types: readonly string[]): Promise<RecordedEvent[]> {
    if (after >= knownHead() && after >= (await head())) return [];
    const wanted = new Set(types);
    const events: RecordedEvent[] = [];
    let last = after;
    // A page may contain events of another application, or of other types, so each further page is larger.
    for (let page = 0; ; page += 1) {
      const maxCount = Math.min(MAX_READ_EVENTS, (limit - events.length) * 2 ** page) + 1;
      let received = 0;
      for await (const batch of readForwards(last, types, maxCount).batches)
        for (const event of batch) {
          received += 1;
          const position = toPosition(event.position);
          if (position <= last) continue;
          last = position;
          if (own.isOwn(event) && wanted.has(event.type)) events.push(own.toRecordedEvent(event, position));
          if (events.length === limit) return events;
        }
      if (received < maxCount) return events;
    }
  }

  async function readAll(after: Position, limit: number): Promise<RecordedEvent[]> {
    // The read ends at our last event, so that other events after it are not read. A full page that begins before the
    // known head does not require a new read of the head.
    let until = knownHead();
    let isUntilCurrent = false;
    const events: RecordedEvent[] = [];
    let last = after;
    for (let page = 0; events.length < limit; page += 1) {
      if (last >= until && !isUntilCurrent) {
        until = await head();
        isUntilCurrent = true;
      }
      if (last >= until) break;
      // The server also returns the event at `after` itself. Other events may fill part of a page, so each further page
      // is larger.
      const maxCount = Math.min(MAX_READ_EVENTS, (limit - events.length) * 2 ** page) + 1;
      const lastOfPage = last;
      for await (const batch of readForwards(last, undefined, maxCount).batches) {
        for (const event of batch) {
          const position = toPosition(event.position);
          if (position <= last) continue;
          last = position;
          if (events.length < limit && own.isOwn(event)) events.push(own.toRecordedEvent(event, position));
        }
      }
      // The log has become shorter than the known head.
      if (last === lastOfPage) until = last;
    }
    return events;
  }

  /** Returns a page. If it follows a full page, it is part of a long read. */
  async function readPage(
    after: Position,
    limit: number,
    types: readonly string[] | undefined,
  ): Promise<RecordedEvent[]> {
    toLogPosition(after);
    if (types?.length === 0) return [];
    const { events, last } = await longReads.readPage(after, limit, types);
    const missing = limit - events.length;
    if (missing === 0) return events;
    const read = () => (types ? readTypes(last, missing, types) : readAll(last, missing));
    for (const event of await sendWithRetry(() => unlessRewound(last, read))) events.push(event);
    longReads.noteEnd(events, limit, types);
    return events;
  }

  /**
   * Reads with `read`, which starts after the position `after`. The log may have lost the event at this position in a
   * restore. The result is then empty if the position is after the end of the log. Otherwise, rejects with
   * `LogRewound`.
   */
  async function unlessRewound(after: Position, read: () => Promise<RecordedEvent[]>): Promise<RecordedEvent[]> {
    try {
      return await read();
    } catch (error) {
      if (after === START_POSITION || !isServerError(error)) throw error;
      if (after >= (await head())) return [];
      if ((await findConfirmed(() => findEventId(after), null, { ...options, signal: closing })) !== null) throw error;
      throw new LogRewound(after);
    }
  }

  return {
    /** Returns one page of a stream. The page is empty if the stream does not exist or was deleted. */
    readStream: (stream: string, page: StreamPage): Promise<RecordedEvent[]> =>
      sendWithRetry(() => streams.readStream(stream, page)),
    /**
     * Returns the ids of at most 1,000 events of a stream from a revision on. They include events of other
     * applications, because these count for the revision of the stream.
     */
    readStreamIds: (stream: string, from: number): Promise<readonly EventIdAndRevision[]> =>
      sendWithRetry(() => streams.readStreamIds(stream, from)),
    /** Returns the revisions of the last event and of our last event in a stream. */
    readStreamEnd: (stream: string): Promise<StreamEnd> => sendWithRetry(() => streams.readStreamEnd(stream)),
    /**
     * Returns at most `limit` events of these types, starting after the position `after`. Events that are appended
     * after the start of the read may be included. Rejects with `LogRewound` if the server cannot read there, because
     * the log has lost the event at `after`.
     */
    readAll: readPage,
    /** Returns the position of the last event that `readAll` can return, or `START_POSITION`. */
    head: (): Promise<Position> => sendWithRetry(head),
    /**
     * Returns the id of the event at a position, or null if no event begins there. It may be an event of another
     * application, at which an earlier build has stored a position. If there is no event, or another one
     * than `expected`, a second read confirms this. If `expected` is null, every event is accepted.
     */
    async findEventId(position: Position, expected: string | null): Promise<string | null> {
      // The start of the log is never an event, so that a second read would only delay the result.
      if (position === START_POSITION) return null;
      return findConfirmed(() => findEventId(position), expected, { ...options, signal: closing });
    },
  };
}
