import { EventEmitter, once } from 'node:events';
import {
  comparePositions,
  decodeOnce,
  START_POSITION,
  type EventStore,
  type Position,
  type RecordedEvent,
} from '@alpenglow/domain';

const PAGE_events = 250;
const MAX_events = 10_000;

interface SharedPagesLimits {
  /** The number of events that are read together. Default: 250. */
  readonly page_events?: number;
  /**
   * The number of events by which the fastest reader may be ahead of the slowest one, before it waits. Default: 10,000.
   */
  readonly max_events?: number;
}

interface LogRead {
  /** The last event that the caller needs. */
  readonly until: Position;
  /** Reads the events of the last call from the store again. */
  readonly isRepeat: boolean;
  readonly signal?: AbortSignal | undefined;
}

interface LogPage {
  /** The events of the page that the projection handles, in order. May be empty. */
  readonly events: readonly RecordedEvent[];
  /** True if the log has no event up to `until` after this page. */
  readonly isEnd: boolean;
}

/** A reader of the event log for one projection. */
export interface LogReader {
  /**
   * Returns the next page. After `close`, the page is empty and the last one. Rejects if `signal` aborts. Calls must
   * not overlap.
   */
  read(options: LogRead): Promise<LogPage>;
  /** Must be called when the reader does not read any longer, because the other readers wait for it. */
  close(): void;
}

/** The progress of a reader: the position of its last event, and the number of events up to it. */
interface Progress {
  readonly position: Position;
  readonly events: number;
}

/** An open reader. */
interface Open {
  /** The progress before the page that the last call has returned. */
  before: Progress;
  /** The progress after this page. */
  after: Progress;
  hasBegun: boolean;
}

interface Page {
  readonly eventsBefore: number;
  readonly events: Promise<readonly RecordedEvent[]>;
}

const START: Progress = { position: START_POSITION, events: 0 };
const END: LogPage = { events: [], isEnd: true };

/**
 * Reads the event log from its start for several projections that are built at the same time. Each event is read,
 * decrypted and converted only once. The caller opens all readers before the first one reads.
 *
 * Before its first call of `read`, a projection creates its tables and reads the end of the log. No page is read until
 * every open reader has called `read`. If an erasure destroys keys after a page was read, it therefore finds the tables
 * of all projections. If the log is replaced after a page was read, every projection notices it, because it checks that
 * the log still contains the end that it has read before.
 */
export function createSharedPages(
  { store }: { readonly store: Pick<EventStore, 'readAll'> },
  { page_events = PAGE_events, max_events = MAX_events }: SharedPagesLimits = {},
) {
  /** The pages in memory, by the position before the page. */
  const pages = new Map<Position, Page>();
  const readers = new Set<Open>();
  const changes = new EventEmitter().setMaxListeners(0);

  const slowest = () => Math.min(...[...readers].map(({ after }) => after.events));
  const mustWait = ({ after }: Open) =>
    [...readers].some(({ hasBegun }) => !hasBegun) || after.events - slowest() > max_events;

  async function readEvents(after: Position): Promise<readonly RecordedEvent[]> {
    const events = await store.readAll({ after, limit: page_events });
    for (const event of events) decodeOnce(event);
    return events;
  }

  async function readPage({ position, events: eventsBefore }: Progress): Promise<readonly RecordedEvent[]> {
    const page = pages.get(position) ?? { eventsBefore, events: readEvents(position) };
    pages.set(position, page);
    try {
      const events = await page.events;
      // The log may grow, so an incomplete page is read again.
      if (events.length < page_events) pages.delete(position);
      return events;
    } catch (error) {
      pages.delete(position);
      throw error;
    }
  }

  function removeUnneeded(): void {
    for (const [position, { eventsBefore }] of pages) if (eventsBefore < slowest()) pages.delete(position);
    changes.emit('changed');
  }

  return {
    /** Opens a reader of the events of these types. */
    open(types: readonly string[]): LogReader {
      const wanted = new Set(types);
      const own: Open = { before: START, after: START, hasBegun: false };
      readers.add(own);
      return {
        async read({ until, isRepeat, signal }) {
          if (!own.hasBegun) {
            own.hasBegun = true;
            changes.emit('changed');
          }
          if (isRepeat) {
            // The pages are removed for all readers, so that none receives events that were decrypted before an
            // erasure.
            pages.clear();
            own.after = own.before;
          }
          while (readers.has(own) && mustWait(own)) await once(changes, 'changed', { ...(signal && { signal }) });
          signal?.throwIfAborted();
          if (!readers.has(own)) return END;
          const begin = own.after;
          const events = await readPage(begin);
          const end = events.at(-1)?.position;
          if (end === undefined || !readers.has(own)) return END;
          own.before = begin;
          own.after = { position: end, events: begin.events + events.length };
          removeUnneeded();
          return { events: events.filter(({ type }) => wanted.has(type)), isEnd: comparePositions(end, until) >= 0 };
        },
        close() {
          readers.delete(own);
          removeUnneeded();
        },
      };
    },
  };
}
