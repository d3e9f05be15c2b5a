import type { PoolClient } from '@alpenglow/infra';
import { tableNameOf, type Build, type Projection, type Row, type Tally } from './projection.ts';
import type { Tables } from './tables.ts';

/**
 * Updates the stored counts of rows by key, after rows have changed from `before` to `after`. Runs in the same
 * transaction as the change of the rows.
 */
export async function saveTallies(
  { client, projection, build }: Tables,
  before: ReadonlyMap<string, Row>,
  after: ReadonlyMap<string, Row | null>,
): Promise<void> {
  for (const tally of projection.tallies ?? []) {
    const differences = tallyDifferences(tally, before, after);
    if (differences.size > 0) await addToCounts(client, tableNameOf(tally, build), differences);
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
