import type { QueryClient } from '@tanstack/react-query';
import type { Mark } from './live-client.ts';

/** Up to this time, a fetch may return a response that the page contained when it was loaded. */
const EMBEDDED_ms = 15_000;

/**
 * Remembers for each query up to which position of the live channel its data is current. Data is at least as new as the
 * last position that was known when its fetch began, because a message is sent after the read models contain its
 * change.
 */
export function trackQueryMarks(client: QueryClient, position: () => Mark) {
  let initial = position();
  let starts = new WeakMap<object, Mark>();
  let marks = new WeakMap<object, Mark>();

  client.getQueryCache().subscribe((event) => {
    if (event.type !== 'updated') return;
    const { query, action } = event;
    if (action.type === 'fetch') {
      const isEmbedded = performance.now() < EMBEDDED_ms && initial.token !== null;
      // A fetch of one more page leaves the other pages as they are.
      if (action.meta?.['fetchMore']) starts.delete(query);
      else starts.set(query, isEmbedded ? initial : position());
    }
    // The data of a failed fetch is not stored. A later fetch of one more page must not get the mark of this fetch.
    if (action.type === 'error') starts.delete(query);
    if (action.type !== 'success' || action.manual) return;
    const start = starts.get(query);
    if (start) marks.set(query, start);
    starts.delete(query);
  });

  return {
    /** Returns the mark of the query with exactly this key. Returns null without data. */
    markOf(queryKey: readonly unknown[]): Mark | null {
      const found = client
        .getQueryCache()
        .findAll({ queryKey, exact: true })
        .flatMap((query) => {
          if (query.state.fetchStatus !== 'idle') return [starts.get(query) ?? marks.get(query) ?? initial];
          return query.state.data === undefined ? [] : [marks.get(query) ?? initial];
        });
      return found.toSorted((a, b) => a.order - b.order)[0] ?? null;
    },
    setMark(queryKey: readonly unknown[], mark: Mark): void {
      for (const query of client.getQueryCache().findAll({ queryKey, exact: true }))
        if (query.state.data !== undefined) marks.set(query, mark);
    },
    /** Forgets all marks, because all data is loaded again. */
    reset(): void {
      initial = position();
      starts = new WeakMap();
      marks = new WeakMap();
    },
  };
}
