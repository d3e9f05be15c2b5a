import type { PoolClient } from '@alpenglow/infra';
import { keyColumn, tableOf, type Build, type Projection, type Row } from './projection.ts';

const INDEX_TIMEOUT_ms = 60 * 60_000;
/** Memory for the making of one index: an index of many words is several times faster made with it. */
const INDEX_MEMORY = '128MB';

/** Makes a projection's empty tables, with no index but those of their keys, which filling them needs. */
export async function createTables(client: PoolClient, projection: Projection, build: Build): Promise<void> {
  const columns = Object.entries(projection.columns).map(([name, type]) => `${name} ${type}`);
  await client.query(`create table ${tableOf(projection, build)} (${columns.join(', ')})`);
  for (const tally of projection.tallies ?? []) {
    // A count changes often and is in no index: room on its page lets it change in place.
    await client.query(`create table ${tableOf(tally, build)} (key text collate "C" primary key, count integer not null) with (fillfactor = 70)`);
  }
}

/** Makes the indexes of a projection's filled tables, and tells the query planner what is in them. Takes a minute for a million ads. */
export async function createIndexes(client: PoolClient, projection: Projection, build: Build): Promise<void> {
  await client.query(`set local statement_timeout = 0; set local maintenance_work_mem = '${INDEX_MEMORY}'`);
  for (const one of [projection, ...(projection.tallies ?? [])]) {
    const table = tableOf(one, build);
    for (const text of [...one.indexes(table), `analyze ${table}`]) {
      const statement = { text, query_timeout: INDEX_TIMEOUT_ms };
      await client.query(statement);
    }
  }
}

/** Removes a projection's tables, where they are. */
export async function dropTables(client: PoolClient, projection: Projection, build: Build): Promise<void> {
  for (const one of [projection, ...(projection.tallies ?? [])]) await client.query(`drop table if exists ${tableOf(one, build)}`);
}

/** Puts the tables built beside the live ones in their place. */
export async function swapTables(client: PoolClient, projection: Projection): Promise<void> {
  await dropTables(client, projection, 'live');
  for (const one of [projection, ...(projection.tallies ?? [])]) await client.query(`alter table ${tableOf(one, 'rebuild')} rename to ${one.name}`);
}

/** The rows with these keys, by key. */
export async function loadRows(client: PoolClient, projection: Projection, build: Build, keys: readonly string[]): Promise<Map<string, Row>> {
  const key = keyColumn(projection);
  const table = tableOf(projection, build);
  const { rows } = await client.query<{ key: string; row: Row }>({
    name: `load ${table}@${projection.version}`,
    text: `select ${key} as key, to_jsonb(t) as row from ${table} t where ${key} = any($1)`,
    values: [keys],
  });
  return new Map(rows.map(({ key: found, row }) => [found, row]));
}

/** Writes rows back: a row replaces the one with its key, null removes it. */
export async function saveRows(client: PoolClient, projection: Projection, build: Build, rows: ReadonlyMap<string, Row | null>): Promise<void> {
  const key = keyColumn(projection);
  const table = tableOf(projection, build);
  const kept = [...rows.values()].filter((row) => row !== null);
  const removed = [...rows].filter(([, row]) => row === null).map(([name]) => name);
  if (removed.length > 0) {
    await client.query({ name: `remove ${table}@${projection.version}`, text: `delete from ${table} where ${key} = any($1)`, values: [removed] });
  }
  if (kept.length > 0) {
    const others = Object.keys(projection.columns).filter((name) => name !== key);
    await client.query({
      name: `save ${table}@${projection.version}`,
      text: `insert into ${table} select * from jsonb_populate_recordset(null::${table}, $1::jsonb)
             on conflict (${key}) do update set ${others.map((name) => `${name} = excluded.${name}`).join(', ')}`,
      values: [JSON.stringify(kept)],
    });
  }
}
