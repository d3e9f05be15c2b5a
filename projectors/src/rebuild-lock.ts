import type { Pool, PoolClient } from '@alpenglow/infra';

/** Another process, or a tool, is building this projection's tables. */
export class RebuiltElsewhere extends Error {
  override readonly name = 'RebuiltElsewhere';
}

/**
 * Does `work` as the only one that writes to a projection's tables beside the live ones. It is handed the connection that holds the lock, and
 * a signal that aborts when that is lost, and with it the right to go on. Throws `RebuiltElsewhere` when somebody else is at work.
 */
export async function aloneAtRebuild<T>(
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
    const { rows } = await client.query<{ taken: boolean }>(
      `select pg_try_advisory_lock(hashtext('alpenglow-rebuild'), hashtext($1)) as taken`,
      [projection],
    );
    if (rows[0]?.taken !== true) throw new RebuiltElsewhere(`${projection} is being rebuilt already`);
    return await work(client, lost.signal);
  } finally {
    // Ending the session would free the lock as well, but only some time after this has returned.
    await client
      .query(`select pg_advisory_unlock(hashtext('alpenglow-rebuild'), hashtext($1))`, [projection])
      .catch(() => undefined);
    client.off('end', onError);
    client.off('error', onError);
    client.release(true);
  }
}
