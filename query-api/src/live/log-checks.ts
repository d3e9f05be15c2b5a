import type { EventStore, LogMark, Position } from '@alpenglow/domain';
import { createSlots, isTransient } from '@alpenglow/infra';
import type { Dependencies } from '../dependencies.ts';
import { MAX_WAITING_READS, WAIT_FOR_STORE_ms } from './page-reads.ts';
import type { PublishedMessages } from './published-messages.ts';

interface LogChecksDependencies extends Dependencies<'store'> {
  readonly published: Pick<PublishedMessages, 'contains'>;
  /** Ends waiting reads when the process stops. */
  readonly signal: AbortSignal;
}

export type LogChecks = ReturnType<typeof createLogChecks>;

/**
 * The maximum number of concurrent reads of event ids. They have separate slots, because a read that confirms a lost
 * event waits up to 2 s, and must not delay the clients that read messages.
 */
const MAX_ID_READS = 20;

/**
 * Owns the running reads that check a position of a client: whether the event log still contains its event, and whether
 * it is before the end of the log. Clients with the same position share a read, because thousands of clients may
 * connect at once.
 */
export function createLogChecks({ store, published, signal }: LogChecksDependencies) {
  /**
   * The running reads of event ids. Clients with different events at one position do not share a read, because the
   * store confirms a difference from the event that the client expects.
   */
  const readingIds = new Map<string, Promise<string | null>>();
  const idReaders = createSlots({ max: MAX_ID_READS, maxWaiting: MAX_WAITING_READS, wait_ms: WAIT_FOR_STORE_ms });
  /** The running read of the position at the end of the event log. */
  let headRead: Promise<Position> | null = null;

  /**
   * Returns the id of the event at the position of `mark`, null if there is no such event, or `busy` if too many reads
   * wait.
   */
  function readSharedId(mark: LogMark): Promise<string | null> {
    const key = `${mark.position} ${mark.id}`;
    const pendingRead = readingIds.get(key);
    if (pendingRead) return pendingRead;
    const read = idReaders
      .take(signal)
      .then(async (slot) => (slot ? readId(store, mark).finally(() => slot.release()) : 'busy'))
      .finally(() => readingIds.delete(key));
    readingIds.set(key, read);
    return read;
  }

  function readSharedHead(): Promise<Position> {
    headRead ??= store.readHead().finally(() => {
      headRead = null;
    });
    return headRead;
  }

  return {
    /**
     * Checks whether the event log still contains the events at which a client resumes. Events without an id are not
     * checked, because tokens of earlier builds and of writes contain no id. Rejects if the event store is unavailable.
     */
    async findState(marks: readonly LogMark[]): Promise<'same' | 'lost' | 'busy'> {
      for (const mark of marks) {
        if (mark.id === null || published.contains(mark)) continue;
        const id = await readSharedId(mark);
        if (id === 'busy') return 'busy';
        if (id !== mark.id) return 'lost';
      }
      return 'same';
    },
    /**
     * Returns true if a position is after the end of the event log. While the event store is unavailable, this cannot
     * be checked, and the result is false.
     */
    async isBeyondHead(position: Position): Promise<boolean> {
      try {
        // The shared result may be out of date, because the client may have received a later message from another
        // process. The check is therefore repeated with a new result.
        return position > (await readSharedHead()) && position > (await store.readHead());
      } catch (error) {
        if (isTransient(error)) return false;
        throw error;
      }
    },
  };
}

async function readId(store: EventStore, { position, id }: LogMark): Promise<string | null> {
  try {
    return await store.findEventId(position, id);
  } catch (error) {
    // The position belongs to another kind of event store.
    if (error instanceof RangeError) return null;
    throw error;
  }
}
