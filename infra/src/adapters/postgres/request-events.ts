import type { EventStore, Position, RecordedEvent, StreamId } from '@alpenglow/domain';
import type { Pool, PoolClient } from 'pg';

/** The name of the duty that maintains the index from requests to their events, and of its checkpoint. */
export const REQUEST_EVENTS = 'reactor-request-events';

/**
 * Maximum number of rows that a search reads. Each of them is a read of the log, so an id with many rows does not
 * occupy the event store.
 */
const MAX_SEARCHED = 1_000;
const SEARCH_PAGE = 100;

/** The time for which the events of requests and failed requests can be found. Client errors are more frequent. */
const STORED_FOR = '30 days';
const CLIENT_ERRORS_STORED_FOR = '7 days';

/** Adds events to the index `ops.request_events`. Events that it contains are skipped. */
export async function addRequestEvents(client: PoolClient, events: readonly RecordedEvent[]): Promise<void> {
  if (events.length === 0) return;
  await client.query({
    name: 'request-events-add',
    text: `insert into ops.request_events (correlation, position, stream, revision, event_id)
           select hashtextextended(id, 0), position, stream, revision, event_id
             from unnest($1::text[], $2::text[], $3::text[], $4::integer[], $5::uuid[])
                  as event (id, position, stream, revision, event_id)
           on conflict (correlation, position) do update set stream = excluded.stream,
             revision = excluded.revision, event_id = excluded.event_id, stored_at = now()
             where ops.request_events.event_id <> excluded.event_id`,
    values: [
      events.map(({ meta }) => meta.correlationId),
      events.map(({ position }) => position),
      events.map(({ stream }) => stream),
      events.map(({ revision }) => revision),
      events.map(({ id }) => id),
    ],
  });
}

/**
 * Returns the last events of a request in the order of the log, at most `limit`. `ids` are the ways to write the
 * correlation id. The index may contain events that the log has lost, and events of another request with the same hash,
 * so each event is read from the log. Such rows do not count, so that they cannot hide the events of the request.
 */
export async function findRequestEvents(
  { pool, store }: { readonly pool: Pool; readonly store: Pick<EventStore, 'readStream'> },
  ids: readonly string[],
  limit: number,
): Promise<readonly RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  let before: Position | null = null;
  for (let searched = 0; searched < MAX_SEARCHED; searched += SEARCH_PAGE) {
    const rows = await readRows(pool, ids, before);
    for (const { position, stream, revision } of rows) {
      const [event] = await store.readStream(stream, { from: revision, limit: 1 });
      if (event?.position === position && ids.includes(event.meta.correlationId)) events.push(event);
      if (events.length === limit) return events.reverse();
      before = position;
    }
    if (rows.length < SEARCH_PAGE) break;
  }
  return events.reverse();
}

interface IndexRow {
  readonly position: Position;
  readonly stream: StreamId;
  readonly revision: number;
}

/** Returns the next rows of these correlation ids before a position, the last event first. */
async function readRows(pool: Pool, ids: readonly string[], before: Position | null): Promise<readonly IndexRow[]> {
  const { rows } = await pool.query<IndexRow>({
    name: 'request-events-find',
    text: `select position, stream, revision from ops.request_events
            where correlation in (select hashtextextended(id, 0) from unnest($1::text[]) as id)
              and ($2::text is null or position < $2)
            order by position desc limit ${SEARCH_PAGE}`,
    values: [ids, before],
  });
  return rows;
}

/** Deletes old rows of the index and old failed requests. */
export async function sweepRequestRecords(pool: Pool): Promise<void> {
  await pool.query(`delete from ops.request_events where stored_at < now() - interval '${STORED_FOR}'`);
  await pool.query(
    `delete from ops.failed_requests
      where at < now() - interval '${STORED_FOR}'
         or status < 500 and at < now() - interval '${CLIENT_ERRORS_STORED_FOR}'`,
  );
}
