import type { Pool, PoolClient } from '@alpenglow/infra';
import { keyColumn, type Projection, type Row } from './projection.ts';

/** Makes an empty table and its indexes for a projection. */
export async function createTable(client: Pool | PoolClient, projection: Projection, table: string): Promise<void> {
  const columns = Object.entries(projection.columns).map(([name, type]) => `${name} ${type}`);
  await client.query(`create table ${table} (${columns.join(', ')})`);
  for (const index of projection.indexes(table)) await client.query(index);
}

/** The rows with these keys, by key. */
export async function loadRows(client: PoolClient, projection: Projection, table: string, keys: readonly string[]): Promise<Map<string, Row>> {
  const key = keyColumn(projection);
  const { rows } = await client.query<{ key: string; row: Row }>({
    name: `load ${table}`,
    text: `select ${key} as key, to_jsonb(t) as row from ${table} t where ${key} = any($1)`,
    values: [keys],
  });
  return new Map(rows.map(({ key: found, row }) => [found, row]));
}

/** Writes rows back: a row replaces the one with its key, null removes it. */
export async function saveRows(client: PoolClient, projection: Projection, table: string, rows: ReadonlyMap<string, Row | null>): Promise<void> {
  const key = keyColumn(projection);
  const kept = [...rows.values()].filter((row) => row !== null);
  const removed = [...rows].filter(([, row]) => row === null).map(([name]) => name);
  if (removed.length > 0) {
    await client.query({ name: `remove ${table}`, text: `delete from ${table} where ${key} = any($1)`, values: [removed] });
  }
  if (kept.length > 0) {
    const others = Object.keys(projection.columns).filter((name) => name !== key);
    await client.query({
      name: `save ${table}`,
      text: `insert into ${table} select * from jsonb_populate_recordset(null::${table}, $1::jsonb)
             on conflict (${key}) do update set ${others.map((name) => `${name} = excluded.${name}`).join(', ')}`,
      values: [JSON.stringify(kept)],
    });
  }
}
