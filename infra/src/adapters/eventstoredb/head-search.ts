import { START_POSITION, type LogMark, type Position } from '@alpenglow/domain';
import { BACKWARDS, END, type EventStoreDBClient } from '@eventstore/db-client';
import { isUserEvent } from './envelope.ts';
import { toPosition } from './positions.ts';
import { FROM_LEADER, SMALL_BUFFER, type ReadBatches } from './event-batches.ts';

/** The newest event that is not the server's own is usually among this number of last events. */
const LAST_EVENTS = 8;

/**
 * Creates the search for the newest event that is not the server's own. Owns the result of the last search, so that
 * events which it has read are not read again.
 */
export function createHeadSearch(client: EventStoreDBClient, readBatches: ReadBatches) {
  /**
   * The result of the last search for the newest event. `upTo` is the last event of the log at that time. `head` is the
   * position of the last event up to `upTo` that is not the server's own. If the log no longer contains the event
   * `upTo`, because the server was restored from an older backup, the result is not used.
   */
  let checked: { readonly upTo: LogMark; readonly head: Position } = {
    upTo: { position: START_POSITION, id: null },
    head: START_POSITION,
  };

  /**
   * Returns the position of the last event in the log, without the server's own events. Reads backwards from the end of
   * the log. An idle store may have many of the server's events there, so events that an earlier call has read are not
   * read again.
   */
  async function head(): Promise<Position> {
    const last = await findHead(LAST_EVENTS);
    const { upTo, position } = last.position === null ? await findHead() : last;
    const found = position ?? START_POSITION;
    if (upTo !== null) checked = { upTo, head: found };
    return found;
  }

  /** Searches the last `maxCount` events, or all events. The position is null if none of them is ours. */
  async function findHead(maxCount?: number): Promise<{ upTo: LogMark | null; position: Position | null }> {
    const known = checked;
    let upTo: LogMark | null = null;
    const read = client.readAll(
      { ...FROM_LEADER, direction: BACKWARDS, fromPosition: END, ...(maxCount !== undefined && { maxCount }) },
      SMALL_BUFFER,
    );
    for await (const batch of readBatches(read)) {
      for (const event of batch) {
        const position = toPosition(event.position);
        upTo ??= { position, id: event.id };
        if (position === known.upTo.position && event.id === known.upTo.id) return { upTo, position: known.head };
        if (isUserEvent(event)) return { upTo, position };
      }
    }
    return { upTo, position: null };
  }

  return {
    head,
    /** Returns the result of the last search. It may be too old. */
    knownHead: (): Position => checked.head,
  };
}
