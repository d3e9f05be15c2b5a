import type { EventStore, Position, RecordedEvent } from '@alpenglow/domain';

export interface EventPageOptions {
  readonly after: Position;
  /** The event types to read. Defaults to all types. */
  readonly types?: readonly string[];
  readonly signal?: AbortSignal | undefined;
}

const PAGE_events = 1_000;

/**
 * Yields all events of these types after the position `after`, in pages of at most 1,000 events. Rejects if `signal`
 * aborts.
 */
export async function* readEventPages(
  store: Pick<EventStore, 'readAll'>,
  { after, signal, ...filter }: EventPageOptions,
): AsyncGenerator<readonly RecordedEvent[]> {
  for (let position = after; ; ) {
    signal?.throwIfAborted();
    const page = await store.readAll({ after: position, ...filter, limit: PAGE_events });
    const last = page.at(-1);
    if (!last) return;
    yield page;
    position = last.position;
  }
}
