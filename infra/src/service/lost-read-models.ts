import type { Pool } from '../adapters/postgres/pool.ts';
import { nameOfStored } from '../adapters/postgres/read-model-tables.ts';

/**
 * Returns the names of the read models that are not current, because their tables contain effects of events that the
 * log has lost (decision 0070). Only the versions that the statements of `pool` use are included.
 */
export async function findLostReadModels(pool: Pool): Promise<readonly string[]> {
  const { rows } = await pool.query<{ storedName: string }>({
    name: 'read-models-lost',
    text: 'select name as "storedName" from rm.checkpoints where lost_position is not null order by 1',
  });
  return rows.flatMap(({ storedName }) => nameOfStored(pool, storedName) ?? []);
}
