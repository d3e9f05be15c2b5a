import type { Pool, PoolClient } from '@alpenglow/infra';

/**
 * Runs `work` in a transaction of a read model and returns the result of `work`. The commit does not wait until the
 * data is on disk. This is safe, because a crash loses the rows together with the checkpoint, and the same events are
 * then handled again. Rolls back and rejects if `work` rejects.
 */
export async function inReadModelTransaction<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query('begin; set local synchronous_commit = off');
    const result = await work(client);
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch((rollbackError: unknown) => {
      broken = rollbackError as Error;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}
