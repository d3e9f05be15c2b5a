import { setTimeout as pause } from 'node:timers/promises';
import { comparePositions, type LogMark, type Position } from '@alpenglow/domain';
import { whileWaiting, type PoolClient } from '@alpenglow/infra';
import { applyBatch } from '../apply-batch.ts';
import { lockCheckpoint, readCheckpoint, readParkedStreams } from '../checkpoints/checkpoints.ts';
import { keyColumn, parkedEventsNameOf, tableNameOf, type Projection } from '../projection.ts';
import { inReadModelTransaction } from '../read-model-transaction.ts';
import type { FillDependencies } from '../rebuild/fill-tables.ts';
import { requireInLog } from '../rebuild/log-marks.ts';
import { isContained, latestOf, readShardMarks, shardCountOf, type ShardMarks } from '../shards/shards.ts';
import { readSkippedEventIds } from '../skipped-events.ts';
import { mergeTallies } from '../tallies.ts';
import { catchUpTables } from './catch-up.ts';

/**
 * A row that differs between a live table and its rebuilt table. It contains only the row key and the names of the
 * table and its columns. When an admin views the difference, the values are read from the tables.
 */
interface RowDifference {
  readonly table: string;
  readonly keyColumn: string;
  readonly key: string;
  readonly kind: 'missing' | 'added' | 'changed';
  /**
   * The columns that differ. If the row exists in only one of the two tables, these are the columns that are not null.
   */
  readonly columns: readonly string[];
}

export interface Comparison {
  readonly differingRows: number;
  /** The first 100 differing rows. */
  readonly differences: readonly RowDifference[];
}

const MAX_DIFFERENCES = 100;
const CHUNK_rows = 5_000;
const POLL_ms = 25;
/**
 * The maximum number of events that are applied to the rebuilt tables while updates of the live tables are blocked. It
 * is small, so that the updates are blocked only briefly.
 */
const MAX_BLOCKING_events = 200;
const LOCK_WAIT_ms = 5_000;
const PAGE_events = 500;

interface Options {
  readonly signal: AbortSignal;
  /** Called after each chunk of rows. If the function returns true, the comparison stops and its result is null. */
  readonly isPausing: () => boolean;
}

/**
 * Compares the live tables of a projection with the rebuilt tables, row by row and byte by byte. The rebuilt tables
 * must be complete up to the event `from`. Updates of the live tables are blocked briefly, until all tables are at
 * the same position in the event log. Readers are never blocked. `client` belongs to the caller and must not be in a
 * transaction. Returns null if `isPausing` stopped the comparison. Rejects if `signal` aborts.
 */
export async function compareTables(
  projection: Projection,
  deps: FillDependencies,
  client: PoolClient,
  from: LogMark,
  { signal, isPausing }: Options,
): Promise<Comparison | null> {
  await openSnapshot(projection, deps, client, from, signal);
  try {
    let differingRows = 0;
    const differences: RowDifference[] = [];
    for (const table of tablesOf(projection)) {
      for await (const chunk of differencesIn(client, table)) {
        signal.throwIfAborted();
        if (isPausing()) return null;
        differingRows += chunk.length;
        differences.push(...chunk.slice(0, MAX_DIFFERENCES - differences.length));
      }
    }
    return { differingRows, differences };
  } finally {
    await client.query('rollback').catch(() => undefined);
  }
}

/**
 * Begins a transaction on `client` that reads the live and the rebuilt tables at the same position in the event log. If
 * the live tables have shards, these may be at different positions. In this transaction, which the caller rolls back,
 * the rebuilt tables then contain for each shard the same events.
 */
async function openSnapshot(
  projection: Projection,
  deps: FillDependencies,
  client: PoolClient,
  from: LogMark,
  signal: AbortSignal,
): Promise<void> {
  for (let mark = from; ; ) {
    // The slowest shard may be far behind the end of the log, and the live tables are compared up to this shard.
    const slowest = shardCountOf(projection) === 1 ? null : await readCheckpoint(deps.pool, projection.name);
    const until = slowest && { position: slowest.position, id: slowest.eventId };
    mark = await catchUpTables(projection, 'rebuild', deps, mark, { signal, ...(until && { until }) });
    await waitForLive(projection, deps, mark.position, signal);
    let shards: ShardMarks | null = null;
    const isOpen = await whileLiveIsBlocked(projection, deps, async (live) => {
      const missing = await deps.store.readAll({
        after: mark.position,
        limit: MAX_BLOCKING_events,
        types: Object.keys(projection.on),
      });
      const last = missing.length === MAX_BLOCKING_events ? missing.at(-1) : null;
      if (last && comparePositions(last.position, live.position) <= 0) return false;
      if (comparePositions(live.position, mark.position) < 0) return false;
      mark = await catchUpTables(projection, 'rebuild', deps, mark, { until: live, signal });
      shards = await readShardMarks(deps.pool, projection);
      if (shards) await inReadModelTransaction(deps.pool, (transaction) => mergeTallies(transaction, projection));
      const mode = shardCountOf(projection) === 1 ? 'read only' : 'read write';
      await client.query(`begin isolation level repeatable read ${mode}; set local statement_timeout = 0`);
      // Postgres creates the snapshot of a transaction at its first query. The only purpose of this query is to create
      // the snapshot, so it reads no row.
      await client.query('select from rm.checkpoints limit 0');
      return true;
    });
    if (!isOpen) continue;
    if (shards) await applyEventsOfShards(projection, deps, client, mark, shards);
    return;
  }
}

/** Applies the events after `from` that the shards of the live tables already contain to the rebuilt tables. */
async function applyEventsOfShards(
  projection: Projection,
  { store }: FillDependencies,
  client: PoolClient,
  from: LogMark,
  shards: ShardMarks,
): Promise<void> {
  const skipped = await readSkippedEventIds(store, projection);
  const parkedStreams = await readParkedStreams(client, parkedEventsNameOf(projection, 'rebuild'));
  const last = latestOf(shards);
  for (let after = from.position; comparePositions(after, last.position) < 0; ) {
    const page = await store.readAll({ after, limit: PAGE_events, types: Object.keys(projection.on) });
    const due = page.filter((event) => isContained(shards, event) && !skipped.has(event.id));
    for (const { stream } of await applyBatch({ client, projection, build: 'rebuild' }, due, parkedStreams))
      parkedStreams.add(stream);
    if (page.length < PAGE_events) break;
    after = page.at(-1)?.position ?? last.position;
  }
  await requireInLog(store, last);
}

async function waitForLive(
  projection: Projection,
  { pool }: FillDependencies,
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

/**
 * Blocks updates of the live tables while `work` runs. `work` receives the last event of the live tables. Returns the
 * result of `work`, or false if the projection has no checkpoint.
 */
async function whileLiveIsBlocked(
  projection: Projection,
  { pool }: FillDependencies,
  work: (live: LogMark) => Promise<boolean>,
): Promise<boolean> {
  return inReadModelTransaction(pool, async (holder) => {
    await holder.query(`set local lock_timeout = ${LOCK_WAIT_ms}`);
    const live = await lockCheckpoint(holder, projection);
    return live ? whileWaiting(holder, work({ position: live.position, id: live.eventId })) : false;
  });
}

interface ComparedTable {
  readonly name: string;
  readonly key: string;
  readonly keyType: string;
  readonly columns: readonly string[];
}

function tablesOf(projection: Projection): readonly ComparedTable[] {
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

/** Yields the rows that differ between a live table and its rebuilt table, in chunks. A chunk may be empty. */
async function* differencesIn(client: PoolClient, table: ComparedTable): AsyncGenerator<readonly RowDifference[]> {
  const { name, key, keyType, columns } = table;
  const [live, rebuilt] = [tableNameOf(table, 'live'), tableNameOf(table, 'rebuild')];
  const within = `($1::${keyType} is null or ${key} > $1) and ($2::${keyType} is null or ${key} <= $2)`;
  // The operator `*<>` compares records byte by byte.
  const differing = columns
    .map((column) => `case when row(l.${column})::record *<> row(r.${column})::record then '${column}' end`)
    .join(', ');
  const text = `
    select coalesce(l.${key}, r.${key})::text as key, l.${key} is null as "isAdded", r.${key} is null as "isMissing",
           array_remove(array[${differing}], null) as columns
      from (select * from ${live} where ${within}) l
      full join (select * from ${rebuilt} where ${within}) r on l.${key} = r.${key}
     where l.${key} is null or r.${key} is null or row(l.*)::record *<> row(r.*)::record order by 1`;
  const chunkEnd = `
    select ${key}::text as last from ${live}
     where $1::${keyType} is null or ${key} > $1
     order by ${key} offset ${CHUNK_rows - 1} limit 1`;
  for (let after: string | null = null; ; ) {
    const upTo: string | null = (await client.query<{ last: string }>(chunkEnd, [after])).rows[0]?.last ?? null;
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
