import { START_POSITION, type LogMark, type Position } from '@alpenglow/domain';
import { BACKWARDS, END, type EventStoreDBClient } from '@eventstore/db-client';
import { readFiltered } from './client.ts';
import type { OwnEvents } from './envelope.ts';
import { toPosition } from './positions.ts';
import { FROM_LEADER, SMALL_BUFFER, type ReadBatches } from './event-batches.ts';
import { createFilter } from './filters.ts';

/**
 * The numbers of last events among which our newest event is searched first. It is usually among the first number.
 * Another application, or the server itself, may have added more events since the last search.
 */
const LAST_EVENTS = [8, 1_000] as const;

/**
 * Creates the search for our newest event. Owns the result of the last search, so that events which it has read are not
 * read again.
 */
export function createNewestEventSearch(client: EventStoreDBClient, readBatches: ReadBatches, own: OwnEvents) {
  /**
   * The result of the last search for the newest event. `upTo` is the last event of the log at that time. `head` is the
   * position of our last event up to `upTo`. If the log no longer contains the event `upTo`, because the server was
   * restored from an older backup, the result is not used.
   */
  let checked: { readonly upTo: LogMark; readonly head: Position } = {
    upTo: { position: START_POSITION, id: null },
    head: START_POSITION,
  };

  /**
   * Returns the position of our last event in the log. Reads backwards from the end of the log. There may be many other
   * events, so events that an earlier call has read are not read again.
   */
  async function head(): Promise<Position> {
    let last: LogMark | null = null;
    for (const maxCount of LAST_EVENTS) {
      const { upTo, position } = await findHead(maxCount);
      last = upTo;
      if (position !== null) return remember(upTo, position);
    }
    // With a prefix, the server searches our streams, so the other events need not be transferred.
    const { upTo, position } = own.streamPrefix === '' ? await findHead() : { upTo: last, position: await search() };
    return remember(upTo, position ?? START_POSITION);
  }

  function remember(upTo: LogMark | null, position: Position): Position {
    if (upTo !== null) checked = { upTo, head: position };
    return position;
  }

  /** Searches the last `maxCount` events, or all events. The position is null if none of them is ours. */
  async function findHead(maxCount?: number): Promise<{ upTo: LogMark | null; position: Position | null }> {
    const known = checked;
    let upTo: LogMark | null = null;
    const read = client.readAll(
      { ...FROM_LEADER, direction: BACKWARDS, fromPosition: END, ...(maxCount !== undefined && { maxCount }) },
      SMALL_BUFFER,
    );
    // There may be many events of other applications, and the server may need long for a batch.
    for await (const batch of readBatches(read, maxCount === undefined ? Infinity : undefined)) {
      for (const event of batch) {
        const position = toPosition(event.position);
        upTo ??= { position, id: event.id };
        if (position === known.upTo.position && event.id === known.upTo.id) return { upTo, position: known.head };
        if (own.isOwn(event)) return { upTo, position };
      }
    }
    return { upTo, position: null };
  }

  /** Returns the position of our last event in the streams with our prefix, or null if there is none. */
  async function search(): Promise<Position | null> {
    const read = readFiltered(
      client,
      {
        ...FROM_LEADER,
        direction: BACKWARDS,
        fromPosition: END,
        filter: createFilter(own.streamPrefix, undefined),
        maxCount: Number.MAX_SAFE_INTEGER,
      },
      SMALL_BUFFER,
    );
    // The server may search the whole log. A broken connection is detected earlier, so there is no limit.
    for await (const batch of readBatches(read, Infinity))
      for (const event of batch) if (own.isOwn(event)) return toPosition(event.position);
    return null;
  }

  return {
    head,
    /** Returns the result of the last search. It may be too old. */
    knownHead: (): Position => checked.head,
  };
}
