import type { QueryClient } from '@tanstack/react-query';
import type { Mark } from './live-client.ts';

/** For this time after the page was loaded, a fetch may return data that was embedded in the page. */
const EMBEDDED_ms = 15_000;

/**
 * For each query, stores the position of the live channel up to which its data contains all changes. This is the
 * position at the start of the fetch. A message is sent only after the read models contain its change, so the data is
 * not older.
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
    /** Returns the mark of the query with this key, or of its fetch. Returns null without data and without a fetch. */
    markOf(queryKey: readonly unknown[]): Mark | null {
      const found = client
        .getQueryCache()
        .findAll({ queryKey, exact: true })
        .flatMap((query) => {
          if (query.state.fetchStatus !== 'idle') return [starts.get(query) ?? marks.get(query) ?? initial];
          return query.state.data === undefined ? [] : [marks.get(query) ?? initial];
        });
      return found.sort((a, b) => a.order - b.order)[0] ?? null;
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
