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

/** A reader of the event log for one projection. */
export interface LogReader {
  /**
   * Returns the next events that the projection handles. The list is empty only if there is none up to `until`. With
   * `isRepeat`, reads the events of the last call from the store again.
   */
  read(options: { readonly until: Position; readonly isRepeat: boolean }): Promise<readonly RecordedEvent[]>;
  /** Must be called when the reader does not read any longer, because the other readers wait for it. */
  close(): void;
}

/** How far a reader has read. `events` is the number of events up to `position`. */
interface Progress {
  readonly position: Position;
  readonly events: number;
}

interface Page {
  /** The number of events before the page. */
  readonly before: number;
  readonly events: Promise<readonly RecordedEvent[]>;
}

/**
 * Reads the event log from its start for several projections that are built at the same time. Each event is read,
 * decrypted and converted only once. All readers must be opened before the first one reads.
 */
export function createSharedPages(
  { store }: { readonly store: Pick<EventStore, 'readAll'> },
  { page_events = PAGE_events, max_events = MAX_events }: SharedPagesLimits = {},
) {
  /** The pages in memory, by the position before the page. */
  const pages = new Map<Position, Page>();
  const readers = new Map<LogReader, Progress>();
  const changes = new EventEmitter().setMaxListeners(0);

  const slowest = () => Math.min(...[...readers.values()].map(({ events }) => events));

  async function readEvents(after: Position): Promise<readonly RecordedEvent[]> {
    const events = await store.readAll({ after, limit: page_events });
    for (const event of events) decodeOnce(event);
    return events;
  }

  async function readPage({ position, events: before }: Progress): Promise<readonly RecordedEvent[]> {
    const page = pages.get(position) ?? { before, events: readEvents(position) };
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
    for (const [position, { before }] of pages) if (before < slowest()) pages.delete(position);
    changes.emit('removed');
  }

  return {
    /** Opens a reader of the events of these types. Its calls must not overlap, except that `close` is always allowed. */
    open(types: readonly string[]): LogReader {
      const wanted = new Set(types);
      /** The progress before the page that the last call has returned. */
      let previous: Progress = { position: START_POSITION, events: 0 };
      const reader: LogReader = {
        async read({ until, isRepeat }) {
          if (isRepeat) {
            // Other readers do not use the pages that were decrypted before either.
            pages.clear();
            readers.set(reader, previous);
          }
          for (;;) {
            previous = readers.get(reader) ?? previous;
            while (readers.has(reader) && previous.events - slowest() > max_events) await once(changes, 'removed');
            const events = await readPage(previous);
            const end = events.at(-1)?.position;
            if (end === undefined) return [];
            if (readers.has(reader)) readers.set(reader, { position: end, events: previous.events + events.length });
            removeUnneeded();
            const found = events.filter(({ type }) => wanted.has(type));
            if (found.length > 0 || comparePositions(end, until) >= 0) return found;
          }
        },
        close() {
          readers.delete(reader);
          removeUnneeded();
        },
      };
      readers.set(reader, previous);
      return reader;
    },
  };
}
