import {
  comparePositions,
  toDomainEvent,
  type EventStore,
  type Position,
  type RecordedDomainEvent,
  type RecordedEvent,
  type StreamId,
} from '@alpenglow/domain';
import { readStreamPages, type AccountStreams } from '@alpenglow/infra';
import { applyEvent, keyColumn, tableNameOf, type Projection, type Row } from '../projection.ts';
import { isContained, type ShardMarks } from '../shards/shards.ts';
import { loadRows, saveRows, type Tables } from '../tables.ts';
import { saveTallies } from '../tallies.ts';
import type { RowKeys } from './personal-rows.ts';

/** Rows that were computed again from the current events. */
export interface RefoldedRows {
  /** The position up to which all events have been applied to the rows. Shards may contain later events. */
  readonly position: Position;
  readonly rows: ReadonlyMap<Projection, ReadonlyMap<string, Row | null>>;
  /** For each stream, the revision of the first event that was not applied. */
  readonly revisions: ReadonlyMap<StreamId, number>;
}

/**
 * For each projection, the events that were not applied to any row. `parked` contains the positions of parked events.
 * `skipped` contains the ids of events that an admin has skipped.
 */
type ExcludedEvents = ReadonlyMap<
  Projection,
  { readonly parked: ReadonlySet<Position>; readonly skipped: ReadonlySet<string> }
>;

interface RefoldOptions {
  readonly keys: RowKeys;
  /** The streams that contain all events of the rows, except those of `Projection.sharedColumns`. */
  readonly streams: AccountStreams;
  readonly excluded: ExcludedEvents;
  /** The rows to start from, or null to start from the first events. */
  readonly from: RefoldedRows | null;
  /** The position up to which events are applied. */
  readonly to: Position;
  /** If shards have applied events after `to`, the events up to which each shard has applied its streams. */
  readonly shards?: ShardMarks | null;
}

/**
 * Computes the rows with the given keys from events, as a rebuild does, and returns the rows. Reads only `streams`.
 * `store` must return decrypted events. Skips an event whose handler throws. The values of `Projection.sharedColumns`
 * are those of a new row. Rejects if `signal` aborts.
 */
export async function refoldRows(
  { keys, streams, excluded, from, to, shards = null }: RefoldOptions,
  store: Pick<EventStore, 'readStream'>,
  signal: AbortSignal,
): Promise<RefoldedRows> {
  const rows = new Map([...keys.keys()].map((projection) => [projection, new Map(from?.rows.get(projection) ?? [])]));
  const revisions = new Map(from?.revisions ?? []);

  /** Yields the events of a stream up to `to`, and up to the last event of its shard. */
  async function* readNew(stream: StreamId): AsyncGenerator<readonly RecordedEvent[]> {
    for await (const page of readStreamPages(store, stream, { from: revisions.get(stream) ?? 0, signal })) {
      const due = page.filter(
        (event) => comparePositions(event.position, to) <= 0 || (shards !== null && isContained(shards, event)),
      );
      const last = due.at(-1);
      if (last) revisions.set(stream, last.revision + 1);
      yield due;
      if (due.length < page.length) return;
    }
  }

  function apply(recorded: RecordedEvent): void {
    const event = asDomainEvent(recorded);
    if (!event) return;
    for (const [projection, rowsOfProjection] of rows) {
      const key = event.type in projection.on ? projection.keyOf(event) : null;
      if (key === null || keys.get(projection)?.has(key) !== true || isExcluded(excluded, projection, event)) continue;
      const after = applyOrSkip(projection, event, rowsOfProjection.get(key) ?? null);
      if (after !== undefined) rowsOfProjection.set(key, after);
    }
  }

  if (rows.size === 0) return { position: to, rows, revisions };
  // Events of several of these streams can change one row, so they are applied in the order of the log.
  const own: RecordedEvent[] = [];
  await Promise.all(
    streams.own.map(async (stream) => {
      for await (const page of readNew(stream)) own.push(...page);
    }),
  );
  for (const event of own.sort((a, b) => comparePositions(a.position, b.position))) apply(event);
  // All events of a row are in one of the other streams, so the order of these streams does not matter.
  for (const stream of streams.others) for await (const page of readNew(stream)) for (const event of page) apply(event);
  return { position: to, rows, revisions };
}

/**
 * Writes recomputed rows and updates the counts of rows, inside the caller's transaction. The tables must be at the
 * same position in the event log as the rows. Deletes the rows of `keys` that do not exist after the computation.
 */
export async function writeRefoldedRows(
  tables: Tables,
  keys: ReadonlySet<string>,
  refolded: RefoldedRows,
): Promise<void> {
  if (keys.size === 0) return;
  const before = await loadRows(tables, [...keys]);
  const after = completeRows(tables.projection, keys, refolded, (key) => before.get(key) ?? null);
  await saveRows(tables, before, after);
  await saveTallies(tables, before, after);
}

/**
 * Returns the recomputed rows by key, with the current values of `Projection.sharedColumns`. A row is null if it does
 * not exist after the computation.
 */
export function completeRows(
  projection: Projection,
  keys: ReadonlySet<string>,
  { rows }: RefoldedRows,
  currentRow: (key: string) => Row | null,
): ReadonlyMap<string, Row | null> {
  const rowsOfProjection = rows.get(projection);
  return new Map(
    [...keys].map((key) => {
      const row = rowsOfProjection?.get(key) ?? null;
      const current = currentRow(key);
      const shared = (projection.sharedColumns ?? []).map((column) => [column, current?.[column]]);
      return [key, row && current ? { ...row, ...(Object.fromEntries(shared) as Row) } : row];
    }),
  );
}

/**
 * Returns the keys of the stored rows that differ from the recomputed rows. The tables must be at the same position in
 * the event log as the rows. The columns of `Projection.sharedColumns` are not compared.
 */
export async function findDifferentRows(
  tables: Tables,
  keys: ReadonlySet<string>,
  refolded: RefoldedRows,
): Promise<readonly string[]> {
  const { client, projection, build } = tables;
  const stored = await loadRows(tables, [...keys]);
  const expected = completeRows(projection, keys, refolded, (key) => stored.get(key) ?? null);
  const key = keyColumn(projection);
  const table = tableNameOf(projection, build);
  const columns = Object.keys(projection.columns);
  // Postgres compares the values byte by byte, because it stores some values in another format than the events.
  const { rows } = await client.query<{ key: string }>(
    `select coalesce(t.${key}, n.${key})::text as key
       from (select * from ${table} where ${key} = any($1)) t
       full join json_populate_recordset(null::${table}, $2::json) n on t.${key} = n.${key}
      where t.${key} is null or n.${key} is null
         or row(${columns.map((column) => `t.${column}`).join(', ')})::record *<>
            row(${columns.map((column) => `n.${column}`).join(', ')})::record
      order by 1`,
    [[...keys], JSON.stringify([...expected.values()].filter((row) => row !== null))],
  );
  return rows.map((row) => row.key);
}

function isExcluded(events: ExcludedEvents, projection: Projection, { id, position }: RecordedDomainEvent): boolean {
  const excluded = events.get(projection);
  return excluded !== undefined && (excluded.parked.has(position) || excluded.skipped.has(id));
}

function asDomainEvent(recorded: RecordedEvent): RecordedDomainEvent | null {
  try {
    return toDomainEvent(recorded);
  } catch {
    return null;
  }
}

function applyOrSkip(projection: Projection, event: RecordedDomainEvent, row: Row | null): Row | null | undefined {
  try {
    return applyEvent(projection, event, row);
  } catch {
    return undefined;
  }
}
