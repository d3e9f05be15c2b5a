import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import { decrypt, encrypt } from '../../security/cipher.ts';
import type { DataKeys, SealingKey } from '../../security/personal-data.ts';
import { createBatcher } from '../../service/batcher.ts';
import { drawRandomBytes } from '../../security/random.ts';
import { listen } from './pool.ts';

/** The maximum number of accounts per query. It is large enough for all accounts of one page of events. */
const MAX_BATCH = 1_000;
const MAX_CACHED_KEYS = 10_000;
/**
 * The maximum age of a cached encryption key in ms. If a process misses the notification that a key was destroyed or
 * retired, it uses the key no longer than this time.
 */
export const KEY_CACHE_AGE_ms = 5_000;
/**
 * The Postgres channel that notifies all processes when the encryption keys of an account were retired or destroyed.
 */
const KEYS_CHANGED_CHANNEL = 'data_keys_changed';

/**
 * Calls `onChange` when encryption keys of an account were retired or destroyed. Also calls it after a reconnection,
 * because a notification may have been lost.
 */
export function listenForKeyChanges(connectionString: string, onChange: () => void) {
  return listen(connectionString, [KEYS_CHANGED_CHANNEL], onChange, {
    onReconnect: onChange,
    applicationName: 'alpenglow-keys',
  });
}

/**
 * Stores the encryption keys of accounts in the table `auth.data_keys`. The keys are themselves encrypted with
 * `secret`, the installation's secret (64 hex digits). The 10,000 most recently used keys are cached in memory for 5 s.
 */
export function createDataKeys(pool: Pool, secret: string) {
  const master = Buffer.from(secret, 'hex');
  const cache = new LRUCache<string, Buffer>({ max: MAX_CACHED_KEYS, ttl: KEY_CACHE_AGE_ms });
  const sealing = new LRUCache<string, SealingKey>({ max: MAX_CACHED_KEYS, ttl: KEY_CACHE_AGE_ms });
  /**
   * The number of times that the cache was cleared. If the cache was cleared during a query, the result of the query is
   * not cached.
   */
  let invalidations = 0;

  /**
   * Returns the stored keys by key id. The value is null if the key was destroyed. A key that does not exist is
   * omitted.
   */
  async function load(accountIds: readonly string[]): Promise<Map<string, Buffer | null>> {
    const atStart = invalidations;
    const { rows } = await pool.query<{ account_id: string; wrapped_key: Buffer | null }>({
      name: 'data-keys-find',
      text: 'select account_id, wrapped_key from auth.data_keys where account_id = any($1)',
      values: [accountIds],
    });
    const loaded = new Map(
      rows.map(({ account_id: id, wrapped_key: wrapped }) => [id, wrapped && decrypt(master, id, wrapped)]),
    );
    for (const [id, key] of loaded) if (key && atStart === invalidations) cache.set(id, key);
    return loaded;
  }

  /** Returns the keys by key id, and creates keys that do not exist. The value is null if the key was destroyed. */
  async function create(accountIds: readonly string[]): Promise<ReadonlyMap<string, Buffer | null>> {
    const atStart = invalidations;
    const fresh = new Map(accountIds.map((id) => [id, drawRandomBytes(32)]));
    const { rows } = await pool.query<{ account_id: string }>({
      name: 'data-keys-make',
      text: `insert into auth.data_keys (account_id, wrapped_key)
             select * from unnest($1::text[], $2::bytea[])
             on conflict do nothing returning account_id`,
      values: [accountIds, [...fresh].map(([id, key]) => encrypt(master, id, key))],
    });
    const created = new Map(rows.map(({ account_id: id }) => [id, fresh.get(id) ?? null]));
    for (const [id, key] of created) if (key && atStart === invalidations) cache.set(id, key);
    const others = accountIds.filter((id) => !created.has(id));
    return others.length > 0 ? new Map([...created, ...(await load(others))]) : created;
  }

  async function currentKeyIds(accountIds: readonly string[]): Promise<readonly string[]> {
    const { rows } = await pool.query<{ account_id: string; generation: number }>({
      name: 'data-keys-generations',
      text: 'select account_id, generation from auth.key_generations where account_id = any($1)',
      values: [accountIds],
    });
    const later = new Map(rows.map(({ account_id: id, generation }) => [id, `${id}~${generation}`]));
    return accountIds.map((id) => later.get(id) ?? id);
  }

  function forget(): void {
    invalidations += 1;
    cache.clear();
    sealing.clear();
  }

  const loadOne = createBatcher(
    async (accountIds: readonly string[]) => {
      const loaded = await load([...new Set(accountIds)]);
      return accountIds.map((id) => loaded.get(id));
    },
    { max: MAX_BATCH },
  );
  const createOne = createBatcher(
    async (accountIds: readonly string[]) => {
      const keyIds = await currentKeyIds(accountIds);
      // The ids are sorted, because two parallel statements that create the same keys in different orders could
      // deadlock.
      const created = await create([...new Set(keyIds)].sort());
      return keyIds.map((id): SealingKey | null => {
        const key = created.get(id);
        return key ? { id, key } : null;
      });
    },
    { max: MAX_BATCH },
  );

  const keys: DataKeys = {
    async obtain(accountId) {
      const known = sealing.get(accountId);
      if (known) return known;
      const atStart = invalidations;
      const found = await createOne(accountId);
      if (!found) throw new Error('The key of this account was destroyed');
      if (atStart === invalidations) sealing.set(accountId, found);
      return found;
    },
    async find(accountIds) {
      const found = new Map<string, Buffer | null>();
      const unknown = accountIds.filter((id) => {
        const key = cache.get(id);
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
    /**
     * Retires the account's current encryption key, so that later data is encrypted with a new key. Every call retires
     * the key that is current at that time.
     */
    async retire(accountId: string): Promise<void> {
      await pool.query(
        `with retired as (
           insert into auth.key_generations as known (account_id, generation) values ($1, 2)
           on conflict (account_id) do update set generation = known.generation + 1)
         select pg_notify('${KEYS_CHANGED_CHANNEL}', $1)`,
        [accountId],
      );
      forget();
    },
    /** Permanently destroys the retired encryption keys of this account, but not its current key. Idempotent. */
    async destroyRetired(accountId: string): Promise<void> {
      // The row of the key is not deleted. It shows that the key was destroyed and not lost.
      await pool.query(
        `with destroyed as (
           update auth.data_keys k set wrapped_key = null
             from auth.key_generations g, generate_series(1, g.generation - 1) as retired
            where g.account_id = $1 and k.account_id = $1 || case retired when 1 then '' else '~' || retired end)
         select pg_notify('${KEYS_CHANGED_CHANNEL}', $1)`,
        [accountId],
      );
      forget();
    },
    /** Clears the cache of keys, so that every key is read from the database again. */
    clearCache: forget,
  };
}
