/**
 * Runs what is given for one key one after the other, in the order in which it came; different keys do not wait for each other. What fails
 * holds nobody up.
 */
export function createTurns(): <T>(key: string, work: () => Promise<T>) => Promise<T> {
  /** The last turn of each key that has any; it never rejects. */
  const last = new Map<string, Promise<unknown>>();
  return async (key, work) => {
    const before = last.get(key);
    const done = before ? before.then(work) : work();
    const turn = done.then(nothing, nothing);
    last.set(key, turn);
    try {
      return await done;
    } finally {
      if (last.get(key) === turn) last.delete(key);
    }
  };
}

const nothing = () => undefined;
