import type { Pool } from 'pg';
import { createKeyWrapping, fingerprintOf, secretIdsOf, splitSecrets } from '../../security/key-wrapping.ts';
import { drawRandomBytes } from '../../security/random.ts';

/** The id of the wrapped key. A key that was wrapped for another purpose cannot be unwrapped with it. */
const KEY_ID = 'account ids';

interface StoredKey {
  /** Null if the key is the secret itself, because an earlier release has created the installation. */
  readonly wrapped: Buffer | null;
  readonly secretId: string | null;
}

async function readKey(pool: Pool): Promise<StoredKey | null> {
  const { rows } = await pool.query<StoredKey>(
    'select wrapped_key as wrapped, secret_id as "secretId" from auth.account_id_keys',
  );
  return rows[0] ?? null;
}

/** Returns the id of the secret that wraps the key of account ids, or null if the key is not wrapped. */
export async function findAccountIdSecret(pool: Pool): Promise<string | null> {
  return (await readKey(pool))?.secretId ?? null;
}

/** Returns the secret of the first start, whose fingerprint is stored. Returns null if it is not in the list. */
async function findInitialSecret(pool: Pool, secrets: string): Promise<string | null> {
  const { rows } = await pool.query<{ initial: string }>('select account_ids as initial from auth.secrets_in_use');
  return splitSecrets(secrets).find((secret) => fingerprintOf(secret) === rows[0]?.initial) ?? null;
}

/**
 * Returns the reason why a process must not start with a list of secrets, or null. As long as the key of account ids is
 * not wrapped, the list must contain the secret of the first start.
 */
export async function findAccountIdProblem(pool: Pool, secrets: string): Promise<string | null> {
  const secretId = await findAccountIdSecret(pool);
  const ids = secretIdsOf(secrets);
  if (secretId === null)
    return (await findInitialSecret(pool, secrets)) !== null
      ? null
      : 'differs from the secret that this installation started with (the database stores its fingerprint)';
  return ids.includes(secretId)
    ? null
    : `lacks the secret with the id ${secretId}, which encrypts the key of account ids (here: ${ids.join(', ')}). ` +
        'Add it to the list, after a comma. npm run secrets shows when it can be removed';
}

/**
 * Returns the possible keys of account ids (64 hex digits each). There is one key, unless an earlier release has
 * created the installation and no process has started since. Each secret may then be the key.
 */
export async function findAccountIdKeys(pool: Pool, secrets: string): Promise<readonly string[]> {
  const stored = await readKey(pool);
  if (!stored?.wrapped) return splitSecrets(secrets);
  const key = createKeyWrapping(secrets).unwrap(KEY_ID, { wrapped: stored.wrapped, secretId: stored.secretId });
  return [key.toString('hex')];
}

/**
 * Returns the key of account ids (64 hex digits). The first start of an installation creates a random key (decision
 * 0064). In an installation of an earlier release, the key is the secret of the first start.
 */
export async function obtainAccountIdKey(pool: Pool, secrets: string): Promise<string> {
  const wrapping = createKeyWrapping(secrets);
  const stored = await readKey(pool);
  if (stored?.wrapped == null) {
    const key = stored ? await requireInitialSecret(pool, secrets) : drawRandomBytes(32);
    // Another process may do the same at the same time. The first one decides, and all of them read the result.
    await pool.query(
      `insert into auth.account_id_keys as stored (id, wrapped_key, secret_id) values ('current', $1, $2)
       on conflict (id) do update set wrapped_key = excluded.wrapped_key, secret_id = excluded.secret_id
        where stored.wrapped_key is null`,
      [wrapping.wrap(KEY_ID, key), wrapping.currentId],
    );
  }
  const [key] = await findAccountIdKeys(pool, secrets);
  if (key === undefined) throw new Error('There is no key of account ids');
  return key;
}

async function requireInitialSecret(pool: Pool, secrets: string): Promise<Buffer> {
  const secret = await findInitialSecret(pool, secrets);
  if (secret === null) throw new Error('The secret of the first start is not in SECRET_ACCOUNT_IDS');
  return Buffer.from(secret, 'hex');
}

/**
 * Wraps the key of account ids with the first secret of a list. The ids do not change. Running processes are not
 * affected, because they have read the key at their start. Returns false if there is nothing to do. Throws if no
 * process has started yet, because there is no wrapped key.
 */
export async function rewrapAccountIdKey(pool: Pool, secrets: string): Promise<boolean> {
  const wrapping = createKeyWrapping(secrets);
  const stored = await readKey(pool);
  if (stored?.wrapped == null) throw new Error('Start the product once before its secrets are replaced.');
  if (stored.secretId === wrapping.currentId) return false;
  const key = wrapping.unwrap(KEY_ID, { wrapped: stored.wrapped, secretId: stored.secretId });
  await pool.query('update auth.account_id_keys set wrapped_key = $1, secret_id = $2 where wrapped_key = $3', [
    wrapping.wrap(KEY_ID, key),
    wrapping.currentId,
    stored.wrapped,
  ]);
  return true;
}

/**
 * Removes the key of account ids before the restore of a backup. For the backup of an earlier release, which contains
 * no key, an empty row is stored. With this row, the next start uses the secret of that release as the key.
 */
export async function resetAccountIdKey(pool: Pool, { isInBackup }: { readonly isInBackup: boolean }): Promise<void> {
  await pool.query('delete from auth.account_id_keys');
  if (!isInBackup) await pool.query(`insert into auth.account_id_keys (id) values ('current')`);
}
