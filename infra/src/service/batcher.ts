import DataLoader from 'dataloader';

const MAX_BATCH = 64;
/** The maximum time for which a running batch delays the start of the next batch. */
const SLOW_ms = 20;

/**
 * Returns a function that combines its calls into batches. A batch contains the calls of one turn of the event loop,
 * and the calls that arrive while the previous batch runs. A batch has at most 64 (or `max`) calls. Under load, one
 * database statement therefore serves many requests. A single caller does not wait for others. `lookUp` runs a batch,
 * and must return its results in the order of the keys. If it rejects, all calls of the batch reject. Results are not
 * cached.
 */
export function createBatcher<Key, Result>(
  lookUp: (keys: readonly Key[]) => Promise<readonly Result[]>,
  { max = MAX_BATCH } = {},
): (key: Key) => Promise<Result> {
  const waiting: (() => void)[] = [];
  let isRunning = false;

  function schedule(start: () => void): void {
    if (isRunning) {
      waiting.push(start);
      return;
    }
    isRunning = true;
    // The batch starts at the end of the event loop phase. Callers that have just received a result can then add their
    // next call to the same batch.
    setImmediate(start);
  }

  function runNext(): void {
    isRunning = false;
    const start = waiting.shift();
    if (start) schedule(start);
  }

  function lookUpBatch(keys: readonly Key[]): Promise<readonly Result[]> {
    let isFinished = false;
    const end = () => {
      if (isFinished) return;
      isFinished = true;
      clearTimeout(timer);
      runNext();
    };
    const timer = setTimeout(end, SLOW_ms);
    const results = lookUp(keys);
    results.then(end, end);
    return results;
  }

  const loader = new DataLoader<Key, Result>(lookUpBatch, {
    cache: false,
    maxBatchSize: max,
    batchScheduleFn: schedule,
  });
  return (key) => loader.load(key);
}
