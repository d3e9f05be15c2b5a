import type { Pool, PoolClient } from '@alpenglow/infra';
import { tableNameOf, type Build, type Projection, type Row, type Tally } from './projection.ts';
import type { Tables } from './tables.ts';

/**
 * Updates the stored counts of rows by key, after rows have changed from `before` to `after`. Runs in the same
 * transaction as the change of the rows. If the live tables have shards, only stores the changes of the counts, because
 * several shards change the count of the same key. `mergeTallies` adds them to the counts.
 */
export async function saveTallies(
  { client, projection, build }: Tables,
  before: ReadonlyMap<string, Row>,
  after: ReadonlyMap<string, Row | null>,
): Promise<void> {
  for (const tally of projection.tallies ?? []) {
    const differences = tallyDifferences(tally, before, after);
    if (differences.size === 0) continue;
    if (build === 'live' && (projection.shards ?? 1) > 1) await storeChanges(client, tally, differences);
    else await addToCounts(client, tableNameOf(tally, build), differences);
  }
}

async function storeChanges(
  client: PoolClient,
  { name }: Tally,
  differences: ReadonlyMap<string, number>,
): Promise<void> {
  await client.query({
    name: 'tally-changes-store',
    text: 'insert into rm.tally_changes (tally, key, change) select $1, * from unnest($2::text[], $3::integer[])',
    values: [name, [...differences.keys()], [...differences.values()]],
  });
}

/** Returns true if `mergeTallies` has something to add to the counts of the live tables. */
export async function hasTallyChanges(pool: Pool, { tallies = [] }: Projection): Promise<boolean> {
  if (tallies.length === 0) return false;
  const { rowCount } = await pool.query({
    name: 'tally-changes-find',
    text: 'select from rm.tally_changes where tally = any($1) limit 1',
    values: [tallies.map(({ name }) => name)],
  });
  return rowCount !== 0;
}

/**
 * Adds the stored changes to the counts of the live tables of a projection with shards. Runs in the caller's
 * transaction, which must hold the lock of the checkpoint, so that only one process changes the counts at a time. A
 * count never becomes negative, because the changes of each shard are read in the order of its commits.
 */
export async function mergeTallies(client: PoolClient, projection: Projection): Promise<void> {
  if ((projection.shards ?? 1) === 1) return;
  for (const tally of projection.tallies ?? []) {
    const { rows } = await client.query<{ key: string; change: number }>({
      name: 'tally-changes-take',
      text: `with taken as (delete from rm.tally_changes where tally = $1 returning key, change)
             select key, sum(change)::integer as change from taken group by key having sum(change) <> 0`,
      values: [tally.name],
    });
    if (rows.length > 0)
      await addToCounts(client, tableNameOf(tally, 'live'), new Map(rows.map(({ key, change }) => [key, change])));
  }
}

/**
 * Creates an object that adds up the changes of the counts of rows over several batches and writes the changes later.
 * Until then, the stored counts are out of date, so use this object only for tables that no reader uses yet.
 */
export function createTallyCollection(projection: Projection) {
  const tallies = (projection.tallies ?? []).map((tally) => ({ tally, counts: new Map<string, number>() }));
  return {
    add(before: ReadonlyMap<string, Row>, after: ReadonlyMap<string, Row | null>): void {
      for (const { tally, counts } of tallies) countDifferences(tally, before, after, counts);
    },
    /** Writes the collected changes of all counts and clears the collection. */
    async save(client: PoolClient, build: Build): Promise<void> {
      for (const { tally, counts } of tallies) {
        const changed = new Map([...counts].filter(([, change]) => change !== 0));
        if (changed.size > 0) await addToCounts(client, tableNameOf(tally, build), changed);
        counts.clear();
      }
    },
  };
}

/**
 * Returns by how much the count of each key changes when rows change from `before` to `after`. Omits unchanged counts.
 */
export function tallyDifferences(
  tally: Tally,
  before: ReadonlyMap<string, Row>,
  after: ReadonlyMap<string, Row | null>,
): ReadonlyMap<string, number> {
  const differences = new Map<string, number>();
  countDifferences(tally, before, after, differences);
  for (const [key, change] of differences) if (change === 0) differences.delete(key);
  return differences;
}

function countDifferences(
  tally: Tally,
  before: ReadonlyMap<string, Row>,
  after: ReadonlyMap<string, Row | null>,
  differences: Map<string, number>,
): void {
  const count = (row: Row, change: 1 | -1) => {
    for (const key of tally.keysOf(row)) differences.set(key, (differences.get(key) ?? 0) + change);
  };
  for (const [key, row] of after) {
    const old = before.get(key) ?? null;
    if (old && row && tally.columns.every((column) => old[column] === row[column])) continue;
    if (old) count(old, -1);
    if (row) count(row, 1);
  }
}

async function addToCounts(client: PoolClient, table: string, differences: ReadonlyMap<string, number>): Promise<void> {
  // All writers lock the rows of the counts in the same order, which prevents deadlocks.
  const keys = [...differences.keys()].sort();
  await client.query({
    name: `count ${table}`,
    text: `insert into ${table} as known (key, count) select * from unnest($1::text[], $2::integer[])
           on conflict (key) do update set count = known.count + excluded.count`,
    values: [keys, keys.map((key) => differences.get(key))],
  });
  const decreased = keys.filter((key) => (differences.get(key) ?? 0) < 0);
  if (decreased.length > 0)
    await client.query({
      name: `uncount ${table}`,
      text: `delete from ${table} where key = any($1) and count <= 0`,
      values: [decreased],
    });
}
