import { DomainError } from '@alpenglow/domain/contracts';

const RETRY_AFTER_s = 1;

export interface ShortCacheOptions<Input, Value> {
  readonly create: (input: Input) => Promise<Value>;
  /** Returns the key under which the value of an input is cached. By default, it is the input as JSON. */
  readonly keyOf?: (input: Input) => string;
  readonly lifetime_ms: number;
  /** The maximum number of cached values. No more than this number of values are created at the same time. */
  readonly max: number;
}

/**
 * Creates a cache whose values expire after `lifetime_ms`. Simultaneous requests for a key create its value only once.
 * Failures are not cached.
 */
export function createShortCache<Input, Value>({
  create,
  keyOf = (input) => JSON.stringify(input),
  lifetime_ms,
  max,
}: ShortCacheOptions<Input, Value>) {
  /** The cached values in the order of their creation, so that expired values are at the start. */
  const cached = new Map<string, { readonly value: Value; readonly until_ms: number }>();
  const pending = new Map<string, Promise<Value>>();
  let generation = 0;

  function store(key: string, value: Value): void {
    const now_ms = performance.now();
    cached.delete(key);
    cached.set(key, { value, until_ms: now_ms + lifetime_ms });
    for (const [oldKey, { until_ms }] of cached) {
      if (until_ms > now_ms && cached.size <= max) break;
      cached.delete(oldKey);
    }
  }

  return {
    /**
     * Returns the cached value of an input, or creates it. Concurrent calls with the same key share one result. Rejects
     * with UNAVAILABLE if too many values are being created.
     */
    get(input: Input): Promise<Value> {
      const key = keyOf(input);
      const entry = cached.get(key);
      if (entry && entry.until_ms > performance.now()) return Promise.resolve(entry.value);
      const existing = pending.get(key);
      if (existing) return existing;
      if (pending.size >= max) return Promise.reject(new DomainError('UNAVAILABLE', {}, RETRY_AFTER_s));
      const startedIn = generation;
      const creation = create(input)
        .then((value) => {
          if (startedIn === generation) store(key, value);
          return value;
        })
        .finally(() => {
          if (pending.get(key) === creation) pending.delete(key);
        });
      pending.set(key, creation);
      return creation;
    },
    clear(): void {
      generation += 1;
      cached.clear();
      pending.clear();
    },
  };
}
