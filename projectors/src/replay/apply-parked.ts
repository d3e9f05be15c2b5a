import { comparePositions, type EventStore, type Position, type RecordedEvent } from '@alpenglow/domain';
import { ADVANCED_CHANNEL, type PoolClient } from '@alpenglow/infra';
import { applyBatch } from '../apply-batch.ts';
import { parkedStreamsOf, recordParked } from '../checkpoints.ts';
import { parkedNameOf, type Build, type Projection } from '../projection.ts';

const PAGE_events = 500;

interface ParkedPlace {
  readonly position: Position;
  readonly revision: number | null;
}

/**
 * Handles what a projection has set aside of one stream again, in order and without the events `skipped`, inside the caller's transaction. What
 * still cannot be handled is set aside anew, with its error.
 */
export async function applyParked(
  client: PoolClient,
  store: Pick<EventStore, 'readStream'>,
  projection: Projection,
  build: Build,
  stream: string,
  skipped: ReadonlySet<string>,
): Promise<void> {
  const name = parkedNameOf(projection, build);
  const told = build === 'live' ? await holdRunner(client, projection) : null;
  const { rows: places } = await client.query<ParkedPlace>(
    'select position, revision from rm.parked_events where projection = $1 and stream = $2 order by position',
    [name, stream],
  );
  for await (const page of eventsAt(store, stream, places)) {
    await client.query('delete from rm.parked_events where projection = $1 and position = any($2)', [
      name,
      page.map(({ position }) => position),
    ]);
    const others = await parkedStreamsOf(client, name);
    // Those of the pages after this one wait for it alone.
    const isHeldUp = await wasSetAside(client, name, stream, page);
    if (!isHeldUp) others.delete(stream);
    await recordParked(
      client,
      name,
      await applyBatch(
        client,
        projection,
        build,
        page.filter(({ id }) => !skipped.has(id)),
        others,
      ),
    );
  }
  if (told !== null) await client.query('select pg_notify($1, $2)', [ADVANCED_CHANNEL, `${projection.name}:${told}`]);
}

/** The live runner waits until the transaction is over, so that no later event of a stream overtakes these. Answers where it is; null before its first run. */
async function holdRunner(client: PoolClient, projection: Projection): Promise<Position | null> {
  const { rows } = await client.query<{ position: Position }>(
    'select position from rm.checkpoints where name = $1 for update',
    [projection.name],
  );
  return rows[0]?.position ?? null;
}

/** Whether an event before these is set aside. */
async function wasSetAside(
  client: PoolClient,
  name: string,
  stream: string,
  page: readonly RecordedEvent[],
): Promise<boolean> {
  const { rowCount } = await client.query(
    'select from rm.parked_events where projection = $1 and stream = $2 and position < $3',
    [name, stream, page[0]?.position],
  );
  return rowCount !== 0;
}

/** The events of a stream at these positions, which are in order, by the page. */
async function* eventsAt(
  store: Pick<EventStore, 'readStream'>,
  stream: string,
  places: readonly ParkedPlace[],
): AsyncGenerator<readonly RecordedEvent[]> {
  const wanted = new Set(places.map(({ position }) => position));
  const last = places.at(-1)?.position;
  // Of what was set aside before revisions were kept, the stream is looked through from its beginning.
  for (
    let from = places.some(({ revision }) => revision === null) ? 0 : (places[0]?.revision ?? 0);
    last !== undefined;
    from += PAGE_events
  ) {
    const page = await store.readStream(stream, { from, limit: PAGE_events });
    const found = page.filter(({ position }) => wanted.has(position));
    if (found.length > 0) yield found;
    const end = page.at(-1)?.position;
    if (end === undefined || page.length < PAGE_events || comparePositions(end, last) >= 0) return;
  }
}
