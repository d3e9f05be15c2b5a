import {
  comparePositions,
  START,
  toDomainEvent,
  type EventStore,
  type Position,
  type Recorded,
  type RecordedEvent,
} from '@alpenglow/domain';
import { openEvents, pagesOf, type DataKeys, type PoolClient } from '@alpenglow/infra';
import { applyEvent, type Build, type Projection, type Row } from '../projection.ts';
import { loadRows, saveRows } from '../tables.ts';
import { saveTallies } from '../tallies.ts';
import { readable, type RowKeys } from './persons-rows.ts';

export interface RefoldDependencies {
  /** The events as they are kept. */
  readonly sealedStore: Pick<EventStore, 'readAll'>;
  readonly dataKeys: DataKeys;
}

/** Rows as the history makes them now. */
export interface Refolded {
  /** Everything up to there is in them. */
  readonly position: Position;
  readonly rows: ReadonlyMap<Projection, ReadonlyMap<string, Row | null>>;
}

/** By projection: positions of events that were set aside there, and ids of those an admin has left out for good. Neither are in any row. */
export type SetAside = ReadonlyMap<
  Projection,
  { readonly parked: ReadonlySet<Position>; readonly skipped: ReadonlySet<string> }
>;

/**
 * Folds the rows with these keys anew, as a rebuild would, from `from` on up to `to`. Only events that go into one of them are opened; the whole history is read
 * over once. A handler that throws leaves its event out. Rejects when `signal` aborts.
 */
export async function refold(
  keys: RowKeys,
  aside: SetAside,
  from: Refolded | null,
  to: Position,
  { sealedStore, dataKeys }: RefoldDependencies,
  signal: AbortSignal,
): Promise<Refolded> {
  const projections = [...keys].filter(([, wanted]) => wanted.size > 0).map(([projection]) => projection);
  const rows = new Map(projections.map((projection) => [projection, new Map(from?.rows.get(projection) ?? [])]));
  const types = [...new Set(projections.flatMap(({ on }) => Object.keys(on)))];
  const touches = (projection: Projection, event: Recorded) => {
    const key = event.type in projection.on ? projection.keyOf(event) : null;
    return key !== null && keys.get(projection)?.has(key) === true ? key : null;
  };
  for await (const page of types.length > 0
    ? pagesOf(sealedStore, { after: from?.position ?? START, types, signal })
    : []) {
    const wanted = page.filter((recorded) => {
      if (comparePositions(recorded.position, to) > 0) return false;
      const event = readable(recorded);
      return event !== null && projections.some((projection) => touches(projection, event) !== null);
    });
    for (const event of (await openEvents(wanted, dataKeys)).map(asDomainEvent)) {
      if (!event) continue;
      for (const [projection, own] of rows) {
        const key = touches(projection, event);
        if (key === null || isAside(aside, projection, event)) continue;
        const after = applied(projection, event, own.get(key) ?? null);
        if (after !== undefined) own.set(key, after);
      }
    }
    if (comparePositions(page.at(-1)?.position ?? START, to) >= 0) break;
  }
  return { position: to, rows };
}

/** Writes refolded rows into a table that stands at the same position, with what is counted of them, inside the caller's transaction. */
export async function replaceRows(
  client: PoolClient,
  projection: Projection,
  build: Build,
  keys: ReadonlySet<string>,
  { rows }: Refolded,
): Promise<void> {
  if (keys.size === 0) return;
  const before = await loadRows(client, projection, build, [...keys], []);
  const own = rows.get(projection);
  const after = new Map([...keys].map((key) => [key, own?.get(key) ?? null]));
  await saveRows(client, projection, build, before, after);
  await saveTallies(client, projection, build, before, after);
}

function isAside(aside: SetAside, projection: Projection, { id, position }: Recorded): boolean {
  const of = aside.get(projection);
  return of !== undefined && (of.parked.has(position) || of.skipped.has(id));
}

function asDomainEvent(recorded: RecordedEvent): Recorded | null {
  try {
    return toDomainEvent(recorded);
  } catch {
    return null;
  }
}

function applied(projection: Projection, event: Recorded, row: Row | null): Row | null | undefined {
  try {
    return applyEvent(projection, event, row);
  } catch {
    return undefined;
  }
}
