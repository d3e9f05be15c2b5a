import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import { createKeyWrapping } from '../../security/key-wrapping.ts';
import { accountIdOfKey, type DataKeys, type SealingKey } from '../../security/personal-data.ts';
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
const KEY_CACHE_AGE_ms = 5_000;
/** The assumed maximum time in ms of a running lookup of keys. */
const MAX_LOOKUP_ms = 1_000;
/**
 * The Postgres channel that notifies all processes when the encryption keys of an account were retired or destroyed.
 */
const KEYS_CHANGED_CHANNEL = 'data_keys_changed';

/** Key ids of one account differ by their numbers. A new key has a number that is higher by 1 up to this value. */
const MAX_NUMBER_STEP = 2 ** 20;
/** Returns SQL for the number of a key. The first key of an account, whose id is the account id, has number 1. */
const numberOf = (id: string) => `coalesce(nullif(split_part(${id}, '~', 2), '')::integer, 1)`;
/** The maximum number of attempts to create a key. Another process may create a key for the same account first. */
const MAX_ATTEMPTS = 3;

/**
 * Calls `onChange` with the account id when encryption keys of an account were retired or destroyed. Calls
 * `onReconnect` when the connection is established again, because a notification or a stored key may have been lost.
 */
export function listenForKeyChanges(
  connectionString: string,
  { onChange, onReconnect }: { readonly onChange: (accountId: string) => void; readonly onReconnect: () => void },
) {
  return listen(connectionString, [KEYS_CHANGED_CHANNEL], (_channel, accountId) => onChange(accountId), {
    onReconnect,
    applicationName: 'alpenglow-keys',
  });
}

/**
 * Returns whether a process may still use a key of an account that was destroyed in the last 6 s, by the clock of
 * Postgres. Such a process has the key in its cache, or was reading it when it was destroyed.
 */
export async function mayUseDestroyedKeys(pool: Pool, accountId: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    `select from auth.data_keys
      where split_part(account_id, '~', 1) = $1
        and destroyed_at > clock_timestamp() - ${KEY_CACHE_AGE_ms + MAX_LOOKUP_ms} * interval '1 ms' limit 1`,
    [accountId],
  );
  return rowCount === 1;
}

/** The current key of an account. `key` is undefined if the key is not stored or is damaged, and null if destroyed. */
interface CurrentKey {
  readonly accountId: string;
  /** The number of the key, or null if no number is stored for the account. */
  readonly number: number | null;
  readonly key: SealingKey | null | undefined;
}

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
  const wrapping = createKeyWrapping(secrets);
  const cache = new LRUCache<string, Buffer>({ max: MAX_CACHED_KEYS, ttl: KEY_CACHE_AGE_ms });
  const sealing = new LRUCache<string, SealingKey>({ max: MAX_CACHED_KEYS, ttl: KEY_CACHE_AGE_ms });
  /** The keys with which this process has recently encrypted data, by key id. A failover may have lost them. */
  const used = new LRUCache<string, Buffer>({ max: MAX_CACHED_KEYS });
  /**
   * The number of times that the cache was cleared. If the cache was cleared during a query, the result of the query is
   * not cached.
   */
  let invalidations = 0;

  /**
   * Returns the stored keys by key id. The value is null if the key was destroyed. A key that does not exist or is
   * damaged is omitted.
   */
  async function load(keyIds: readonly string[]): Promise<Map<string, Buffer | null>> {
    const atStart = invalidations;
    const { rows } = await pool.query<{ id: string; wrapped: Buffer | null; secretId: string | null }>({
      name: 'data-keys-find',
      text: `select account_id as id, wrapped_key as wrapped, secret_id as "secretId"
               from auth.data_keys where account_id = any($1)`,
      values: [keyIds],
    });
    const loaded = new Map<string, Buffer | null>();
    for (const { id, wrapped, secretId } of rows) {
      const key = wrapped && wrapping.unwrapUnlessDamaged(id, { wrapped, secretId });
      if (key || !wrapped) loaded.set(id, key);
      if (key && atStart === invalidations) cache.set(id, key);
    }
    return loaded;
  }

  async function loadCurrent(accountIds: readonly string[]): Promise<readonly CurrentKey[]> {
    const { rows } = await pool.query<{
      accountId: string;
      number: number | null;
      id: string | null;
      wrapped: Buffer | null;
      secretId: string | null;
    }>({
      name: 'data-keys-current',
      text: `select a.id as "accountId", g.generation as number, k.account_id as id, k.wrapped_key as wrapped,
                    k.secret_id as "secretId"
               from unnest($1::text[]) as a (id)
               left join auth.key_generations g on g.account_id = a.id
               left join auth.data_keys k
                 on k.account_id = a.id || case when g.generation > 1 then '~' || g.generation else '' end`,
      values: [accountIds],
    });
    return rows.map(({ accountId, number, id, wrapped, secretId }) => {
      if (id === null) return { accountId, number, key: undefined };
      const key = wrapped && wrapping.unwrapUnlessDamaged(id, { wrapped, secretId });
      return { accountId, number, key: key ? { id, key } : wrapped ? undefined : null };
    });
  }

  /**
   * Creates keys for accounts whose current key does not exist, and makes them the current keys. Returns the new keys
   * by account id. Omits an account whose current key has changed in the meantime. Creates no keys if a rotation has
   * replaced the current secret of this process. The lock on the row of the secret lasts until the keys are stored, so
   * that a rotation does not end in between.
   */
  async function create(accounts: readonly CurrentKey[]): Promise<ReadonlyMap<string, SealingKey>> {
    const fresh = accounts.map(({ accountId, number: before }) => {
      const number = (before ?? 1) + 1 + (drawRandomBytes(4).readUInt32BE() % MAX_NUMBER_STEP);
      return { accountId, before, number, key: { id: `${accountId}~${number}`, key: drawRandomBytes(32) } };
    });
    const { rows } = await pool.query<{ account_id: string }>({
      name: 'data-keys-create',
      text: `with secret as (select replaced_at from auth.data_key_secrets where id = $6 for share),
                  fresh as (
                    select f.* from unnest($1::text[], $2::integer[], $3::integer[], $4::text[], $5::bytea[])
                             as f (account_id, before, number, key_id, wrapped)
                     where not exists (select from secret where replaced_at is not null)),
                  locked as (
                    select account_id, generation from auth.key_generations
                     where account_id = any($1) order by account_id for update),
                  added as (
                    insert into auth.key_generations (account_id, generation)
                    select account_id, number from fresh where before is null
                    on conflict do nothing returning account_id),
                  moved as (
                    update auth.key_generations g set generation = f.number
                      from fresh f join locked using (account_id)
                     where g.account_id = f.account_id and g.generation = f.before returning g.account_id),
                  durable as (select set_config('synchronous_commit', 'on', true)),
                  stored as (
                    insert into auth.data_keys (account_id, wrapped_key, secret_id)
                    select f.key_id, f.wrapped, $6 from fresh f, durable
                     where f.account_id in (select account_id from added union all select account_id from moved)
                    returning account_id)
             select f.account_id from fresh f join stored s on s.account_id = f.key_id`,
      values: [
        fresh.map(({ accountId }) => accountId),
        fresh.map(({ before }) => before),
        fresh.map(({ number }) => number),
        fresh.map(({ key }) => key.id),
        fresh.map(({ key: { id, key } }) => wrapping.wrap(id, key)),
        wrapping.currentId,
      ],
    });
    const created = new Set(rows.map(({ account_id: id }) => id));
    return new Map(
      fresh.filter(({ accountId }) => created.has(accountId)).map(({ accountId, key }) => [accountId, key]),
    );
  }

  /**
   * Returns the current keys of accounts, and creates keys that do not exist. The value is null if the key was
   * destroyed. Throws if a rotation has replaced the current secret of this process.
   */
  async function obtainAll(accountIds: readonly string[]): Promise<ReadonlyMap<string, SealingKey | null>> {
    const found = new Map<string, SealingKey | null>();
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const current = await loadCurrent(accountIds.filter((id) => !found.has(id)));
      for (const { accountId, key } of current) if (key !== undefined) found.set(accountId, key);
      const absent = current.filter(({ key }) => key === undefined);
      if (absent.length > 0) for (const [accountId, key] of await create(absent)) found.set(accountId, key);
      if (found.size === accountIds.length) return found;
    }
    throw new Error('A rotation has replaced the first secret in SECRET_DATA_KEYS. Restart with the new secret first');
  }

  /**
   * Stores the keys again with which this process has recently encrypted data, if their rows no longer exist. Call it
   * after a connection was lost, because a failover may have lost the rows. Keys that were destroyed remain destroyed.
   * Returns the number of keys that were stored.
   */
  async function restoreLost(): Promise<number> {
    const ids = [...used.keys()];
    let restored = 0;
    for (let from = 0; from < ids.length; from += MAX_BATCH) {
      const { rows } = await pool.query<{ id: string }>(
        `select u.id from unnest($1::text[]) as u (id)
          where not exists (select from auth.data_keys k where k.account_id = u.id) order by 1`,
        [ids.slice(from, from + MAX_BATCH)],
      );
      const lost = rows.flatMap(({ id }) => {
        const key = used.get(id);
        return key ? [{ id, wrapped: wrapping.wrap(id, key) }] : [];
      });
      if (lost.length === 0) continue;
      const { rowCount } = await pool.query(
        `with secret as (select replaced_at from auth.data_key_secrets where id = $3 for share),
              durable as (select set_config('synchronous_commit', 'on', true)),
              stored as (
                insert into auth.data_keys (account_id, wrapped_key, secret_id)
                select f.*, $3 from unnest($1::text[], $2::bytea[]) as f, durable
                 where not exists (select from secret where replaced_at is not null)
                on conflict do nothing returning account_id),
              numbered as (
                insert into auth.key_generations as known (account_id, generation)
                select split_part(account_id, '~', 1), max(${numberOf('account_id')}) from stored group by 1
                on conflict (account_id) do update set generation = greatest(known.generation, excluded.generation))
         select from stored`,
        [lost.map(({ id }) => id), lost.map(({ wrapped }) => wrapped), wrapping.currentId],
      );
      restored += rowCount ?? 0;
    }
    return restored;
  }

  function forget(): void {
    invalidations += 1;
    cache.clear();
    sealing.clear();
  }

  /** Forgets the keys of an account, because they were retired or destroyed. */
  function forgetAccount(accountId: string): void {
    // A query for keys that is running returns a state from before the change, so its result is not cached.
    invalidations += 1;
    for (const keysById of [used, cache])
      for (const id of keysById.keys()) if (accountIdOfKey(id) === accountId) keysById.delete(id);
    sealing.delete(accountId);
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
      const found = await obtainAll([...new Set(accountIds)].sort());
      return accountIds.map((id) => found.get(id) ?? null);
    },
    { max: MAX_BATCH },
  );

  const keys: DataKeys = {
    async obtain(accountId) {
      const known = sealing.get(accountId);
      if (known) return known;
      const atStart = invalidations;
      const found = await obtainOne(accountId);
      if (!found) throw new Error('The key of this account was destroyed');
      if (atStart === invalidations) sealing.set(accountId, found);
      used.set(found.id, found.key);
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
      forgetAccount(accountId);
    },
    /** Permanently destroys the retired encryption keys of this account, but not its current key. Idempotent. */
    async destroyRetired(accountId: string): Promise<void> {
      // The row of the key is not deleted. It shows that the key was destroyed and not lost.
      await pool.query(
        `with destroyed as (
           update auth.data_keys k set wrapped_key = null, secret_id = null
             from auth.key_generations g
            where g.account_id = $1 and split_part(k.account_id, '~', 1) = $1
              and ${numberOf('k.account_id')} <> g.generation)
         select pg_notify('${KEYS_CHANGED_CHANNEL}', $1)`,
        [accountId],
      );
      forgetAccount(accountId);
    },
    /**
     * Returns whether an encryption key of this account is not destroyed, although it is not the current key. Checks
     * the stored keys of the account, and the keys `keyIds`.
     */
    async hasRetired(accountId: string, keyIds: readonly string[]): Promise<boolean> {
      const { rowCount } = await pool.query(
        `select from auth.data_keys k join auth.key_generations g on g.account_id = $1
          where (split_part(k.account_id, '~', 1) = $1 or k.account_id = any($2))
            and ${numberOf('k.account_id')} <> g.generation and k.wrapped_key is not null limit 1`,
        [accountId, keyIds],
      );
      return rowCount === 1;
    },
    /**
     * Records that lost keys of an account are destroyed, because the account is being erased. A key is lost if its row
     * is missing or damaged. Other keys of `keyIds`, and the current key of the account, do not change. Idempotent.
     * Returns the number of keys that were recorded.
     */
    async giveUpLost(accountId: string, keyIds: readonly string[]): Promise<number> {
      const own = keyIds.filter((id) => accountIdOfKey(id) === accountId);
      const stored = await load(own);
      const { rowCount } = await pool.query(
        `with lost as (
           insert into auth.data_keys (account_id, wrapped_key)
           select f.id, null from unnest($2::text[]) as f (id)
            where not exists (
              select from auth.key_generations g where g.account_id = $1 and ${numberOf('f.id')} = g.generation)
           on conflict (account_id) do update set wrapped_key = null, secret_id = null
           returning account_id)
         select pg_notify('${KEYS_CHANGED_CHANNEL}', $1) from lost`,
        [accountId, own.filter((id) => !stored.has(id))],
      );
      forgetAccount(accountId);
      return rowCount ?? 0;
    },
    /** Clears the cache of keys, so that every key is read from the database again. */
    clearCache: forget,
    forgetAccount,
    restoreLost,
  };
}
