import type { Pool, PoolClient } from '@alpenglow/infra';

/** Thrown if another process or a tool is already rebuilding the read model of the projection. */
export class RebuildLocked extends Error {
  override readonly name = 'RebuildLocked';
}

/**
 * Runs `work` while holding the rebuild lock of a projection. The lock prevents other processes from writing to the
 * `rebuild` and `previous` tables. `work` receives the connection that holds the lock. It also receives a signal that
 * aborts when this connection ends, because the lock is then lost. Returns the result of `work`. Throws `RebuildLocked`
 * if another process holds the lock.
 */
export async function withRebuildLock<T>(
  pool: Pool,
  projection: string,
  work: (client: PoolClient, lost: AbortSignal) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  const lost = new AbortController();
  const onError = () => lost.abort();
  client.on('error', onError);
  client.on('end', onError);
  try {
    const { rows } = await client.query<{ isLocked: boolean }>(
      `select pg_try_advisory_lock(hashtext('alpenglow-rebuild'), hashtext($1)) as "isLocked"`,
      [projection],
    );
    if (rows[0]?.isLocked !== true) throw new RebuildLocked(`${projection} is being rebuilt already`);
    return await work(client, lost.signal);
  } finally {
    // The lock is released explicitly, because closing the connection releases it only some time later.
    await client
      .query(`select pg_advisory_unlock(hashtext('alpenglow-rebuild'), hashtext($1))`, [projection])
      .catch(() => undefined);
    client.off('end', onError);
    client.off('error', onError);
    client.release(true);
  }
}
