import { comparePositions, type LogMark, type RecordedEvent, type StreamId } from '@alpenglow/domain';
import { applyBatch } from '../apply-batch.ts';
import { readParkedStreams, recordParkedEvents } from '../checkpoints/checkpoints.ts';
import { readHeadMark, requireInLog } from '../rebuild/log-marks.ts';
import { isContained, type ShardMarks } from '../shards/shards.ts';
import { parkedEventsNameOf, type Build, type Projection } from '../projection.ts';
import type { FillDependencies } from '../rebuild/fill-tables.ts';
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
 * process is killed. `contained` lists for each shard the event up to which the tables contain its events, if some
 * shards contain later events than `from`. Returns the last event. Throws `TablesMoved` if another process has changed
 * the tables. Throws `LogRewound` if the log has lost an event that the tables contain. Rejects if `signal` aborts.
 */
export async function catchUpTables(
  projection: Projection,
  build: OtherBuild,
  { store, pool }: FillDependencies,
  from: LogMark,
  {
    until,
    signal,
    contained = null,
  }: { readonly until?: LogMark; readonly signal: AbortSignal; readonly contained?: ShardMarks | null },
): Promise<LogMark> {
  const skipped = await readSkippedEventIds(store, projection);
  await applySkipped(projection, build, { store, pool }, skipped);
  const end = until ?? (await readHeadMark(store));
  const types = Object.keys(projection.on);
  for (let mark = from; ; ) {
    signal.throwIfAborted();
    const page = (await store.readAll({ after: mark.position, limit: PAGE_events, types })).filter(
      (event) => comparePositions(event.position, end.position) <= 0,
    );
    // This check comes after the read, so the page is from the same state of the log as the tables.
    await requireInLog(store, mark);
    const isLast = page.length < PAGE_events;
    // The projection does not handle the events between the last page and `end`. The tables are therefore complete up
    // to `end`.
    const after = mark;
    const to = isLast ? (comparePositions(after.position, end.position) < 0 ? end : after) : (page.at(-1) ?? after);
    const unskipped = page.filter((event) => !skipped.has(event.id) && !(contained && isContained(contained, event)));
    if (to.position !== after.position)
      await inReadModelTransaction(pool, (client) => applyAndMove({ client, projection, build }, unskipped, after, to));
    mark = { position: to.position, id: to.id };
    if (isLast) return mark;
  }
}

async function applyAndMove(
  { client, projection, build }: Tables & { readonly build: OtherBuild },
  page: readonly RecordedEvent[],
  from: LogMark,
  to: LogMark,
): Promise<void> {
  const { rowCount } = await client.query(
    `update ${POSITION_TABLES[build]} set position = $3, event_id = $4, event_position = $3
      where projection = $1 and position = $2`,
    [projection.name, from.position, to.position, to.id],
  );
  if (rowCount !== 1)
    throw new TablesMoved(`The ${build} tables of ${projection.name} are not at ${from.position || 'the start'}`);
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
