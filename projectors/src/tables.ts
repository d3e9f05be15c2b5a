import { copyRows, type PoolClient } from '@alpenglow/infra';
import { keyColumn, tableNameOf, type Build, type Projection, type Row } from './projection.ts';

const INDEX_TIMEOUT_ms = 60 * 60_000;
/**
 * The memory that Postgres may use to create one index. With this much memory, the creation of a large index of words
 * is several times faster.
 */
const INDEX_MEMORY = '128MB';

/** From this number of rows on, rows are added with `copy`. It costs less per row, but cannot be prepared. */
const COPIED_rows = 20;

/**
 * One set of a projection's tables, e.g. the live tables, and the database connection on which the tables are read and
 * written.
 */
export interface Tables {
  readonly client: PoolClient;
  readonly projection: Projection;
  readonly build: Build;
}

/**
 * Creates the empty tables of a projection. The tables have only the indexes of their primary keys, which are needed
 * while the tables are filled.
 */
export async function createTables(client: PoolClient, projection: Projection, build: Build): Promise<void> {
  const columns = Object.entries(projection.columns).map(([name, type]) => `${name} ${type}`);
  // While a table is filled, an autovacuum would only use processor time. `createIndexes` turns it on.
  await client.query(
    `create table ${tableNameOf(projection, build)} (${columns.join(', ')}) with (autovacuum_enabled = off)`,
  );
  for (const tally of projection.tallies ?? []) {
    // Counts change often. Free space in each page lets Postgres update a count without changing the index.
    await client.query(
      `create table ${tableNameOf(tally, build)} (key text collate "C" primary key, count integer not null)
       with (fillfactor = 70, autovacuum_enabled = off)`,
    );
  }
}

/**
 * Creates the indexes of a projection's filled tables and updates the statistics of the query planner. This takes about
 * one minute for a million ads.
 */
export async function createIndexes(client: PoolClient, projection: Projection, build: Build): Promise<void> {
  await client.query(`set local statement_timeout = 0; set local maintenance_work_mem = '${INDEX_MEMORY}'`);
  for (const entry of [projection, ...(projection.tallies ?? [])]) {
    const table = tableNameOf(entry, build);
    const enable = `alter table ${table} reset (autovacuum_enabled)`;
    for (const text of [...(entry.indexes?.(table) ?? []), `analyze ${table}`, enable]) {
      const statement = { text, query_timeout: INDEX_TIMEOUT_ms };
      await client.query(statement);
    }
  }
}

/**
 * Vacuums the filled tables, so that Postgres can use index-only scans. These scans need pages that are marked as
 * visible to all transactions, and vacuuming marks them. `client` must not be in a transaction.
 */
export async function vacuumTables(client: PoolClient, projection: Projection, build: Build): Promise<void> {
  await client.query('set statement_timeout = 0');
  try {
    for (const entry of [projection, ...(projection.tallies ?? [])]) {
      const statement = { text: `vacuum ${tableNameOf(entry, build)}`, query_timeout: INDEX_TIMEOUT_ms };
      await client.query(statement);
    }
  } finally {
    await client.query('reset statement_timeout');
  }
}

/** Drops the tables of a projection if they exist. */
export async function dropTables(client: PoolClient, projection: Projection, build: Build): Promise<void> {
  for (const entry of [projection, ...(projection.tallies ?? [])])
    await client.query(`drop table if exists ${tableNameOf(entry, build)}`);
}

/** Reads the rows with the given keys, without the columns `omitted`. The keys of the returned map are the row keys. */
export async function loadRows(
  { client, projection, build }: Tables,
  keys: readonly string[],
  omitted: readonly string[] = [],
): Promise<Map<string, Row>> {
  if (keys.length === 0) return new Map();
  const key = keyColumn(projection);
  const table = tableNameOf(projection, build);
  const columns = Object.keys(projection.columns).filter((column) => !omitted.includes(column));
  const { rows } = await client.query<{ key: string; row: Row }>({
    name: `load ${table}@${projection.version} ${columnCode(projection, columns)}`,
    text: `select ${key} as key, to_jsonb(t) as row
             from (select ${columns.join(', ')} from ${table} where ${key} = any($1)) t`,
    values: [keys],
  });
  return new Map(rows.map(({ key: rowKey, row }) => [rowKey, row]));
}

/**
 * Writes changed rows. `before` contains the rows as they were loaded. `after` contains the new rows, and null for rows
 * to delete. Columns that were not loaded keep their values.
 */
export async function saveRows(
  tables: Tables,
  before: ReadonlyMap<string, Row>,
  after: ReadonlyMap<string, Row | null>,
): Promise<void> {
  const { projection } = tables;
  const removed: string[] = [];
  const added: Row[] = [];
  const whole: Change[] = [];
  const partial: Change[] = [];
  const columnCount = Object.keys(projection.columns).length;
  for (const [key, row] of after) {
    const old = before.get(key);
    if (row === null) removed.push(key);
    else if (old === undefined) added.push(row);
    else (Object.keys(old).length === columnCount ? whole : partial).push({ old, row });
  }
  if (removed.length > 0) await deleteRows(tables, removed);
  if (whole.length > 0) await updateRows(tables, Object.keys(projection.columns), whole);
  if (partial.length > 0) await updateRows(tables, changedColumns(projection, partial), partial);
  if (added.length > 0) await insertRows(tables, added);
}

interface Change {
  readonly old: Row;
  readonly row: Row;
}

/**
 * Returns the columns that changed in any of these rows. The same few combinations of columns occur again and again, so
 * only a few SQL statements must be prepared.
 */
function changedColumns(projection: Projection, changes: readonly Change[]): readonly string[] {
  return Object.keys(projection.columns).filter((column) =>
    changes.some(({ old, row }) => old[column] !== row[column]),
  );
}

async function deleteRows({ client, projection, build }: Tables, keys: readonly string[]): Promise<void> {
  const table = tableNameOf(projection, build);
  await client.query({
    name: `remove ${table}@${projection.version}`,
    text: `delete from ${table} where ${keyColumn(projection)} = any($1)`,
    values: [keys],
  });
}

async function updateRows(
  { client, projection, build }: Tables,
  columns: readonly string[],
  changes: readonly Change[],
): Promise<void> {
  const key = keyColumn(projection);
  const table = tableNameOf(projection, build);
  const others = columns.filter((column) => column !== key);
  if (others.length === 0) return;
  await client.query({
    name: `write ${table}@${projection.version} ${columnCode(projection, others)}`,
    text: `update ${table} t set ${others.map((column) => `${column} = n.${column}`).join(', ')}
           from json_populate_recordset(null::${table}, $1::json) n where t.${key} = n.${key}`,
    values: [
      JSON.stringify(
        changes.map(({ row }) => Object.fromEntries([key, ...others].map((column) => [column, row[column]]))),
      ),
    ],
  });
}

async function insertRows({ client, projection, build }: Tables, rows: readonly Row[]): Promise<void> {
  const table = tableNameOf(projection, build);
  if (rows.length >= COPIED_rows) {
    const columns = Object.entries(projection.columns).map(([name, type]) => ({
      name,
      isJson: type.startsWith('jsonb'),
    }));
    await copyRows(client, table, columns, rows);
    return;
  }
  await client.query({
    name: `add ${table}@${projection.version}`,
    text: `insert into ${table} select * from json_populate_recordset(null::${table}, $1::json)`,
    values: [JSON.stringify(rows)],
  });
}

/**
 * Returns a short code for a set of columns. The code is part of the name of a prepared statement, because each set of
 * columns has its own statement.
 */
function columnCode(projection: Projection, columns: readonly string[]): string {
  const bits = Object.keys(projection.columns).reduce(
    (mask, column, index) => (columns.includes(column) ? mask | (1n << BigInt(index)) : mask),
    0n,
  );
  return bits.toString(36);
}
