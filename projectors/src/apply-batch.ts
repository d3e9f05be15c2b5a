import { NewerEventVersionError, toDomainEvent, type RecordedDomainEvent, type RecordedEvent } from '@alpenglow/domain';
import { applyEvent, type Projection, type Row } from './projection.ts';
import { loadRows, saveRows, type Tables } from './tables.ts';
import { saveTallies } from './tallies.ts';

/**
 * An event that a projection or another consumer could not handle and has therefore parked, i.e. stored with its error.
 * `error` is null if the event was parked only because an earlier event of its stream was parked.
 */
export interface ParkedEvent extends Pick<RecordedEvent, 'position' | 'stream' | 'revision' | 'id' | 'type'> {
  readonly error: string | null;
}

/**
 * Applies the events of `batch` to the tables, inside the caller's transaction. Returns the parked events, which are
 * not applied. An event is parked if it cannot be read, if its handler throws, or if Postgres rejects its row. All
 * later events of its stream are then parked, too. `parkedStreams` are the streams that already have parked events.
 * Rejects if the database fails. Rejects with `NewerEventVersionError` if an event needs a newer build, because a
 * process of that build will handle the event.
 */
export async function applyBatch(
  tables: Tables,
  batch: readonly RecordedEvent[],
  parkedStreams: ReadonlySet<string>,
): Promise<readonly ParkedEvent[]> {
  const { client } = tables;
  await client.query('savepoint batch');
  try {
    const parked = await applyToRows(tables, batch, new Set(parkedStreams));
    await client.query('release savepoint batch');
    return parked;
  } catch (error) {
    if (!isDataError(error)) throw error;
    await client.query('rollback to savepoint batch; release savepoint batch');
    const [first, second] = batch;
    return first && !second
      ? [parkedEvent(first, String(error))]
      : applyOneByOne(tables, batch, new Set(parkedStreams));
  }
}

/** Applies the events of a batch one at a time, to find the event whose row Postgres rejects. */
async function applyOneByOne(
  tables: Tables,
  batch: readonly RecordedEvent[],
  parkedStreams: Set<string>,
): Promise<readonly ParkedEvent[]> {
  const parked: ParkedEvent[] = [];
  for (const event of batch) {
    for (const entry of await applyBatch(tables, [event], parkedStreams)) {
      parkedStreams.add(entry.stream);
      parked.push(entry);
    }
  }
  return parked;
}

async function applyToRows(
  tables: Tables,
  batch: readonly RecordedEvent[],
  parkedStreams: Set<string>,
): Promise<readonly ParkedEvent[]> {
  const handled = readHandledEvents(tables.projection, batch);
  if (handled.length === 0) return [];

  const rows = await loadTouched(tables, handled);
  const changed = new Map<string, Row | null>();
  const table = {
    get: (key: string) => (changed.has(key) ? (changed.get(key) ?? null) : (rows.get(key) ?? null)),
    set: (key: string, row: Row | null) => void changed.set(key, row),
  };
  const parked = foldEvents(tables.projection, handled, table, parkedStreams);
  await saveRows(tables, rows, changed);
  await saveTallies(tables, rows, changed);
  return parked;
}

/** The rows of a table that events change, by row key. Null means that no row exists. */
export interface RowTable {
  get(key: string): Row | null;
  set(key: string, row: Row | null): void;
}

/**
 * Applies events to the rows of `table`, which must contain every row that the events change. Returns the events that
 * could not be applied and must be parked. Adds the streams of these events to `parkedStreams`, so that later events of
 * these streams are parked, too.
 */
export function foldEvents(
  projection: Projection,
  handled: readonly KeyedEvent[],
  table: RowTable,
  parkedStreams: Set<string>,
): readonly ParkedEvent[] {
  const parked: ParkedEvent[] = [];
  for (const { recorded, event, key, error } of handled) {
    if (parkedStreams.has(recorded.stream)) {
      parked.push(parkedEvent(recorded, null));
      continue;
    }
    try {
      if (error !== null) throw error;
      if (event === null || key === null) continue;
      const after = applyEvent(projection, event, table.get(key));
      if (after !== undefined) table.set(key, after);
    } catch (failure) {
      parkedStreams.add(recorded.stream);
      parked.push(parkedEvent(recorded, String(failure)));
    }
  }
  return parked;
}

/**
 * Loads the rows that events change. A row is loaded without the large columns of `Projection.lazyColumns` if none of
 * its events needs these columns.
 */
async function loadTouched(tables: Tables, handled: readonly KeyedEvent[]): Promise<ReadonlyMap<string, Row>> {
  const { whole, partial } = findKeysToLoad(tables.projection, handled);
  const rows = await loadRows(tables, whole);
  const partialRows = await loadRows(tables, partial, tables.projection.lazyColumns?.columns);
  return new Map([...rows, ...partialRows]);
}

/**
 * Returns the keys of the rows that events change. The rows of `whole` must be loaded with all columns. The rows of
 * `partial` are loaded without the columns of `Projection.lazyColumns`.
 */
export function findKeysToLoad(
  { lazyColumns }: Projection,
  handled: readonly KeyedEvent[],
): { readonly whole: readonly string[]; readonly partial: readonly string[] } {
  const keys = new Set<string>();
  const whole = new Set<string>();
  for (const { event, key } of handled) {
    if (event === null || key === null) continue;
    keys.add(key);
    if (lazyColumns?.on.includes(event.type) !== true) whole.add(key);
  }
  return { whole: [...whole], partial: [...keys].filter((key) => !whole.has(key)) };
}

/**
 * An event with the key of the row that the event changes. If the event cannot be read, `error` is the reason, and
 * `event` and `key` are null.
 */
export interface KeyedEvent {
  readonly recorded: RecordedEvent;
  readonly event: RecordedDomainEvent | null;
  readonly key: string | null;
  readonly error: Error | null;
}

/**
 * Returns the events of `batch` for which the projection has a handler. Each event is returned with the keys of the
 * table rows that it changes. Throws `NewerEventVersionError` if an event was written by a newer build of the product.
 */
export function readHandledEvents(projection: Projection, batch: readonly RecordedEvent[]): readonly KeyedEvent[] {
  return batch
    .filter(({ type }) => type in projection.on)
    .map((recorded) => ({ recorded, ...readEvent(projection, recorded) }));
}

function readEvent(projection: Projection, recorded: RecordedEvent): Omit<KeyedEvent, 'recorded'> {
  try {
    const event = toDomainEvent(recorded);
    return { event, key: event && projection.keyOf(event), error: null };
  } catch (error) {
    if (error instanceof NewerEventVersionError) throw error;
    return { event: null, key: null, error: error as Error };
  }
}

/** Returns the data that is stored about a parked event. `error` is the reason for parking it. */
export function parkedEvent(
  { position, stream, revision, id, type }: RecordedEvent,
  error: string | null,
): ParkedEvent {
  return { position, stream, revision, id, type, error };
}

/**
 * Checks whether an error is a Postgres error of the SQLSTATE class 22 (data exception) or 23 (constraint violation).
 * The written value causes these errors, so a retry fails again.
 */
export function isDataError(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && /^(?:22|23)/u.test(code);
}
