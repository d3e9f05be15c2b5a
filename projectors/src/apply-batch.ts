import { toDomainEvent, type Position, type Recorded, type RecordedEvent } from '@alpenglow/domain';
import type { PoolClient } from '@alpenglow/infra';
import { applyEvent, type Projection, type Row } from './projection.ts';
import { loadRows, saveRows } from './tables.ts';

/** An event that was set aside: with its error, or without one when it waits behind another of its stream. */
export interface Parked {
  readonly position: Position;
  readonly stream: string;
  readonly type: string;
  readonly error: string | null;
}

/**
 * Folds a batch of events into the projection's table, inside the caller's transaction. An event whose handler throws is
 * set aside, and so are the later events of its stream; all others go on. `parkedStreams` is added to.
 */
export async function applyBatch(
  client: PoolClient,
  projection: Projection,
  table: string,
  batch: readonly RecordedEvent[],
  parkedStreams: Set<string>,
): Promise<readonly Parked[]> {
  const parked: Parked[] = [];
  const park = ({ position, stream, type }: RecordedEvent, error: string | null) => {
    parkedStreams.add(stream);
    parked.push({ position, stream, type, error });
  };

  const touching: { readonly recorded: RecordedEvent; readonly event: Recorded; readonly key: string }[] = [];
  for (const recorded of batch) {
    if (!(recorded.type in projection.on)) continue;
    try {
      const event = toDomainEvent(recorded);
      const key = event && projection.keyOf(event);
      if (event && key !== null) touching.push({ recorded, event, key });
    } catch (error) {
      park(recorded, String(error));
    }
  }
  if (touching.length === 0) return parked;


  const rows = await loadRows(client, projection, table, [...new Set(touching.map(({ key }) => key))]);
  const changed = new Map<string, Row | null>();
  for (const { recorded, event, key } of touching) {
    if (parkedStreams.has(recorded.stream)) {
      park(recorded, null);
      continue;
    }
    const before = changed.has(key) ? (changed.get(key) ?? null) : (rows.get(key) ?? null);
    try {
      const after = applyEvent(projection, event, before);
      if (after !== undefined) changed.set(key, after);
    } catch (error) {
      park(recorded, String(error));
    }
  }
  await saveRows(client, projection, table, changed);
  return parked;
}
