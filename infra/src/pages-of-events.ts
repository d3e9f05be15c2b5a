import type { EventStore, Position, RecordedEvent } from '@alpenglow/domain';

export interface PagesFrom {
  readonly after: Position;
  readonly types: readonly string[];
  readonly signal: AbortSignal;
}

const PAGE_events = 1_000;

/** Everything of these types after a position, a page at a time. Rejects when `signal` aborts. */
export async function* pagesOf(
  store: Pick<EventStore, 'readAll'>,
  { after, types, signal }: PagesFrom,
): AsyncGenerator<readonly RecordedEvent[]> {
  for (let position = after; ; ) {
    signal.throwIfAborted();
    const page = await store.readAll({ after: position, types, limit: PAGE_events });
    const last = page.at(-1);
    if (!last) return;
    yield page;
    position = last.position;
  }
}
