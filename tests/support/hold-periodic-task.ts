import { isDutyFree } from '@alpenglow/infra';
import { createTestPool } from './database.ts';
import { eventually } from './eventually.ts';
import type { TestProduct } from './product.ts';

/**
 * Prevents a product from running a periodic task, so that only the test does its work. The product runs the task for
 * the first time a minute after its start, and a test may take longer than that. Call the returned function before the
 * product stops.
 */
export async function holdPeriodicTask(
  { databaseUrl }: Pick<TestProduct, 'databaseUrl'>,
  name: string,
): Promise<() => Promise<void>> {
  const pool = createTestPool(databaseUrl, 1);
  const client = await pool.connect();
  // The transaction is idle, and it holds the lock of the task until it ends.
  await client.query('set idle_in_transaction_session_timeout = 0');
  await client.query('begin');
  await eventually(async () => {
    if (!(await isDutyFree(client, name))) throw new Error(`The product is running ${name}`);
  });
  return async () => {
    await client.query('commit');
    client.release();
    await pool.end();
  };
}
