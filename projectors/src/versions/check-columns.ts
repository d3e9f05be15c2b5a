import type { Pool } from '@alpenglow/infra';
import { readModelOf, type Projection } from '../projection.ts';
import { resolveProjections } from './versions.ts';

/**
 * Rejects if the stored table of a projection lacks a column. This happens if a column was added without a new version
 * of the read model. Every read and write of the column would then fail. Tables that do not exist yet are ignored.
 */
export async function checkColumns(pool: Pool, projections: readonly Projection[]): Promise<void> {
  const resolved = await resolveProjections(pool, projections);
  const { rows } = await pool.query<{ name: string; columns: readonly string[] }>(
    `select c.relname as name, array_agg(a.attname::text) as columns
       from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid
      where n.nspname = 'rm' and c.relname = any($1) and a.attnum > 0 and not a.attisdropped
      group by c.relname`,
    [resolved.map(({ name }) => name)],
  );
  const columnsByTable = new Map(rows.map(({ name, columns }) => [name, columns]));
  for (const projection of resolved) {
    const stored = columnsByTable.get(projection.name);
    const missing = Object.keys(projection.columns).filter((column) => stored?.includes(column) === false);
    if (missing.length === 0) continue;
    throw new Error(
      `The stored read model ${readModelOf(projection)} version ${projection.version} has no column ` +
        `${missing.join(', ')}. Raise its version in infra/src/read-models.`,
    );
  }
}
