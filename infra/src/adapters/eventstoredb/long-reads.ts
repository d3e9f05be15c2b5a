import { EventStoreUnavailable, type Position, type RecordedEvent } from '@alpenglow/domain';
import { LRUCache } from 'lru-cache';
import type { OwnEvents, ReceivedEvent } from './envelope.ts';
import { toPosition } from './positions.ts';

/** A read of many pages, such as that of a rebuild, has at least this number of events in each page. */
const MIN_PAGE_events = 200;
/** The number of full pages whose ends are stored, and of reads that stay open between two pages. */
const MAX_ENDS = 16;
const MAX_OPEN_READS = 4;
/** The time after which an open read ends if its caller requests no further page. */
const IDLE_ms = 2_000;

/** A read without a limit, in the order of the log. Other events than our own are part of it. */
export interface LongRead {
  readonly batches: AsyncGenerator<readonly ReceivedEvent[]>;
  /**
   * Returns true if the read has failed, or its connection has broken. The server may have been restored since then, so
   * that events which have arrived before may not exist any more.
   */
  readonly isBroken: () => boolean;
}

/** A read that stays open between two pages. */
interface OpenRead extends LongRead {
  /** The events of the last batch that did not fit into the last page. */
  readonly rest: readonly RecordedEvent[];
  readonly timer?: NodeJS.Timeout;
}

/**
 * The part of a page that a long read returns. If it is not full, the caller must read the rest of the page. It is
 * empty if the read has broken.
 */
export interface LongReadPage {
  readonly events: RecordedEvent[];
  /** The position of the last event that was read, of any application. The rest of the page begins after it. */
  readonly last: Position;
}

/**
 * Makes pages of a long read cheap. A server needs longer to start a read than to return some hundred events. A caller
 * that requests the page after a full page probably requests all further pages too. From the second page on, one read
 * without a limit therefore stays open, and each page continues it. If such a read ends, the caller must read the rest
 * of the page itself, because later events may exist. If it fails, the caller must read the whole page. A page rejects
 * with `EventStoreUnavailable` if no event arrives in time. All reads end when `closing` aborts.
 */
export function createLongReads(
  start: (after: Position, types: readonly string[] | undefined) => LongRead,
  closing: AbortSignal,
  own: Pick<OwnEvents, 'isOwn' | 'toRecordedEvent'>,
) {
  /** The ends of full pages, with the types of their events. The next page after one of them starts a long read. */
  const ends = new LRUCache<string, true>({ max: MAX_ENDS });
  const openReads = new LRUCache<string, OpenRead>({
    max: MAX_OPEN_READS,
    // A read that is continued is removed with the reason `delete`, and stays open.
    dispose: (read, _key, reason) => void (reason === 'delete' || end(read)),
  });
  const keyOf = (after: Position, types: readonly string[] | undefined) =>
    types === undefined ? after : JSON.stringify([after, ...types]);

  function end({ batches, timer }: Pick<OpenRead, 'batches' | 'timer'>): void {
    clearTimeout(timer);
    batches.return(undefined).catch(() => undefined);
  }

  /** Takes the read that continues after a position. Starts one if the position is the end of a full page. */
  function takeRead(after: Position, types: readonly string[] | undefined): OpenRead | null {
    const key = keyOf(after, types);
    const open = openReads.get(key);
    openReads.delete(key);
    if (open) {
      clearTimeout(open.timer);
      if (!open.isBroken()) return open;
      end(open);
      return null;
    }
    return ends.delete(key) ? { ...start(after, types), rest: [] } : null;
  }

  function close(): void {
    for (const read of openReads.values()) end(read);
    openReads.clear();
  }
  closing.addEventListener('abort', close, { once: true });

  function leaveOpen(key: string, read: OpenRead): void {
    const timer = setTimeout(() => {
      if (openReads.peek(key)?.timer !== timer) return;
      openReads.delete(key);
      end(read);
    }, IDLE_ms).unref();
    openReads.set(key, { ...read, timer });
  }

  return {
    /** Call this with each page that was read otherwise. The page after a full page starts a long read. */
    noteEnd(events: readonly RecordedEvent[], limit: number, types: readonly string[] | undefined): void {
      const last = events.at(-1);
      if (last && events.length === limit && limit >= MIN_PAGE_events) ends.set(keyOf(last.position, types), true);
    },
    /** Returns the next page of a long read after a position, or the beginning of the page. */
    async readPage(after: Position, limit: number, types: readonly string[] | undefined): Promise<LongReadPage> {
      const read = limit < MIN_PAGE_events ? null : takeRead(after, types);
      if (read === null) return { events: [], last: after };
      const wanted = types && new Set(types);
      const events = read.rest.slice(0, limit);
      const rest = read.rest.slice(limit);
      let last = read.rest.at(-1)?.position ?? after;
      function restart(): LongReadPage {
        if (read) end(read);
        return { events: [], last: after };
      }
      try {
        while (events.length < limit) {
          const received = await read.batches.next();
          if (read.isBroken()) return restart();
          if (received.done === true) return { events, last };
          for (const event of received.value) {
            const position = toPosition(event.position);
            // The server also returns the event at the start of a read.
            if (position <= last) continue;
            last = position;
            if (own.isOwn(event) && (wanted?.has(event.type) ?? true))
              (events.length < limit ? events : rest).push(own.toRecordedEvent(event, position));
          }
        }
      } catch (error) {
        const page = restart();
        // The limit for the time without an event has passed. Another read would wait for the same time again.
        if (error instanceof EventStoreUnavailable) throw error;
        // The caller reads the page, and receives the error if it persists.
        return page;
      }
      leaveOpen(keyOf(events.at(-1)?.position ?? after, types), { ...read, rest });
      return { events, last };
    },
  };
}
