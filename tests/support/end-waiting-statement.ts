import type { Pool } from '@alpenglow/infra';
import { expect } from 'vitest';
import { eventually } from './eventually.ts';

/**
 * Ends the connection whose statement contains `text` and waits for a lock. Waits until there is exactly one. `pool`
 * must not be in a transaction, in which the same activity would be returned each time.
 */
export async function endWaitingStatement(pool: Pool, text: string): Promise<void> {
  await eventually(async () => {
    const { rowCount } = await pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like $1`,
      [`%${text}%`],
    );
    expect(rowCount).toBe(1);
  });
}
