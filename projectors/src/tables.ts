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
    await client.query(
      `create table ${tableOf(tally, build)} (key text collate "C" primary key, count integer not null) with (fillfactor = 70)`,
    );
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

/** Notes which pages of the filled tables everybody may see, without which no list is found in an index alone. No part of a transaction. */
export async function vacuumTables(client: PoolClient, projection: Projection, build: Build): Promise<void> {
  await client.query('set statement_timeout = 0');
  try {
    for (const one of [projection, ...(projection.tallies ?? [])]) {
      const statement = { text: `vacuum ${tableOf(one, build)}`, query_timeout: INDEX_TIMEOUT_ms };
      await client.query(statement);
    }
  } finally {
    await client.query('reset statement_timeout');
  }
}

/** Removes a projection's tables, where they are. */
export async function dropTables(client: PoolClient, projection: Projection, build: Build): Promise<void> {
  for (const one of [projection, ...(projection.tallies ?? [])])
    await client.query(`drop table if exists ${tableOf(one, build)}`);
}

/** The rows with these keys, by key, without the columns `left` in the database. */
export async function loadRows(
  client: PoolClient,
  projection: Projection,
  build: Build,
  keys: readonly string[],
  left: readonly string[],
): Promise<Map<string, Row>> {
  const key = keyColumn(projection);
  const table = tableOf(projection, build);
  const columns = Object.keys(projection.columns).filter((column) => !left.includes(column));
  const { rows } = await client.query<{ key: string; row: Row }>({
    name: `load ${table}@${projection.version} ${maskOf(projection, columns)}`,
    text: `select ${key} as key, to_jsonb(t) as row from (select ${columns.join(', ')} from ${table} where ${key} = any($1)) t`,
    values: [keys],
  });
  return new Map(rows.map(({ key: found, row }) => [found, row]));
}

/** Writes rows back: null removes a row. A row that was loaded without some columns keeps them. */
export async function saveRows(
  client: PoolClient,
  projection: Projection,
  build: Build,
  before: ReadonlyMap<string, Row>,
  after: ReadonlyMap<string, Row | null>,
): Promise<void> {
  const removed: string[] = [];
  const added: Row[] = [];
  const whole: Change[] = [];
  const partial: Change[] = [];
  const width = Object.keys(projection.columns).length;
  for (const [key, row] of after) {
    const old = before.get(key);
    if (row === null) removed.push(key);
    else if (old === undefined) added.push(row);
    else (Object.keys(old).length === width ? whole : partial).push({ old, row });
  }
  if (removed.length > 0) await remove(client, projection, build, removed);
  if (whole.length > 0) await write(client, projection, build, Object.keys(projection.columns), whole);
  if (partial.length > 0) await write(client, projection, build, changedColumns(projection, partial), partial);
  if (added.length > 0) await add(client, projection, build, added);
}

interface Change {
  readonly old: Row;
  readonly row: Row;
}

/** The columns that any of these rows has changed: few, where few events leave columns out, so that few different statements are made of them. */
function changedColumns(projection: Projection, changes: readonly Change[]): readonly string[] {
  return Object.keys(projection.columns).filter((column) =>
    changes.some(({ old, row }) => old[column] !== row[column]),
  );
}

async function remove(
  client: PoolClient,
  projection: Projection,
  build: Build,
  keys: readonly string[],
): Promise<void> {
  const table = tableOf(projection, build);
  await client.query({
    name: `remove ${table}@${projection.version}`,
    text: `delete from ${table} where ${keyColumn(projection)} = any($1)`,
    values: [keys],
  });
}

async function write(
  client: PoolClient,
  projection: Projection,
  build: Build,
  columns: readonly string[],
  changes: readonly Change[],
): Promise<void> {
  const key = keyColumn(projection);
  const table = tableOf(projection, build);
  const others = columns.filter((column) => column !== key);
  if (others.length === 0) return;
  await client.query({
    name: `write ${table}@${projection.version} ${maskOf(projection, others)}`,
    text: `update ${table} t set ${others.map((column) => `${column} = n.${column}`).join(', ')}
           from json_populate_recordset(null::${table}, $1::json) n where t.${key} = n.${key}`,
    values: [
      JSON.stringify(
        changes.map(({ row }) => Object.fromEntries([key, ...others].map((column) => [column, row[column]]))),
      ),
    ],
  });
}

async function add(client: PoolClient, projection: Projection, build: Build, rows: readonly Row[]): Promise<void> {
  const table = tableOf(projection, build);
  await client.query({
    name: `add ${table}@${projection.version}`,
    text: `insert into ${table} select * from json_populate_recordset(null::${table}, $1::json)`,
    values: [JSON.stringify(rows)],
  });
}

/** Which of a projection's columns, short enough to be in the name of a statement. */
function maskOf(projection: Projection, columns: readonly string[]): string {
  const bits = Object.keys(projection.columns).reduce(
    (mask, column, index) => (columns.includes(column) ? mask | (1n << BigInt(index)) : mask),
    0n,
  );
  return bits.toString(36);
}
