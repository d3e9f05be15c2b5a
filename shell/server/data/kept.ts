export interface Kept<Value> {
  /** What is kept under a key, or made anew; whoever asks while it is being made gets the same. */
  get(key: string): Promise<Value>;
  clear(): void;
}

export interface KeptOptions<Value> {
  readonly make: (key: string) => Promise<Value>;
  readonly lifetime_ms: number;
  /** So many are kept, and so many more may be in the making. */
  readonly max: number;
}

/** Keeps values for a moment, so that a flood of requests makes each of them once. What could not be made is not kept. */
export function createKept<Value>({ make, lifetime_ms, max }: KeptOptions<Value>): Kept<Value> {
  /** In the order in which they were made, so that those that have expired come first. */
  const kept = new Map<string, { readonly value: Value; readonly until_ms: number }>();
  const underWay = new Map<string, Promise<Value>>();
  let generation = 0;

  function keep(key: string, value: Value): void {
    const now_ms = performance.now();
    kept.delete(key);
    kept.set(key, { value, until_ms: now_ms + lifetime_ms });
    for (const [old, { until_ms }] of kept) {
      if (until_ms > now_ms && kept.size <= max) break;
      kept.delete(old);
    }
  }

  return {
    get(key) {
      const known = kept.get(key);
      if (known && known.until_ms > performance.now()) return Promise.resolve(known.value);
      const waiting = underWay.get(key);
      if (waiting) return waiting;
      if (underWay.size >= max) return Promise.reject(new Error('Too much is in the making'));
      const startedIn = generation;
      const making = make(key)
        .then((value) => {
          if (startedIn === generation) keep(key, value);
          return value;
        })
        .finally(() => {
          if (underWay.get(key) === making) underWay.delete(key);
        });
      underWay.set(key, making);
      return making;
    },
    clear() {
      generation += 1;
      kept.clear();
      underWay.clear();
    },
  };
}
