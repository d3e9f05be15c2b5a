import {
  EventFromNewerBuild,
  toDomainEvent,
  type Position,
  type Recorded,
  type RecordedEvent,
} from '@alpenglow/domain';
import type { PoolClient } from '@alpenglow/infra';
import { applyEvent, type Build, type Projection, type Row } from './projection.ts';
import { loadRows, saveRows } from './tables.ts';
import { saveTallies, type CountRows } from './tallies.ts';

/** An event that was set aside: with its error, or without one when it waits behind another of its stream. */
export interface Parked {
  readonly position: Position;
  readonly stream: string;
  readonly revision: number;
  readonly id: string;
  readonly type: string;
  readonly error: string | null;
}

/**
 * Folds a batch of events into the projection's tables, inside the caller's transaction. An event that cannot be read, whose handler
 * throws or whose row Postgres refuses is set aside, and so are the later events of its stream; all others go on. Rejects when the
 * database fails, and with `EventFromNewerBuild`, which another process will be able to handle. `count` is told of every change of rows.
 */
export async function applyBatch(
  client: PoolClient,
  projection: Projection,
  build: Build,
  batch: readonly RecordedEvent[],
  parkedStreams: ReadonlySet<string>,
  count: CountRows = saveTallies,
): Promise<readonly Parked[]> {
  await client.query('savepoint batch');
  try {
    const parked = await fold(client, projection, build, batch, new Set(parkedStreams), count);
    await client.query('release savepoint batch');
    return parked;
  } catch (error) {
    if (!isDataError(error)) throw error;
    await client.query('rollback to savepoint batch; release savepoint batch');
    const [first, second] = batch;
    return first && !second
      ? [aside(first, String(error))]
      : applyOneByOne(client, projection, build, batch, new Set(parkedStreams), count);
  }
}

/** Finds the one event of a batch whose row Postgres refuses. */
async function applyOneByOne(
  client: PoolClient,
  projection: Projection,
  build: Build,
  batch: readonly RecordedEvent[],
  parkedStreams: Set<string>,
  count: CountRows,
): Promise<readonly Parked[]> {
  const parked: Parked[] = [];
  for (const event of batch) {
    for (const one of await applyBatch(client, projection, build, [event], parkedStreams, count)) {
      parkedStreams.add(one.stream);
      parked.push(one);
    }
  }
  return parked;
}

async function fold(
  client: PoolClient,
  projection: Projection,
  build: Build,
  batch: readonly RecordedEvent[],
  parkedStreams: Set<string>,
  count: CountRows,
): Promise<readonly Parked[]> {
  const touching = touchingOf(projection, batch);
  if (touching.length === 0) return [];

  const rows = await loadTouched(client, projection, build, touching);
  const changed = new Map<string, Row | null>();
  const table = {
    get: (key: string) => (changed.has(key) ? (changed.get(key) ?? null) : (rows.get(key) ?? null)),
    set: (key: string, row: Row | null) => void changed.set(key, row),
  };
  const parked = foldEvents(projection, touching, table, parkedStreams);
  await saveRows(client, projection, build, rows, changed);
  await count(client, projection, build, rows, changed);
  return parked;
}

/** Rows as handlers see and leave them. */
export interface RowTable {
  /** Null where there is none. */
  get(key: string): Row | null;
  set(key: string, row: Row | null): void;
}

/** Folds events into rows, which are all at hand. Answers what was set aside; each one's stream is among `parkedStreams` from then on. */
export function foldEvents(
  projection: Projection,
  touching: readonly Touching[],
  table: RowTable,
  parkedStreams: Set<string>,
): readonly Parked[] {
  const parked: Parked[] = [];
  for (const { recorded, event, key, error } of touching) {
    if (parkedStreams.has(recorded.stream)) {
      parked.push(aside(recorded, null));
      continue;
    }
    try {
      if (error !== null) throw error;
      if (event === null || key === null) continue;
      const after = applyEvent(projection, event, table.get(key));
      if (after !== undefined) table.set(key, after);
    } catch (fault) {
      parkedStreams.add(recorded.stream);
      parked.push(aside(recorded, String(fault)));
    }
  }
  return parked;
}

/** The rows that events touch, each with what the handlers of its events want to see of it. */
async function loadTouched(
  client: PoolClient,
  projection: Projection,
  build: Build,
  touching: readonly Pick<Touching, 'event' | 'key'>[],
): Promise<ReadonlyMap<string, Row>> {
  const { whole, partial } = wantedOf(projection, touching);
  const rows = whole.length > 0 ? await loadRows(client, projection, build, whole, []) : new Map<string, Row>();
  if (partial.length === 0) return rows;
  return new Map([...rows, ...(await loadRows(client, projection, build, partial, projection.leaves?.columns ?? []))]);
}

/** The keys of the rows that events touch: of those that are wanted whole, and of those that may go without the columns the projection leaves. */
export function wantedOf(
  { leaves }: Projection,
  touching: readonly Pick<Touching, 'event' | 'key'>[],
): { readonly whole: readonly string[]; readonly partial: readonly string[] } {
  const keys = new Set<string>();
  const whole = new Set<string>();
  for (const { event, key } of touching) {
    if (event === null || key === null) continue;
    keys.add(key);
    if (leaves?.on.includes(event.type) !== true) whole.add(key);
  }
  return { whole: [...whole], partial: [...keys].filter((key) => !whole.has(key)) };
}

/** An event with the key of its row, or why it cannot be read. */
export interface Touching {
  readonly recorded: RecordedEvent;
  readonly event: Recorded | null;
  readonly key: string | null;
  readonly error: Error | null;
}

/** The events of a batch that a projection handles. Throws `EventFromNewerBuild`. */
export function touchingOf(projection: Projection, batch: readonly RecordedEvent[]): readonly Touching[] {
  return batch
    .filter(({ type }) => type in projection.on)
    .map((recorded) => ({ recorded, ...read(projection, recorded) }));
}

function read(projection: Projection, recorded: RecordedEvent): Omit<Touching, 'recorded'> {
  try {
    const event = toDomainEvent(recorded);
    return { event, key: event && projection.keyOf(event), error: null };
  } catch (error) {
    if (error instanceof EventFromNewerBuild) throw error;
    return { event: null, key: null, error: error as Error };
  }
}

function aside({ position, stream, revision, id, type }: RecordedEvent, error: string | null): Parked {
  return { position, stream, revision, id, type, error };
}

/** SQLSTATE classes 22 and 23: the value is at fault, so that a retry would fail again. */
export function isDataError(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && /^(?:22|23)/u.test(code);
}
