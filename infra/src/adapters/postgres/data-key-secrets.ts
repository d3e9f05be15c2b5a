import type { Pool, PoolClient } from 'pg';
import { inTransaction } from './transaction.ts';
import { secretIdsOf } from '../../security/key-wrapping.ts';

/** A secret of the installation that wraps keys of accounts, or has wrapped them before a rotation. */
interface StoredSecret {
  readonly id: string;
  /** The time at which a rotation has replaced this secret. Null if stored keys may be wrapped with it. */
  readonly replacedAt: Date | null;
}

/** Returns all secrets that have wrapped keys, in the order in which they became current. */
async function readSecrets(database: Pool | PoolClient): Promise<readonly StoredSecret[]> {
  const { rows } = await database.query<StoredSecret>(
    'select id, replaced_at as "replacedAt" from auth.data_key_secrets order by first_used_at',
  );
  return rows;
}

/** Returns the id of the secret that became current last, or null if no process has started yet. */
export async function findNewestSecretId(pool: Pool): Promise<string | null> {
  return (await readSecrets(pool)).at(-1)?.id ?? null;
}

/**
 * Returns the reason why a process must not start with a list of secrets, or null. A process needs every secret with
 * which stored keys may be wrapped, and must not wrap keys with a secret that a rotation has replaced (decision 0063).
 */
export async function findDataKeySecretProblem(database: Pool | PoolClient, secrets: string): Promise<string | null> {
  const stored = await readSecrets(database);
  const ids = secretIdsOf(secrets);
  const missing = stored.filter(({ id, replacedAt }) => replacedAt === null && !ids.includes(id)).map(({ id }) => id);
  if (missing.length > 0)
    return (
      `lacks the secret with the id ${missing.join(' and ')}, which encrypts data of this installation ` +
      `(here: ${ids.join(', ')}). Add it to the list, after a comma. npm run secrets shows when it can be removed`
    );
  const replaced = stored.find(({ id, replacedAt }) => replacedAt !== null && id === ids[0]);
  if (replaced)
    return (
      `begins with the secret with the id ${replaced.id}, which was replaced on ` +
      `${replaced.replacedAt?.toISOString().slice(0, 10)}. The first secret must be the one with the id ` +
      `${stored.at(-1)?.id}`
    );
  return null;
}

/**
 * Stores that new keys are wrapped with the first secret of a list. Returns the reason why the process must not start,
 * or null. The lock ensures that of several processes that start in parallel with different secrets, only the first one
 * is accepted.
 */
export async function registerDataKeySecret(pool: Pool, secrets: string): Promise<string | null> {
  const [currentId] = secretIdsOf(secrets);
  if ((await readSecrets(pool)).some(({ id }) => id === currentId)) return findDataKeySecretProblem(pool, secrets);
  return inTransaction(pool, async (client) => {
    await client.query('lock table auth.data_key_secrets in share row exclusive mode');
    const problem = await findDataKeySecretProblem(client, secrets);
    if (problem === null)
      await client.query('insert into auth.data_key_secrets (id) values ($1) on conflict do nothing', [currentId]);
    return problem;
  });
}

/**
 * Stores that keys may be wrapped with each secret of a list, and removes all other entries. A restore calls this after
 * it has written the keys of a backup.
 */
export async function storeDataKeySecrets(pool: Pool, secrets: string): Promise<void> {
  await inTransaction(pool, async (client) => {
    await client.query('delete from auth.data_key_secrets');
    await client.query(
      `insert into auth.data_key_secrets (id, first_used_at)
       select id, clock_timestamp() - number * interval '1 second'
         from unnest($1::text[]) with ordinality as listed (id, number)
       on conflict do nothing`,
      [secretIdsOf(secrets)],
    );
  });
}
