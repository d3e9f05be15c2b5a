import {
  comparePositions,
  START_POSITION,
  toDomainEvent,
  type EventStore,
  type Position,
  type RecordedDomainEvent,
  type RecordedEvent,
} from '@alpenglow/domain';
import { unsealEvents, readEventPages, type DataKeys } from '@alpenglow/infra';
import { applyEvent, type Projection, type Row } from '../projection.ts';
import { isContained, type ShardMarks } from '../shards/shards.ts';
import { loadRows, saveRows, type Tables } from '../tables.ts';
import { saveTallies } from '../tallies.ts';
import { readWithoutPersonalData, type RowKeys } from './personal-rows.ts';

export interface RefoldDependencies {
  readonly sealedStore: Pick<EventStore, 'readAll'>;
  readonly dataKeys: DataKeys;
}

/** Rows that were computed again from the current events. */
export interface RefoldedRows {
  /** The position up to which all events have been applied to the rows. Shards may contain later events. */
  readonly position: Position;
  readonly rows: ReadonlyMap<Projection, ReadonlyMap<string, Row | null>>;
}

/**
 * For each projection, the events that were not applied to any row. `parked` contains the positions of parked events.
 * `skipped` contains the ids of events that an admin has skipped.
 */
export type ExcludedEvents = ReadonlyMap<
  Projection,
  { readonly parked: ReadonlySet<Position>; readonly skipped: ReadonlySet<string> }
>;

/**
 * Computes the rows with the given keys from events, as a rebuild does, and returns the rows. Starts from the rows
 * `from`, or from the first event if `from` is null, and applies all events up to position `to`. If `shards` is given,
 * applies the events up to the last one of their shard instead, and `to` is the last one of all shards. Reads all of
 * these events, but decrypts only the events that change one of the rows. Skips an event whose handler throws. Rejects
 * if `signal` aborts.
 */
export async function refoldRows(
  keys: RowKeys,
  excluded: ExcludedEvents,
  from: RefoldedRows | null,
  to: Position,
  { sealedStore, dataKeys }: RefoldDependencies,
  signal: AbortSignal,
  shards: ShardMarks | null = null,
): Promise<RefoldedRows> {
  const projections = [...keys].filter(([, rowKeys]) => rowKeys.size > 0).map(([projection]) => projection);
  const rows = new Map(projections.map((projection) => [projection, new Map(from?.rows.get(projection) ?? [])]));
  const types = [...new Set(projections.flatMap(({ on }) => Object.keys(on)))];
  const touches = (projection: Projection, event: RecordedDomainEvent) => {
    const key = event.type in projection.on ? projection.keyOf(event) : null;
    return key !== null && keys.get(projection)?.has(key) === true ? key : null;
  };
  for await (const page of types.length > 0
    ? readEventPages(sealedStore, { after: from?.position ?? START_POSITION, types, signal })
    : []) {
    const relevant = page.filter((recorded) => {
      if (comparePositions(recorded.position, to) > 0 || (shards && !isContained(shards, recorded))) return false;
      const event = readWithoutPersonalData(recorded);
      return event !== null && projections.some((projection) => touches(projection, event) !== null);
    });
    for (const event of (await unsealEvents(relevant, dataKeys)).map(asDomainEvent)) {
      if (!event) continue;
      for (const [projection, rowsOfProjection] of rows) {
        const key = touches(projection, event);
        if (key === null || isExcluded(excluded, projection, event)) continue;
        const after = applyOrSkip(projection, event, rowsOfProjection.get(key) ?? null);
        if (after !== undefined) rowsOfProjection.set(key, after);
      }
    }
    if (comparePositions(page.at(-1)?.position ?? START_POSITION, to) >= 0) break;
  }
  return { position: to, rows };
}

/**
 * Writes recomputed rows and updates the counts of rows, inside the caller's transaction. The tables must be at the
 * same position in the event log as the rows. Deletes the rows of `keys` that do not exist after the computation.
 */
export async function writeRefoldedRows(
  tables: Tables,
  keys: ReadonlySet<string>,
  { rows }: RefoldedRows,
): Promise<void> {
  if (keys.size === 0) return;
  const before = await loadRows(tables, [...keys]);
  const rowsOfProjection = rows.get(tables.projection);
  const after = new Map([...keys].map((key) => [key, rowsOfProjection?.get(key) ?? null]));
  await saveRows(tables, before, after);
  await saveTallies(tables, before, after);
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
