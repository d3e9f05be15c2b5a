import {
  LIVE_EVENT_TYPES,
  toFeedMessage,
  type FeedMessage,
  type Position,
  type RecordedEvent,
} from '@alpenglow/domain';
import { createSlots, isTransient } from '@alpenglow/infra';
import { LRUCache } from 'lru-cache';
import type { Dependencies } from '../dependencies.ts';
import { encode, type EncodedMessage } from './encode.ts';
import type { LiveSubjects } from './live-subjects.ts';
import { REPLAY_LIMIT } from './published-messages.ts';

/** The messages of a range of positions, and the number of their events. Unreadable events have no message. */
interface Page {
  readonly count: number;
  readonly messages: readonly EncodedMessage[];
}

interface PageReadsDependencies extends Dependencies<'store' | 'positionTokens' | 'log'> {
  readonly subjects: LiveSubjects;
  /** Ends waiting reads when the process stops. */
  readonly signal: AbortSignal;
}

export type PageReads = ReturnType<typeof createPageReads>;

/**
 * The maximum number of concurrent reads of the event store. The number is limited, because any client can cause a read
 * by connecting again.
 */
const MAX_STORE_READS = 4;
export const MAX_WAITING_READS = 200;
export const WAIT_FOR_STORE_ms = 5_000;
/** The maximum number of pages in memory, each with at most `REPLAY_LIMIT` messages, and their lifetime. */
const MAX_PAGES = 10;
const PAGE_LIFETIME_ms = 60_000;

/**
 * Owns the reads of messages that are no longer in memory: the running ones, which clients share, and the pages that
 * were read last. Invariant: after `clear`, no result of an earlier read is stored.
 */
export function createPageReads(deps: PageReadsDependencies) {
  /**
   * The running reads of the event store. After a gap, thousands of clients connect again, most of them with the same
   * position. These clients share one read. A read is only shared while `until` is the same, because a read that has
   * begun before may lack the messages that have left the memory since then.
   */
  const reading = new Map<string, Promise<Page | null | 'busy'>>();
  /**
   * The last pages that were read, by `after` and `until`. The messages of a range never change, so the clients that
   * connect after a restart share them even if they do not connect at the same time.
   */
  const pages = new LRUCache<string, Page>({ max: MAX_PAGES, ttl: PAGE_LIFETIME_ms });
  const readers = createSlots({ max: MAX_STORE_READS, maxWaiting: MAX_WAITING_READS, wait_ms: WAIT_FOR_STORE_ms });

  return {
    /**
     * Returns the messages after a position, up to `until`. Returns `busy` if too many reads wait, and null if the
     * position is invalid or belongs to another event store.
     */
    read(after: Position, until: Position): Promise<Page | null | 'busy'> {
      const key = `${after} ${until}`;
      const page = pages.get(key);
      if (page) return Promise.resolve(page);
      const pendingRead = reading.get(key);
      if (pendingRead) return pendingRead;
      const read = readers
        .take(deps.signal)
        .then(async (slot) => (slot ? readPage(deps, after, until).finally(() => slot.release()) : ('busy' as const)))
        .then((result) => {
          // The log may have been replaced meanwhile.
          if (result !== null && result !== 'busy' && reading.get(key) === read) pages.set(key, result);
          return result;
        })
        .finally(() => {
          if (reading.get(key) === read) reading.delete(key);
        });
      reading.set(key, read);
      return read;
    },
    /** Forgets the pages and the running reads, because the log may have been replaced. */
    clear(): void {
      pages.clear();
      reading.clear();
    },
  };
}

async function readPage(
  { store, subjects, positionTokens, log, signal }: PageReadsDependencies,
  after: Position,
  until: Position,
): Promise<Page | null> {
  let events: readonly RecordedEvent[];
  try {
    events = await store.readAll({ after, types: LIVE_EVENT_TYPES, limit: REPLAY_LIMIT });
  } catch (error) {
    if (isTransient(error)) throw error;
    log.warn({ err: error }, 'live client sent a position that the event store cannot read from');
    return null;
  }
  const due = events.filter(({ position }) => position <= until);
  const messages = due.map((event) => toMessage(event, log)).filter((message) => message !== null);
  const keys = await subjects.findKeys(messages, { isReplay: true, signal });
  return {
    count: due.length,
    messages: messages.map((message, index) => encode(message, keys[index] ?? null, positionTokens)),
  };
}

/**
 * Converts an event to a message of the live channel. Returns null for an event that cannot be read, so that the other
 * events are still sent.
 */
function toMessage(recorded: RecordedEvent, log: PageReadsDependencies['log']): FeedMessage | null {
  try {
    return toFeedMessage(recorded);
  } catch (error) {
    const { position, type } = recorded;
    log.error({ err: error, position, type }, 'event skipped because it cannot be read');
    return null;
  }
}
