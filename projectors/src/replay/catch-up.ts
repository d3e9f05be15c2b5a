import { comparePositions, type Position, type RecordedEvent, type StreamId } from '@alpenglow/domain';
import { applyBatch } from '../apply-batch.ts';
import { readParkedStreams, recordParkedEvents } from '../checkpoints.ts';
import { parkedEventsNameOf, type Build, type Projection } from '../projection.ts';
import type { FillDependencies } from '../fill-tables.ts';
import { readSkippedEventIds } from '../skipped-events.ts';
import { inReadModelTransaction } from '../read-model-transaction.ts';
import type { Tables } from '../tables.ts';
import { retryParkedEvents } from './retry-parked-events.ts';

type OtherBuild = Exclude<Build, 'live'>;

/**
 * Thrown if the tables of a projection contain more or fewer events than expected. Another process has then replaced
 * the tables, or has applied further events to them.
 */
class TablesMoved extends Error {
  override readonly name = 'TablesMoved';
}

const PAGE_events = 500;

/**
 * The database tables that store the positions of the `rebuild` and the `previous` tables in the event log. All events
 * up to the stored position have been applied to the tables.
 */
const POSITION_TABLES: Readonly<Record<OtherBuild, string>> = {
  rebuild: 'rm.rebuilds',
  previous: 'rm.previous_versions',
};

/**
 * Applies the events after `from` to the `build` tables, up to `until` or the current end of the event log. The tables
 * must be complete up to `from`. The rows and the position change in one transaction, so the work can be resumed if the
 * process is killed. Returns the new position. Throws `TablesMoved` if another process has changed the tables. Rejects
 * if `signal` aborts.
 */
export async function catchUpTables(
  projection: Projection,
  build: OtherBuild,
  { store, pool }: FillDependencies,
  from: Position,
  { until, signal }: { readonly until?: Position; readonly signal: AbortSignal },
): Promise<Position> {
  const skipped = await readSkippedEventIds(store, projection.name);
  await applySkipped(projection, build, { store, pool }, skipped);
  const end = until ?? (await store.readHead());
  const types = Object.keys(projection.on);
  for (let position = from; ; ) {
    signal.throwIfAborted();
    const page = (await store.readAll({ after: position, limit: PAGE_events, types })).filter(
      (event) => comparePositions(event.position, end) <= 0,
    );
    const isLast = page.length < PAGE_events;
    // The projection does not handle the events between the last page and `end`. The tables are therefore complete up
    // to `end`.
    const to = isLast ? (comparePositions(position, end) < 0 ? end : position) : (page.at(-1)?.position ?? position);
    const unskipped = page.filter(({ id }) => !skipped.has(id));
    if (to !== position)
      await inReadModelTransaction(pool, (client) =>
        applyAndMove({ client, projection, build }, unskipped, position, to),
      );
    if (isLast) return to;
    position = to;
  }
}

async function applyAndMove(
  { client, projection, build }: Tables & { readonly build: OtherBuild },
  page: readonly RecordedEvent[],
  from: Position,
  to: Position,
): Promise<void> {
  const { rowCount } = await client.query(
    `update ${POSITION_TABLES[build]} set position = $3 where projection = $1 and position = $2`,
    [projection.name, from, to],
  );
  if (rowCount !== 1)
    throw new TablesMoved(`The ${build} tables of ${projection.name} are not at ${from || 'the start'}`);
  const name = parkedEventsNameOf(projection, build);
  const parked = await applyBatch({ client, projection, build }, page, await readParkedStreams(client, name));
  await recordParkedEvents(client, name, parked);
}

/** Retries the parked events of every stream in which an admin has skipped a parked event. */
async function applySkipped(
  projection: Projection,
  build: OtherBuild,
  { store, pool }: FillDependencies,
  skipped: ReadonlySet<string>,
): Promise<void> {
  const { rows } = await pool.query<{ stream: StreamId }>(
    'select distinct stream from rm.parked_events where projection = $1 and event_id = any($2)',
    [parkedEventsNameOf(projection, build), [...skipped]],
  );
  for (const { stream } of rows)
    await inReadModelTransaction(pool, (client) =>
      retryParkedEvents(client, store, projection, build, stream, skipped),
    );
}
