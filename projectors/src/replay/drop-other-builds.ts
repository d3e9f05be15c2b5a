import type { PoolClient } from '@alpenglow/infra';
import { parkedEventsNameOf, type Projection } from '../projection.ts';
import { dropTables } from '../tables.ts';

/**
 * Drops the `rebuild` and `previous` tables of a projection, inside the caller's transaction. The tables are dropped
 * because they may contain personal data of an erased account. Running rebuilds start again automatically. After this,
 * the last swap of tables cannot be reverted.
 */
export async function dropOtherBuilds(client: PoolClient, projection: Projection): Promise<void> {
  // The next statements lock rows before the tables are dropped. Processes that fill the tables use the same order,
  // which prevents deadlocks.
  await client.query(
    `update rm.rebuilds set position = null, table_oid = null, has_indexes = false, differing_rows = null,
            differences = '[]',
            state = case when state in ('checking', 'ready', 'swapping') then 'running' else state end,
            updated_at = now()
      where projection = $1`,
    [projection.name],
  );
  await client.query('delete from rm.previous_versions where projection = $1', [projection.name]);
  await client.query('delete from rm.parked_events where projection = any($1)', [
    [parkedEventsNameOf(projection, 'rebuild'), parkedEventsNameOf(projection, 'previous')],
  ]);
  await dropTables(client, projection, 'rebuild');
  await dropTables(client, projection, 'previous');
}
