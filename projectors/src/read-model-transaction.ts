import { LIMIT_SILENCE_IN_TRANSACTION, type Pool, type PoolClient } from '@alpenglow/infra';

export interface ReadModelTransactionOptions {
  /** If true, the commit waits until the data is on disk. Defaults to false. */
  readonly isDurable?: boolean;
}

/**
 * Runs `work` in a transaction of a read model and returns the result of `work`. By default, the commit does not wait
 * until the data is on disk. This is safe if the transaction moves a checkpoint, because a crash loses the rows
 * together with the checkpoint, and the same events are then handled again. A transaction whose result is recorded in
 * another place must be durable. Rolls back and rejects if `work` rejects. Postgres ends the transaction if it receives
 * no statement for about five seconds, so that a process that hangs does not block the process that takes over. Longer
 * waits of `work` for something else need `whileWaiting`.
 */
export async function inReadModelTransaction<T>(
  pool: Pool,
  work: (client: PoolClient) => Promise<T>,
  { isDurable = false }: ReadModelTransactionOptions = {},
): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query(
      `begin; set local synchronous_commit = ${isDurable ? 'on' : 'off'}; ${LIMIT_SILENCE_IN_TRANSACTION}`,
    );
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
