import type { Pool } from 'pg';
import type { KeyWrapping } from '../../security/key-wrapping.ts';
import type { SealingKey } from '../../security/personal-data.ts';
import { drawRandomBytes } from '../../security/random.ts';

/** The table `auth.data_keys`, and the secrets with which its keys are encrypted. */
export interface KeyTable {
  readonly pool: Pool;
  readonly wrapping: KeyWrapping;
}

/** Key ids of one account differ by their numbers. The number of a new key is higher by at most this value. */
const MAX_NUMBER_STEP = 2 ** 20;
/** Returns SQL for the number of a key. The first key of an account, whose id is the account id, has number 1. */
export const numberOf = (id: string) => `coalesce(nullif(split_part(${id}, '~', 2), '')::integer, 1)`;
/** The maximum number of attempts to create a key. Another process may create a key for the same account first. */
const MAX_ATTEMPTS = 3;

/** The current key of an account. `key` is undefined if the key is not stored or is damaged, and null if destroyed. */
interface CurrentKey {
  readonly accountId: string;
  /** The number of the key, or null if no number is stored for the account. */
  readonly number: number | null;
  readonly key: SealingKey | null | undefined;
}

/**
 * Returns the stored keys by key id. The value is null if the key was destroyed. A key that does not exist or is
 * damaged is omitted.
 */
export async function loadKeys(
  { pool, wrapping }: KeyTable,
  keyIds: readonly string[],
): Promise<Map<string, Buffer | null>> {
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
  }
  return loaded;
}

/**
 * Returns the current keys of accounts, and creates keys that do not exist. The value is null if the key was
 * destroyed. Throws if a rotation has replaced the current secret of this process.
 */
export async function obtainKeys(
  table: KeyTable,
  accountIds: readonly string[],
): Promise<ReadonlyMap<string, SealingKey | null>> {
  const found = new Map<string, SealingKey | null>();
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const current = await loadCurrent(
      table,
      accountIds.filter((id) => !found.has(id)),
    );
    for (const { accountId, key } of current) if (key !== undefined) found.set(accountId, key);
    const absent = current.filter(({ key }) => key === undefined);
    if (absent.length > 0) for (const [accountId, key] of await create(table, absent)) found.set(accountId, key);
    if (found.size === accountIds.length) return found;
  }
  throw new Error('A rotation has replaced the first secret in SECRET_DATA_KEYS. Restart with the new secret first');
}

async function loadCurrent(
  { pool, wrapping }: KeyTable,
  accountIds: readonly string[],
): Promise<readonly CurrentKey[]> {
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
async function create(
  { pool, wrapping }: KeyTable,
  accounts: readonly CurrentKey[],
): Promise<ReadonlyMap<string, SealingKey>> {
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
  return new Map(fresh.filter(({ accountId }) => created.has(accountId)).map(({ accountId, key }) => [accountId, key]));
}

/** Returns the ids of these keys whose rows do not exist. */
export async function findMissingIds({ pool }: KeyTable, keyIds: readonly string[]): Promise<readonly string[]> {
  const { rows } = await pool.query<{ id: string }>(
    `select u.id from unnest($1::text[]) as u (id)
      where not exists (select from auth.data_keys k where k.account_id = u.id) order by 1`,
    [keyIds],
  );
  return rows.map(({ id }) => id);
}

/**
 * Stores lost keys again. Keys whose rows exist do not change, so a destroyed key remains destroyed. Returns the number
 * of keys that were stored.
 */
export async function storeKeysAgain({ pool, wrapping }: KeyTable, keys: readonly SealingKey[]): Promise<number> {
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
    [keys.map(({ id }) => id), keys.map(({ id, key }) => wrapping.wrap(id, key)), wrapping.currentId],
  );
  return rowCount ?? 0;
}
