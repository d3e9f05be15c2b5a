import type { Pool, PoolClient } from '@alpenglow/infra';

/**
 * Runs `work` in a transaction of a read model and returns its result. The commit does not wait for the disk. This is
 * safe, because a crash loses rows and checkpoint together, and the same events are then handled again. Rolls back and
 * rejects if `work` rejects.
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
