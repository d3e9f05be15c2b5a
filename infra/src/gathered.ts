import DataLoader from 'dataloader';

const MAX_AT_ONCE = 64;

/**
 * A look-up whose calls of one turn of the event loop go to `lookUp` together, at most 64 (or `max`) at a time: many requests then cost the
 * database one statement. `lookUp` answers in the order it was asked; when it rejects, all of its callers do. Nothing is remembered.
 */
export function gathered<Key, Found>(lookUp: (keys: readonly Key[]) => Promise<readonly Found[]>, { max = MAX_AT_ONCE } = {}): (key: Key) => Promise<Found> {
  const loader = new DataLoader<Key, Found>(lookUp, {
    cache: false,
    maxBatchSize: max,
    // Everybody whom the last answer has woken asks before this runs.
    batchScheduleFn: (begin) => void setImmediate(begin),
  });
  return (key) => loader.load(key);
}
