import { LRUCache } from 'lru-cache';
import { accountIdOfKey, type SealingKey } from '../../security/personal-data.ts';

const MAX_CACHED_KEYS = 10_000;
/**
 * The maximum age of a cached encryption key in ms. If a process misses the notification that a key was destroyed or
 * retired, it uses the key no longer than this time.
 */
export const KEY_CACHE_AGE_ms = 5_000;

/**
 * Owns the keys in the memory of this process. Invariant: `find` and `findSealing` do not return a key that was read
 * before `forget` or `forgetAccount`. A reader therefore passes the `version` at the start of its query. `findUsed` may
 * still return such a key.
 */
export function createDataKeyCache() {
  const cache = new LRUCache<string, Buffer>({ max: MAX_CACHED_KEYS, ttl: KEY_CACHE_AGE_ms });
  const sealing = new LRUCache<string, SealingKey>({ max: MAX_CACHED_KEYS, ttl: KEY_CACHE_AGE_ms });
  /** The keys with which this process has recently encrypted data, by key id. A failover may have lost them. */
  const used = new LRUCache<string, Buffer>({ max: MAX_CACHED_KEYS });
  /** The number of times that keys were forgotten. */
  let invalidations = 0;
  return {
    version: (): number => invalidations,
    find: (keyId: string): Buffer | undefined => cache.get(keyId),
    /** Stores keys that were read, except destroyed ones. */
    add(keys: ReadonlyMap<string, Buffer | null>, atStart: number): void {
      if (atStart === invalidations) for (const [id, key] of keys) if (key) cache.set(id, key);
    },
    /** Returns the current key of an account. */
    findSealing: (accountId: string): SealingKey | undefined => sealing.get(accountId),
    /** Stores the current key of an account, with which this process now encrypts data. */
    addSealing(accountId: string, key: SealingKey, atStart: number): void {
      if (atStart === invalidations) sealing.set(accountId, key);
      used.set(key.id, key.key);
    },
    listUsedIds: (): readonly string[] => [...used.keys()],
    findUsed: (keyId: string): Buffer | undefined => used.get(keyId),
    /** Forgets all keys, but not which of them were used. */
    forget(): void {
      invalidations += 1;
      cache.clear();
      sealing.clear();
    },
    /** Forgets the keys of an account, because they were retired or destroyed. */
    forgetAccount(accountId: string): void {
      // A query for keys that is running returns a state from before the change, so its result is not cached.
      invalidations += 1;
      for (const keysById of [used, cache])
        for (const id of keysById.keys()) if (accountIdOfKey(id) === accountId) keysById.delete(id);
      sealing.delete(accountId);
    },
  };
}
