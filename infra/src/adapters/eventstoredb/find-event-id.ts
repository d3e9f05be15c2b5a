import type { Position } from '@alpenglow/domain';
import { BACKWARDS, END, type EventStoreDBClient } from '@eventstore/db-client';
import { FROM_LEADER, SMALL_BUFFER, type ReadBatches } from './event-batches.ts';
import { toLogPosition, toPosition } from './positions.ts';
import { sendWithRetry } from './request.ts';

/**
 * Creates the function that returns the id of the event at a position, or null if no event begins there. The event may
 * be that of another application, because an earlier build has stored such positions (decision 0113). If no event
 * begins there, e.g. because the position is inside a record after a restore, the server returns the next event or an
 * error. There is no error for this case only. If the same read succeeds at the end of the log, the position is the
 * reason of the error. Otherwise, the function rejects, because the store cannot be read.
 */
export function createEventIdSearch(client: EventStoreDBClient, readBatches: ReadBatches) {
  /** Returns the id of the event that begins at a position, or null if the server returns another event or none. */
  async function readIdAt(position: Position): Promise<string | null> {
    const read = { ...FROM_LEADER, fromPosition: toLogPosition(position), maxCount: 1 };
    for await (const [event] of readBatches(client.readAll(read, SMALL_BUFFER)))
      if (event) return toPosition(event.position) === position ? event.id : null;
    return null;
  }

  /** Returns the position of the last event of the log, of any application. Null if the log is empty. */
  async function readEnd(): Promise<Position | null> {
    const read = { ...FROM_LEADER, direction: BACKWARDS, fromPosition: END, maxCount: 1 } as const;
    for await (const [event] of readBatches(client.readAll(read, SMALL_BUFFER)))
      if (event) return toPosition(event.position);
    return null;
  }

  return async (position: Position): Promise<string | null> => {
    toLogPosition(position);
    try {
      return await sendWithRetry(() => readIdAt(position));
    } catch {
      const end = await sendWithRetry(readEnd);
      const id = end === null ? null : await sendWithRetry(() => readIdAt(end));
      return end === position ? id : null;
    }
  };
}
