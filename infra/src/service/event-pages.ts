import type { EventStore, Position, RecordedEvent } from '@alpenglow/domain';

export interface EventPageOptions {
  readonly after: Position;
  /** The event types to read. Defaults to all types. */
  readonly types?: readonly string[];
  readonly signal?: AbortSignal | undefined;
}

const PAGE_events = 1_000;

/**
 * Yields all events of these types after the position `after`, in pages of at most 1,000 events. The next page is read
 * while the caller handles the current page, so at most two pages are in memory. Rejects if `signal` aborts.
 */
export async function* readEventPages(
  store: Pick<EventStore, 'readAll'>,
  { after, signal, ...filter }: EventPageOptions,
): AsyncGenerator<readonly RecordedEvent[]> {
  const read = (from: Position) => {
    const reading = store.readAll({ after: from, ...filter, limit: PAGE_events });
    // The promise is awaited only after the caller has handled the previous page. Until then, this handler prevents an
    // unhandled rejection.
    reading.catch(() => undefined);
    return reading;
  };
  for (let page = await read(after); ; ) {
    signal?.throwIfAborted();
    const last = page.at(-1);
    if (!last) return;
    const next = read(last.position);
    yield page;
    page = await next;
  }
}
