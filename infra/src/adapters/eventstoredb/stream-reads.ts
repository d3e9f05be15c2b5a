import type { RecordedEvent } from '@alpenglow/domain';
import { END, START as BEGINNING, type EventStoreDBClient } from '@eventstore/db-client';
import { MAX_READ_EVENTS } from '../event-store-input.ts';
import type { OwnEvents, ReceivedEvent } from './envelope.ts';
import { isTombstoned, isUnknownStream } from './errors.ts';
import { BUFFERED_EVENTS, FROM_LEADER, type ReadBatches } from './event-batches.ts';
import type { EventIdAndRevision } from './event-id-cache.ts';

/** The size of the pages in which the end of a stream is searched for our last event. */
const END_PAGE_events = 16;

export interface StreamPage {
  readonly direction: 'forwards' | 'backwards';
  /**
   * The revision of the first event to read. If undefined, a read forwards starts at the first event, and a read
   * backwards at the last event.
   */
  readonly from: number | undefined;
  readonly limit: number;
}

/** The end of a stream, after which an append adds events. */
export interface StreamEnd {
  /** The revision of the last event, which another application may have written. -1 if the stream is empty. */
  readonly last: number;
  /** The revision of our last event. -1 if there is none. */
  readonly own: number;
}

/** Creates the reads of single streams. They own no state. */
export function createStreamReads(client: EventStoreDBClient, readBatches: ReadBatches, own: OwnEvents) {
  /** Yields the events of a stream in batches, also those of other applications. An unknown stream has none. */
  async function* readRawStream(
    stream: string,
    { direction, from, limit }: StreamPage,
  ): AsyncGenerator<readonly ReceivedEvent[]> {
    const fromRevision = from === undefined ? (direction === 'forwards' ? BEGINNING : END) : BigInt(from);
    try {
      const read = client.readStream(
        own.toServerStream(stream),
        { ...FROM_LEADER, direction, maxCount: limit, fromRevision },
        { highWaterMark: Math.min(limit, BUFFERED_EVENTS) },
      );
      yield* readBatches(read);
    } catch (error) {
      if (!isUnknownStream(error) && !isTombstoned(error)) throw error;
    }
  }

  async function readStream(stream: string, { direction, from, limit }: StreamPage): Promise<RecordedEvent[]> {
    const events: RecordedEvent[] = [];
    // Another application may have written to the stream. Its events are skipped, and the page is filled with later
    // ones. Each further read is larger, so that many such events need few reads.
    let start = from;
    for (let read = 0; ; read += 1) {
      const maxCount = Math.min(MAX_READ_EVENTS, (limit - events.length) * 2 ** read);
      let received = 0;
      let last = 0;
      for await (const batch of readRawStream(stream, { direction, from: start, limit: maxCount }))
        for (const event of batch) {
          received += 1;
          last = Number(event.revision);
          if (events.length < limit && own.isOwn(event)) events.push(own.toRecordedEvent(event));
        }
      start = direction === 'forwards' ? last + 1 : last - 1;
      if (received < maxCount || events.length === limit || start < 0) return events;
    }
  }

  async function readStreamIds(stream: string, from: number): Promise<EventIdAndRevision[]> {
    const found: EventIdAndRevision[] = [];
    for await (const batch of readRawStream(stream, { direction: 'forwards', from, limit: MAX_READ_EVENTS }))
      for (const { id, revision } of batch) found.push({ id, revision: Number(revision) });
    return found;
  }

  async function readStreamEnd(stream: string): Promise<StreamEnd> {
    let last = -1;
    for (let from: number | undefined; ; ) {
      let received = 0;
      for await (const batch of readRawStream(stream, { direction: 'backwards', from, limit: END_PAGE_events }))
        for (const event of batch) {
          received += 1;
          from = Number(event.revision) - 1;
          last = Math.max(last, Number(event.revision));
          if (own.isOwn(event)) return { last, own: Number(event.revision) };
        }
      if (received < END_PAGE_events || from === undefined || from < 0) return { last, own: -1 };
    }
  }

  return { readStream, readStreamIds, readStreamEnd };
}
