/**
 * Returns a function that runs work with the same key sequentially, in the order of the calls. Work with different keys
 * runs in parallel. Work that fails does not block later work.
 */
export function createSerialRunner(): <T>(key: string, work: () => Promise<T>) => Promise<T> {
  /** The last waiting or running work of each key, as a promise that never rejects. */
  const last = new Map<string, Promise<unknown>>();
  return async (key, work) => {
    const previous = last.get(key);
    const result = previous ? previous.then(work) : work();
    const turn = result.then(ignore, ignore);
    last.set(key, turn);
    try {
      return await result;
    } finally {
      if (last.get(key) === turn) last.delete(key);
    }
  };
}

const ignore = () => undefined;
