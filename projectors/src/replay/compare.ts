import { setTimeout as pause } from 'node:timers/promises';
import { comparePositions, type Position } from '@alpenglow/domain';
import type { PoolClient } from '@alpenglow/infra';
import { readCheckpoint } from '../checkpoints.ts';
import { keyColumn, tableOf, type Projection } from '../projection.ts';
import type { RebuildDependencies } from '../rebuild.ts';
import { catchUp } from './catch-up.ts';

/** A row that is not the same in the rebuilt tables. Names and keys alone: values are asked for where they are shown, and kept nowhere else. */
export interface RowDifference {
  readonly table: string;
  readonly keyColumn: string;
  readonly key: string;
  readonly kind: 'missing' | 'added' | 'changed';
  /** The columns that differ; where the row is on one side alone, those that hold something. */
  readonly columns: readonly string[];
}

export interface Comparison {
  readonly differingRows: number;
  /** The first of them. */
  readonly differences: readonly RowDifference[];
}

const KEPT_DIFFERENCES = 100;
const CHUNK_rows = 5_000;
const POLL_ms = 25;
/** With more events to handle than these, the live runner would have to wait for too long. */
const NEARLY_THERE_events = 200;
const HOLD_WAIT_ms = 5_000;

interface Options {
  readonly signal: AbortSignal;
  /** Asked after each chunk of rows: true ends here, with null. */
  readonly isPausing: () => boolean;
}

/**
 * Compares the live tables with the rebuilt ones, which are whole and stand at `from`, row by row and byte by byte, both at one position. The live
 * runner is held for the moment in which they come to stand together, readers never. Null when it was asked to pause.
 * `client` is one of the caller's, in no transaction.
 */
export async function compareTables(
  projection: Projection,
  deps: RebuildDependencies,
  client: PoolClient,
  from: Position,
  { signal, isPausing }: Options,
): Promise<Comparison | null> {
  await openSnapshot(projection, deps, client, from, signal);
  try {
    let differingRows = 0;
    const differences: RowDifference[] = [];
    for (const table of tablesOf(projection)) {
      for await (const found of differencesIn(client, table)) {
        signal.throwIfAborted();
        if (isPausing()) return null;
        differingRows += found.length;
        differences.push(...found.slice(0, KEPT_DIFFERENCES - differences.length));
      }
    }
    return { differingRows, differences };
  } finally {
    await client.query('rollback').catch(() => undefined);
  }
}

/** Begins a transaction that sees both at one position. */
async function openSnapshot(
  projection: Projection,
  deps: RebuildDependencies,
  client: PoolClient,
  from: Position,
  signal: AbortSignal,
): Promise<void> {
  for (let position = from; ; ) {
    position = await catchUp(projection, 'rebuild', deps, position, { signal });
    await untilLiveReaches(projection, deps, position, signal);
    const together = await holdingLive(projection, deps, async (live) => {
      const missing = await deps.store.readAll({
        after: position,
        limit: NEARLY_THERE_events,
        types: Object.keys(projection.on),
      });
      if (missing.length === NEARLY_THERE_events || comparePositions(live, position) < 0) return false;
      position = await catchUp(projection, 'rebuild', deps, position, { until: live, signal });
      await client.query('begin isolation level repeatable read read only; set local statement_timeout = 0');
      // The first statement takes the snapshot.
      await client.query('select from rm.checkpoints limit 0');
      return true;
    });
    if (together) return;
  }
}

async function untilLiveReaches(
  projection: Projection,
  { pool }: RebuildDependencies,
  position: Position,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    const live = await readCheckpoint(pool, projection.name);
    if (live && comparePositions(live.position, position) >= 0) return;
    await pause(POLL_ms);
  }
}

/** Does `work` while the live runner cannot go on from where it is. */
async function holdingLive(
  projection: Projection,
  { pool }: RebuildDependencies,
  work: (live: Position) => Promise<boolean>,
): Promise<boolean> {
  const holder = await pool.connect();
  let broken: Error | undefined;
  try {
    await holder.query(`begin; set local lock_timeout = ${HOLD_WAIT_ms}`);
    const { rows } = await holder.query<{ position: Position }>(
      'select position from rm.checkpoints where name = $1 for update',
      [projection.name],
    );
    return rows[0] ? await work(rows[0].position) : false;
  } finally {
    await holder.query('rollback').catch((error: unknown) => {
      broken = error as Error;
    });
    holder.release(broken);
  }
}

/** A table as it is compared with its twin. */
interface Compared {
  readonly name: string;
  readonly key: string;
  readonly keyType: string;
  readonly columns: readonly string[];
}

function tablesOf(projection: Projection): readonly Compared[] {
  const key = keyColumn(projection);
  const keyType = projection.columns[key]?.split(' ')[0] ?? 'text';
  const tallies = (projection.tallies ?? []).map(({ name }) => ({
    name,
    key: 'key',
    keyType: 'text',
    columns: ['key', 'count'],
  }));
  return [{ name: projection.name, key, keyType, columns: Object.keys(projection.columns) }, ...tallies];
}

/** The rows of a table and its twin that are not the same, by the chunk: also the chunks without any. */
async function* differencesIn(client: PoolClient, table: Compared): AsyncGenerator<readonly RowDifference[]> {
  const { name, key, keyType, columns } = table;
  const [live, rebuilt] = [tableOf(table, 'live'), tableOf(table, 'rebuild')];
  const within = `($1::${keyType} is null or ${key} > $1) and ($2::${keyType} is null or ${key} <= $2)`;
  // As records, values are compared byte by byte.
  const differing = columns
    .map((column) => `case when row(l.${column})::record *<> row(r.${column})::record then '${column}' end`)
    .join(', ');
  const text = `select coalesce(l.${key}, r.${key})::text as key, l.${key} is null as "isAdded", r.${key} is null as "isMissing", array_remove(array[${differing}], null) as columns
    from (select * from ${live} where ${within}) l full join (select * from ${rebuilt} where ${within}) r on l.${key} = r.${key}
    where l.${key} is null or r.${key} is null or row(l.*)::record *<> row(r.*)::record order by 1`;
  const ends = `select ${key}::text as last from ${live} where $1::${keyType} is null or ${key} > $1 order by ${key} offset ${CHUNK_rows - 1} limit 1`;
  for (let after: string | null = null; ; ) {
    const upTo: string | null = (await client.query<{ last: string }>(ends, [after])).rows[0]?.last ?? null;
    const { rows } = await client.query<{ key: string; isAdded: boolean; isMissing: boolean; columns: string[] }>(
      text,
      [after, upTo],
    );
    yield rows.map((row) => ({
      table: name,
      keyColumn: key,
      key: row.key,
      kind: row.isAdded ? 'added' : row.isMissing ? 'missing' : 'changed',
      columns: row.columns,
    }));
    if (upTo === null) return;
    after = upTo;
  }
}
