import { comparePositions, type EventStore, type Position, type RecordedEvent, type StreamId } from '@alpenglow/domain';
import { CHECKPOINT_CHANNEL, whileWaiting, type PoolClient } from '@alpenglow/infra';
import { applyBatch } from '../apply-batch.ts';
import { lockCheckpoint, readParkedStreams, recordParkedEvents } from '../checkpoints/checkpoints.ts';
import { mergeTallies } from '../tallies.ts';
import { parkedEventsNameOf, type Build, type Projection } from '../projection.ts';

const PAGE_events = 500;

/** The place of a parked event in the log and in its stream. */
export interface ParkedPosition {
  readonly position: Position;
  readonly revision: number | null;
}

/**
 * Handles the parked events of `stream` again in their order, inside the caller's transaction. Omits the events whose
 * ids are in `skipped`. Events that fail again are parked again, with their error.
 */
export async function retryParkedEvents(
  client: PoolClient,
  store: Pick<EventStore, 'readStream'>,
  projection: Projection,
  build: Build,
  stream: StreamId,
  skipped: ReadonlySet<string>,
): Promise<void> {
  const name = parkedEventsNameOf(projection, build);
  // The lock blocks updates of the live tables, so that no later event of the stream is applied before the parked
  // events.
  const live = build === 'live' ? await lockCheckpoint(client, projection) : null;
  const { rows: parkedPositions } = await client.query<ParkedPosition>(
    'select position, revision from rm.parked_events where projection = $1 and stream = $2 order by position',
    [name, stream],
  );
  const source = {
    readStream: (...args: Parameters<typeof store.readStream>) => whileWaiting(client, store.readStream(...args)),
  };
  for await (const page of eventsAt(source, stream, parkedPositions)) {
    await client.query('delete from rm.parked_events where projection = $1 and position = any($2)', [
      name,
      page.map(({ position }) => position),
    ]);
    const parkedStreams = await readParkedStreams(client, name);
    // Events of this page must be parked again if an earlier event of the stream is parked. Later parked events do not
    // matter.
    const isBlocked = await hasEarlierParked(client, name, stream, page);
    if (!isBlocked) parkedStreams.delete(stream);
    const unskipped = page.filter(({ id }) => !skipped.has(id));
    await recordParkedEvents(client, name, await applyBatch({ client, projection, build }, unskipped, parkedStreams));
  }
  if (live) await mergeTallies(client, projection);
  if (live) await client.query('select pg_notify($1, $2)', [CHECKPOINT_CHANNEL, `${projection.name}:${live.position}`]);
}

async function hasEarlierParked(
  client: PoolClient,
  name: string,
  stream: StreamId,
  page: readonly RecordedEvent[],
): Promise<boolean> {
  const { rowCount } = await client.query(
    'select from rm.parked_events where projection = $1 and stream = $2 and position < $3',
    [name, stream, page[0]?.position],
  );
  return rowCount !== 0;
}

/** Yields the events of a stream at these positions, in order and in pages. */
export async function* eventsAt(
  store: Pick<EventStore, 'readStream'>,
  stream: StreamId,
  parkedPositions: readonly ParkedPosition[],
): AsyncGenerator<readonly RecordedEvent[]> {
  const wanted = new Set(parkedPositions.map(({ position }) => position));
  const last = parkedPositions.at(-1)?.position;
  // Some old parked events are stored without a revision. Their stream is read from its beginning.
  for (
    let from = parkedPositions.some(({ revision }) => revision === null) ? 0 : (parkedPositions[0]?.revision ?? 0);
    last !== undefined;
    from += PAGE_events
  ) {
    const page = await store.readStream(stream, { from, limit: PAGE_events });
    const events = page.filter(({ position }) => wanted.has(position));
    if (events.length > 0) yield events;
    const reached = page.at(-1)?.position;
    if (reached === undefined || page.length < PAGE_events || comparePositions(reached, last) >= 0) return;
  }
}
