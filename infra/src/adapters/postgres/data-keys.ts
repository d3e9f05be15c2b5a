import { createCipheriv, createDecipheriv } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import type { DataKeys, SealingKey } from '../../personal-data.ts';
import { gathered } from '../../gathered.ts';
import { drawRandomBytes } from '../../random.ts';
import { listen, type Listener } from './pool.ts';

/** As many as the events of one page can be of. */
const MOST_AT_ONCE = 1_000;
const KEPT_KEYS = 10_000;
/** No process opens or seals anything with a key that was destroyed or retired longer ago, even one that was told nothing of it. */
export const KEY_AGE_ms = 5_000;
/** Told of each account whose keys were retired or destroyed. */
const KEYS_CHANGED_CHANNEL = 'data_keys_changed';

/** The keys, and what an erasure does to them. */
export interface AccountKeys extends DataKeys {
  /** What is sealed for this account from here on is sealed with another key than before. Twice does no harm. */
  retire(accountId: string): Promise<void>;
  /** Destroys the retired keys of this account, for good: the one it seals with now stays. Twice is once. */
  destroyRetired(accountId: string): Promise<void>;
  /** Looks every key up anew from here on. */
  forget(): void;
}

/** Calls back when keys were retired or destroyed by any process, and when that may have gone unnoticed. */
export function followKeyChanges(connectionString: string, onChange: () => void): Listener {
  return listen(connectionString, [KEYS_CHANGED_CHANNEL], onChange, {
    onReconnect: onChange,
    applicationName: 'alpenglow-keys',
  });
}

/** Keys of accounts in `auth.data_keys`, wrapped with the installation's secret (64 hex digits), the last 10,000 used kept in memory for some seconds. */
export function createDataKeys(pool: Pool, secret: string): AccountKeys {
  const master = Buffer.from(secret, 'hex');
  const cache = new LRUCache<string, Buffer>({ max: KEPT_KEYS, ttl: KEY_AGE_ms });
  /** By account: what it is sealed with now. */
  const sealing = new LRUCache<string, SealingKey>({ max: KEPT_KEYS, ttl: KEY_AGE_ms });
  /** How often everything was forgotten: what was asked for before that is not kept. */
  let forgotten = 0;

  /** The rows that exist: a key, or null where it was destroyed. */
  async function load(accountIds: readonly string[]): Promise<Map<string, Buffer | null>> {
    const since = forgotten;
    const { rows } = await pool.query<{ account_id: string; wrapped_key: Buffer | null }>({
      name: 'data-keys-find',
      text: 'select account_id, wrapped_key from auth.data_keys where account_id = any($1)',
      values: [accountIds],
    });
    const loaded = new Map(
      rows.map(({ account_id: id, wrapped_key: wrapped }) => [id, wrapped && unwrap(master, id, wrapped)]),
    );
    for (const [id, key] of loaded) if (key && since === forgotten) cache.set(id, key);
    return loaded;
  }

  /** The keys of accounts, made where there are none; an account whose key was destroyed is not among them. */
  async function make(accountIds: readonly string[]): Promise<ReadonlyMap<string, Buffer | null>> {
    const since = forgotten;
    const fresh = new Map(accountIds.map((id) => [id, drawRandomBytes(32)]));
    const { rows } = await pool.query<{ account_id: string }>({
      name: 'data-keys-make',
      text: 'insert into auth.data_keys (account_id, wrapped_key) select * from unnest($1::text[], $2::bytea[]) on conflict do nothing returning account_id',
      values: [accountIds, [...fresh].map(([id, key]) => wrap(master, id, key))],
    });
    const made = new Map(rows.map(({ account_id: id }) => [id, fresh.get(id) ?? null]));
    for (const [id, key] of made) if (key && since === forgotten) cache.set(id, key);
    const others = accountIds.filter((id) => !made.has(id));
    return others.length > 0 ? new Map([...made, ...(await load(others))]) : made;
  }

  /** What each account's key of now is called. */
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
    forgotten += 1;
    cache.clear();
    sealing.clear();
  }

  const loadOne = gathered(
    async (accountIds: readonly string[]) => {
      const loaded = await load([...new Set(accountIds)]);
      return accountIds.map((id) => loaded.get(id));
    },
    { max: MOST_AT_ONCE },
  );
  const makeOne = gathered(
    async (accountIds: readonly string[]) => {
      const keyIds = await currentKeyIds(accountIds);
      // In one order everywhere, so that two such statements never wait for each other.
      const made = await make([...new Set(keyIds)].sort());
      return keyIds.map((id): SealingKey | null => {
        const key = made.get(id);
        return key ? { id, key } : null;
      });
    },
    { max: MOST_AT_ONCE },
  );

  return {
    async obtain(accountId) {
      const known = sealing.get(accountId);
      if (known) return known;
      const since = forgotten;
      const found = await makeOne(accountId);
      if (!found) throw new Error('The key of this account was destroyed');
      if (since === forgotten) sealing.set(accountId, found);
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
    async retire(accountId) {
      await pool.query(
        `with retired as (
           insert into auth.key_generations as known (account_id, generation) values ($1, 2)
           on conflict (account_id) do update set generation = known.generation + 1)
         select pg_notify('${KEYS_CHANGED_CHANNEL}', $1)`,
        [accountId],
      );
      forget();
    },
    async destroyRetired(accountId) {
      // With the row left, a key that is destroyed is told from one that is lost.
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
    forget,
  };
}

function wrap(master: Buffer, accountId: string, key: Buffer): Buffer {
  const iv = drawRandomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', master, iv).setAAD(Buffer.from(accountId));
  return Buffer.concat([iv, cipher.update(key), cipher.final(), cipher.getAuthTag()]);
}

function unwrap(master: Buffer, accountId: string, wrapped: Buffer): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', master, wrapped.subarray(0, 12))
    .setAAD(Buffer.from(accountId))
    .setAuthTag(wrapped.subarray(-16));
  return Buffer.concat([decipher.update(wrapped.subarray(12, -16)), decipher.final()]);
}
