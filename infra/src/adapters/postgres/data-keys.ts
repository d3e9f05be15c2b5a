import { createCipheriv, createDecipheriv } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import type { DataKeys } from '../../personal-data.ts';
import { gathered } from '../../gathered.ts';
import { drawRandomBytes } from '../../random.ts';

/** As many as the events of one page can be of. */
const MOST_AT_ONCE = 1_000;

/** Keys of accounts in `auth.data_keys`, wrapped with the installation's secret (64 hex digits), the last 10,000 used kept in memory. */
export function createDataKeys(pool: Pool, secret: string): DataKeys {
  const master = Buffer.from(secret, 'hex');
  const cache = new LRUCache<string, Buffer>({ max: 10_000 });

  /** The rows that exist: a key, or null where it was destroyed. */
  async function load(accountIds: readonly string[]): Promise<Map<string, Buffer | null>> {
    const { rows } = await pool.query<{ account_id: string; wrapped_key: Buffer | null }>({
      name: 'data-keys-find',
      text: 'select account_id, wrapped_key from auth.data_keys where account_id = any($1)',
      values: [accountIds],
    });
    const loaded = new Map(rows.map(({ account_id: id, wrapped_key: wrapped }) => [id, wrapped && unwrap(master, id, wrapped)]));
    for (const [id, key] of loaded) if (key) cache.set(id, key);
    return loaded;
  }

  /** The keys of accounts, made where there are none; an account whose key was destroyed is not among them. */
  async function make(accountIds: readonly string[]): Promise<ReadonlyMap<string, Buffer | null>> {
    const fresh = new Map(accountIds.map((id) => [id, drawRandomBytes(32)]));
    const { rows } = await pool.query<{ account_id: string }>({
      name: 'data-keys-make',
      text: 'insert into auth.data_keys (account_id, wrapped_key) select * from unnest($1::text[], $2::bytea[]) on conflict do nothing returning account_id',
      values: [accountIds, [...fresh].map(([id, key]) => wrap(master, id, key))],
    });
    const made = new Map(rows.map(({ account_id: id }) => [id, fresh.get(id) ?? null]));
    for (const [id, key] of made) if (key) cache.set(id, key);
    const others = accountIds.filter((id) => !made.has(id));
    return others.length > 0 ? new Map([...made, ...(await load(others))]) : made;
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
      // In one order everywhere, so that two such statements never wait for each other.
      const made = await make([...new Set(accountIds)].sort());
      return accountIds.map((id) => made.get(id) ?? null);
    },
    { max: MOST_AT_ONCE },
  );

  return {
    async obtain(accountId) {
      const key = cache.get(accountId) ?? (await makeOne(accountId));
      if (!key) throw new Error('The key of this account was destroyed');
      return key;
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
}

function wrap(master: Buffer, accountId: string, key: Buffer): Buffer {
  const iv = drawRandomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', master, iv).setAAD(Buffer.from(accountId));
  return Buffer.concat([iv, cipher.update(key), cipher.final(), cipher.getAuthTag()]);
}

function unwrap(master: Buffer, accountId: string, wrapped: Buffer): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', master, wrapped.subarray(0, 12)).setAAD(Buffer.from(accountId)).setAuthTag(wrapped.subarray(-16));
  return Buffer.concat([decipher.update(wrapped.subarray(12, -16)), decipher.final()]);
}
