import type { Pool } from 'pg';
import { createKeyWrapping } from '../../security/key-wrapping.ts';
import type { DataKeys } from '../../security/personal-data.ts';
import { createBatcher } from '../../service/batcher.ts';
import { createDataKeyCache } from './data-key-cache.ts';
import { findMissingIds, loadKeys, obtainKeys, storeKeysAgain, type KeyTable } from './data-key-rows.ts';
import { createKeyRetirement } from './retired-data-keys.ts';

/** The maximum number of accounts per query. It is large enough for all accounts of one page of events. */
const MAX_BATCH = 1_000;

/**
 * Stores the encryption keys of accounts in the table `auth.data_keys`. The keys are themselves encrypted with the
 * first of `secrets`, the installation's secrets (64 hex digits each, separated by commas). The other secrets are only
 * used for reading. The 10,000 most recently used keys are cached in memory for 5 s.
 *
 * A new key is committed to disk before it is returned. A failover to a replica can lose it nevertheless. An account
 * whose key was lost gets a key with another id, because its earlier events cannot be decrypted with the new key
 * (decision 0073).
 */
export function createDataKeys(pool: Pool, secrets: string) {
  const table: KeyTable = { pool, wrapping: createKeyWrapping(secrets) };
  const cache = createDataKeyCache();

  async function load(keyIds: readonly string[]): Promise<ReadonlyMap<string, Buffer | null>> {
    const atStart = cache.version();
    const loaded = await loadKeys(table, keyIds);
    cache.add(loaded, atStart);
    return loaded;
  }

  const loadOne = createBatcher(
    async (accountIds: readonly string[]) => {
      const loaded = await load([...new Set(accountIds)]);
      return accountIds.map((id) => loaded.get(id));
    },
    { max: MAX_BATCH },
  );
  const obtainOne = createBatcher(
    async (accountIds: readonly string[]) => {
      // The ids are sorted, because two parallel statements that create the same keys in different orders could
      // deadlock.
      const found = await obtainKeys(table, [...new Set(accountIds)].sort());
      return accountIds.map((id) => found.get(id) ?? null);
    },
    { max: MAX_BATCH },
  );

  const keys: DataKeys = {
    async obtain(accountId) {
      const known = cache.findSealing(accountId);
      if (known) return known;
      const atStart = cache.version();
      const found = await obtainOne(accountId);
      if (!found) throw new Error('The key of this account was destroyed');
      cache.addSealing(accountId, found, atStart);
      return found;
    },
    async find(accountIds) {
      const found = new Map<string, Buffer | null>();
      const unknown = accountIds.filter((id) => {
        const key = cache.find(id);
        if (key) found.set(id, key);
        return !key;
      });
      const loaded = await Promise.all(unknown.map(loadOne));
      loaded.forEach((key, index) => {
        const id = unknown[index];
        if (id !== undefined && key !== undefined) found.set(id, key);
      });
      return found;
    },
  };
  return {
    ...keys,
    ...createKeyRetirement({ pool, loadKeys: load, forgetAccount: cache.forgetAccount }),
    /** Clears the cache of keys, so that every key is read from the database again. */
    clearCache: cache.forget,
    forgetAccount: cache.forgetAccount,
    /**
     * Stores the keys again with which this process has recently encrypted data, if their rows no longer exist. Call it
     * after a connection was lost, because a failover may have lost the rows. Keys that were destroyed remain
     * destroyed. Returns the number of keys that were stored.
     */
    async restoreLost(): Promise<number> {
      const ids = cache.listUsedIds();
      let restored = 0;
      for (let from = 0; from < ids.length; from += MAX_BATCH) {
        const missing = await findMissingIds(table, ids.slice(from, from + MAX_BATCH));
        const lost = missing.flatMap((id) => {
          const key = cache.findUsed(id);
          return key ? [{ id, key }] : [];
        });
        if (lost.length > 0) restored += await storeKeysAgain(table, lost);
      }
      return restored;
    },
  };
}
