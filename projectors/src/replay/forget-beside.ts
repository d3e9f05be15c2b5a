import type { PoolClient } from '@alpenglow/infra';
import { parkedNameOf, type Projection } from '../projection.ts';
import { dropTables } from '../tables.ts';

/**
 * Drops whatever tables a projection has beside those that are read, inside the caller's transaction: they hold what was true before somebody was erased.
 * Rebuilds under way begin again by themselves; there is no way back over a swap any more.
 */
export async function forgetVersionsBeside(client: PoolClient, projection: Projection): Promise<void> {
  // Before the tables, as whoever brings them further locks these rows first, too.
  await client.query(
    `update rm.rebuilds set position = null, table_oid = null, has_indexes = false, differing_rows = null, differences = '[]',
            state = case when state in ('checking', 'ready', 'swapping') then 'running' else state end, updated_at = now()
      where projection = $1`,
    [projection.name],
  );
  await client.query('delete from rm.previous_versions where projection = $1', [projection.name]);
  await client.query('delete from rm.parked_events where projection = any($1)', [
    [parkedNameOf(projection, 'rebuild'), parkedNameOf(projection, 'previous')],
  ]);
  await dropTables(client, projection, 'rebuild');
  await dropTables(client, projection, 'previous');
}
