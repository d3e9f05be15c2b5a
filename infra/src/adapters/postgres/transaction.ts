import type { Pool, PoolClient } from 'pg';

/** Runs `work` in a transaction. The transaction is rolled back if `work` throws. */
export async function inTransaction<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let isCommitted = false;
  try {
    await client.query('begin');
    const result = await work(client);
    await client.query('commit');
    isCommitted = true;
    return result;
  } finally {
    // A connection with an open transaction is closed instead of returned, which rolls the transaction back.
    client.release(!isCommitted);
  }
}
