import type { Pool } from 'pg';
import { createKeyWrapping, type KeyWrapping } from '../../security/key-wrapping.ts';
import { findNewestSecretId } from './data-key-secrets.ts';
import { inTransaction } from './transaction.ts';

/** The number of keys that one statement replaces. The statement locks their rows for some milliseconds. */
const BATCH_keys = 200;
/**
 * The number of times that all keys are searched. More than two are needed only if processes still create keys with an
 * earlier secret.
 */
const MAX_PASSES = 10;

/** The number of keys that are wrapped with a secret. `id` is null for keys that an earlier release has stored. */
export interface DataKeyCount {
  readonly id: string | null;
  readonly keys: number;
  readonly replacedAt: Date | null;
}

/** Returns the number of keys for each secret, newest secret first. Destroyed keys are not counted. */
export async function countDataKeys(pool: Pool): Promise<readonly DataKeyCount[]> {
  const { rows } = await pool.query<DataKeyCount>(
    `select coalesce(s.id, k.secret_id) as id, coalesce(k.keys, 0)::integer as keys, s.replaced_at as "replacedAt"
       from auth.data_key_secrets s
       full join (select secret_id, count(*) as keys from auth.data_keys where wrapped_key is not null group by 1) k
         on k.secret_id = s.id
      order by s.first_used_at desc nulls last`,
  );
  return rows;
}

/**
 * Wraps all keys of accounts with the first secret of a list, so that the other secrets are no longer needed (decision
 * 0063). The product may be running. After an interruption, the next call continues. Returns the number of keys that
 * were wrapped again. `onProgress` receives this number and the total.
 *
 * Throws if no process has started with this first secret, because running processes could not read the keys. Also
 * throws if processes continue to create keys with another secret, or if a secret is missing.
 */
export async function rewrapDataKeys(
  pool: Pool,
  secrets: string,
  {
    onProgress,
    signal,
  }: { readonly onProgress?: (done: number, total: number) => void; readonly signal?: AbortSignal | undefined } = {},
): Promise<number> {
  const wrapping = createKeyWrapping(secrets);
  if ((await findNewestSecretId(pool)) !== wrapping.currentId)
    throw new Error(
      `The first secret in SECRET_DATA_KEYS (id ${wrapping.currentId}) is not the one with which the product has ` +
        'started last. Restart every process with this list of secrets, then run this again. Nothing was changed.',
    );
  const total = (await countDataKeys(pool)).reduce(
    (sum, { id, keys }) => sum + (id === wrapping.currentId ? 0 : keys),
    0,
  );
  let done = 0;
  for (let pass = 0; pass < MAX_PASSES; pass += 1) {
    for (let after: string | null = ''; after !== null; ) {
      signal?.throwIfAborted();
      const batch = await rewrapBatch(pool, wrapping, after);
      done += batch.rewrapped;
      after = batch.lastId;
      onProgress?.(done, Math.max(total, done));
    }
    if (await replaceOtherSecrets(pool, wrapping.currentId)) return done;
  }
  throw new Error(
    'Processes still create keys with an earlier secret. Restart every process with the list of secrets that this ' +
      'command has, then run this again.',
  );
}

/**
 * Wraps the next keys after a key id again. Returns the id of the last key, or null if there are no more. A key that
 * was destroyed in the meantime remains destroyed, because only unchanged rows are updated.
 */
async function rewrapBatch(
  pool: Pool,
  wrapping: KeyWrapping,
  after: string,
): Promise<{ readonly rewrapped: number; readonly lastId: string | null }> {
  const { rows } = await pool.query<{ id: string; wrapped: Buffer; secretId: string | null }>(
    `select account_id as id, wrapped_key as wrapped, secret_id as "secretId"
       from auth.data_keys
      where account_id > $1 and wrapped_key is not null and secret_id is distinct from $2
      order by account_id
      limit ${BATCH_keys}`,
    [after, wrapping.currentId],
  );
  if (rows.length === 0) return { rewrapped: 0, lastId: null };
  const { rowCount } = await pool.query(
    `update auth.data_keys k set wrapped_key = again.wrapped, secret_id = $4
       from unnest($1::text[], $2::bytea[], $3::bytea[]) as again (id, before, wrapped)
      where k.account_id = again.id and k.wrapped_key = again.before`,
    [
      rows.map(({ id }) => id),
      rows.map(({ wrapped }) => wrapped),
      rows.map((row) => wrapping.wrap(row.id, wrapping.unwrap(row.id, row))),
      wrapping.currentId,
    ],
  );
  return { rewrapped: rowCount ?? 0, lastId: rows.at(-1)?.id ?? null };
}

/**
 * Stores that all other secrets are replaced, if no key is wrapped with them. Returns false if there is such a key. No
 * process can create one at the same time, because creating a key locks the row of its secret.
 */
async function replaceOtherSecrets(pool: Pool, currentId: string): Promise<boolean> {
  return inTransaction(pool, async (client) => {
    await client.query('select from auth.data_key_secrets where id <> $1 and replaced_at is null for update', [
      currentId,
    ]);
    const { rowCount } = await client.query(
      'select from auth.data_keys where wrapped_key is not null and secret_id is distinct from $1 limit 1',
      [currentId],
    );
    if (rowCount !== 0) return false;
    await client.query('update auth.data_key_secrets set replaced_at = now() where id <> $1 and replaced_at is null', [
      currentId,
    ]);
    return true;
  });
}
