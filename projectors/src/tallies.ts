import type { PoolClient } from '@alpenglow/infra';
import { tableOf, type Build, type Projection, type Row, type Tally } from './projection.ts';

/** Counts what a batch has changed in a projection's rows. */
export type CountRows = (
  client: PoolClient,
  projection: Projection,
  build: Build,
  before: ReadonlyMap<string, Row>,
  after: ReadonlyMap<string, Row | null>,
) => Promise<void>;

/** Writes the counts in the transaction that changes the rows. */
export const saveTallies: CountRows = async (client, projection, build, before, after) => {
  for (const tally of projection.tallies ?? []) {
    const differences = differencesOf(tally, before, after);
    if (differences.size > 0) await add(client, tableOf(tally, build), differences);
  }
};

export interface TallyCollection {
  readonly add: CountRows;
  /** How many counts are kept. */
  size(): number;
  /** Writes them, and keeps none any more. */
  save(client: PoolClient, build: Build): Promise<void>;
}

/** Collects what batches change, to be written some time later: a table that nobody reads yet need not be right all the time. */
export function collectTallies(projection: Projection): TallyCollection {
  const tallies = (projection.tallies ?? []).map((tally) => ({ tally, kept: new Map<string, number>() }));
  return {
    add: (_client, _projection, _build, before, after) => {
      for (const { tally, kept } of tallies) countDifferences(tally, before, after, kept);
      return Promise.resolve();
    },
    size: () => tallies.reduce((sum, { kept }) => sum + kept.size, 0),
    async save(client, build) {
      for (const { tally, kept } of tallies) {
        const changed = new Map([...kept].filter(([, by]) => by !== 0));
        if (changed.size > 0) await add(client, tableOf(tally, build), changed);
        kept.clear();
      }
    },
  };
}

/** By how much each key's count changes between two states of the same rows. */
export function differencesOf(
  tally: Tally,
  before: ReadonlyMap<string, Row>,
  after: ReadonlyMap<string, Row | null>,
): ReadonlyMap<string, number> {
  const differences = new Map<string, number>();
  countDifferences(tally, before, after, differences);
  for (const [key, by] of differences) if (by === 0) differences.delete(key);
  return differences;
}

function countDifferences(
  tally: Tally,
  before: ReadonlyMap<string, Row>,
  after: ReadonlyMap<string, Row | null>,
  differences: Map<string, number>,
): void {
  const count = (row: Row, by: 1 | -1) => {
    for (const key of tally.keysOf(row)) differences.set(key, (differences.get(key) ?? 0) + by);
  };
  for (const [key, row] of after) {
    const old = before.get(key) ?? null;
    if (old && row && tally.columns.every((column) => old[column] === row[column])) continue;
    if (old) count(old, -1);
    if (row) count(row, 1);
  }
}

async function add(client: PoolClient, table: string, differences: ReadonlyMap<string, number>): Promise<void> {
  // In one order for everybody, so that no two writers wait for each other.
  const keys = [...differences.keys()].sort();
  await client.query({
    name: `count ${table}`,
    text: `insert into ${table} as known (key, count) select * from unnest($1::text[], $2::integer[])
           on conflict (key) do update set count = known.count + excluded.count`,
    values: [keys, keys.map((key) => differences.get(key))],
  });
  const fewer = keys.filter((key) => (differences.get(key) ?? 0) < 0);
  if (fewer.length > 0)
    await client.query({
      name: `uncount ${table}`,
      text: `delete from ${table} where key = any($1) and count <= 0`,
      values: [fewer],
    });
}
