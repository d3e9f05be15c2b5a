import { EventFromNewerBuild, toDomainEvent, type Position, type Recorded, type RecordedEvent } from '@alpenglow/domain';
import type { PoolClient } from '@alpenglow/infra';
import { applyEvent, type Build, type Projection, type Row } from './projection.ts';
import { loadRows, saveRows } from './tables.ts';
import { saveTallies, type CountRows } from './tallies.ts';

/** An event that was set aside: with its error, or without one when it waits behind another of its stream. */
export interface Parked {
  readonly position: Position;
  readonly stream: string;
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
    return first && !second ? [aside(first, String(error))] : applyOneByOne(client, projection, build, batch, new Set(parkedStreams), count);
  }
}

/** Finds the one event of a batch whose row Postgres refuses. */
async function applyOneByOne(client: PoolClient, projection: Projection, build: Build, batch: readonly RecordedEvent[], parkedStreams: Set<string>, count: CountRows): Promise<readonly Parked[]> {
  const parked: Parked[] = [];
  for (const event of batch) {
    for (const one of await applyBatch(client, projection, build, [event], parkedStreams, count)) {
      parkedStreams.add(one.stream);
      parked.push(one);
    }
  }
  return parked;
}

async function fold(client: PoolClient, projection: Projection, build: Build, batch: readonly RecordedEvent[], parkedStreams: Set<string>, count: CountRows): Promise<readonly Parked[]> {
  const touching = batch.filter(({ type }) => type in projection.on).map((recorded) => ({ recorded, ...read(projection, recorded) }));
  if (touching.length === 0) return [];

  const rows = await loadTouched(client, projection, build, touching);
  const changed = new Map<string, Row | null>();
  const parked: Parked[] = [];
  for (const { recorded, event, key, error } of touching) {
    if (parkedStreams.has(recorded.stream)) {
      parked.push(aside(recorded, null));
      continue;
    }
    try {
      if (error !== null) throw error;
      if (event === null || key === null) continue;
      const after = applyEvent(projection, event, changed.has(key) ? (changed.get(key) ?? null) : (rows.get(key) ?? null));
      if (after !== undefined) changed.set(key, after);
    } catch (fault) {
      parkedStreams.add(recorded.stream);
      parked.push(aside(recorded, String(fault)));
    }
  }
  await saveRows(client, projection, build, rows, changed);
  await count(client, projection, build, rows, changed);
  return parked;
}

/** The rows that events touch, each with what the handlers of its events want to see of it. */
async function loadTouched(client: PoolClient, projection: Projection, build: Build, touching: readonly Pick<Touching, 'event' | 'key'>[]): Promise<ReadonlyMap<string, Row>> {
  const { columns = [], on: content = [] } = projection.leaves ?? {};
  const keys = new Set<string>();
  const whole = new Set<string>();
  for (const { event, key } of touching) {
    if (event === null || key === null) continue;
    keys.add(key);
    if (!content.includes(event.type)) whole.add(key);
  }
  const partial = [...keys].filter((key) => !whole.has(key));
  const rows = whole.size > 0 ? await loadRows(client, projection, build, [...whole], []) : new Map<string, Row>();
  if (partial.length === 0) return rows;
  return new Map([...rows, ...(await loadRows(client, projection, build, partial, columns))]);
}

/** An event with the key of its row, or why it cannot be read. */
interface Touching {
  readonly event: Recorded | null;
  readonly key: string | null;
  readonly error: Error | null;
}

function read(projection: Projection, recorded: RecordedEvent): Touching {
  try {
    const event = toDomainEvent(recorded);
    return { event, key: event && projection.keyOf(event), error: null };
  } catch (error) {
    if (error instanceof EventFromNewerBuild) throw error;
    return { event: null, key: null, error: error as Error };
  }
}

function aside({ position, stream, type }: RecordedEvent, error: string | null): Parked {
  return { position, stream, type, error };
}

/** SQLSTATE classes 22 and 23: the value is at fault, so that a retry would fail again. */
function isDataError(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && /^(?:22|23)/u.test(code);
}
