import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import type { DataKeys } from '../../personal-data.ts';

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

  return {
    async obtain(accountId) {
      const known = cache.get(accountId);
      if (known) return known;
      await pool.query({
        name: 'data-keys-make',
        text: 'insert into auth.data_keys (account_id, wrapped_key) values ($1, $2) on conflict do nothing',
        values: [accountId, wrap(master, accountId, randomBytes(32))],
      });
      const key = (await load([accountId])).get(accountId);
      if (!key) throw new Error('The key of this account was destroyed');
      return key;
    },
    async find(accountIds) {
      const found = new Map<string, Buffer | null>();
      const unknown: string[] = [];
      for (const id of accountIds) {
        const key = cache.get(id);
        if (key) found.set(id, key);
        else unknown.push(id);
      }
      if (unknown.length > 0) for (const [id, key] of await load(unknown)) found.set(id, key);
      return found;
    },
  };
}

function wrap(master: Buffer, accountId: string, key: Buffer): Buffer {
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', master, iv).setAAD(Buffer.from(accountId));
  return Buffer.concat([iv, cipher.update(key), cipher.final(), cipher.getAuthTag()]);
}

function unwrap(master: Buffer, accountId: string, wrapped: Buffer): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', master, wrapped.subarray(0, 12)).setAAD(Buffer.from(accountId)).setAuthTag(wrapped.subarray(-16));
  return Buffer.concat([decipher.update(wrapped.subarray(12, -16)), decipher.final()]);
}
