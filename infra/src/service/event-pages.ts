import { comparePositions, type EventStore, type Position, type RecordedEvent } from '@alpenglow/domain';

export interface EventPageOptions {
  readonly after: Position;
  /** The position of the last event to read. Defaults to the end of the log. */
  readonly until?: Position;
  /** The event types to read. Defaults to all types. */
  readonly types?: readonly string[];
  /** The maximum number of events of a page. Defaults to 1,000. */
  readonly limit?: number;
  /**
   * Called after the caller has handled a page. If the function returns true, the next page is read again, because it
   * was read too early.
   */
  readonly isStale?: () => boolean;
  readonly signal?: AbortSignal | undefined;
}

const PAGE_events = 1_000;

/**
 * Yields all events of these types after the position `after`, in pages. The next page is read while the caller handles
 * the current page, so at most two pages are in memory. Rejects if `signal` aborts.
 */
export async function* readEventPages(
  store: Pick<EventStore, 'readAll'>,
  { after, until, types, limit = PAGE_events, isStale = () => false, signal }: EventPageOptions,
): AsyncGenerator<readonly RecordedEvent[]> {
  const read = (from: Position) => {
    const reading = store.readAll({ after: from, limit, ...(types && { types }) });
    // The promise is awaited only after the caller has handled the previous page. Until then, this handler prevents an
    // unhandled rejection.
    reading.catch(() => undefined);
    return reading;
  };
  for (let page = await read(after); ; ) {
    signal?.throwIfAborted();
    const due = until === undefined ? page : page.filter(({ position }) => comparePositions(position, until) <= 0);
    const last = due.at(-1);
    if (!last) return;
    const isEnd = due.length < page.length;
    const next = isEnd ? [] : read(last.position);
    yield due;
    page = await (isStale() && !isEnd ? read(last.position) : next);
  }
}
