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

/** Thrown if a page of events was read too long ago. */
class StalePage extends Error {
  override readonly name = 'StalePage';
}

const PAGE_events = 500;
/**
 * The time after which a page is read again. A purge of these tables begins a second after the keys of the data have
 * left all caches, and a page that was decrypted before must not be applied after it.
 */
const PAGE_AGE_ms = 1_000;

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
  let limit = PAGE_events;
  for (let mark = from; ; ) {
    signal.throwIfAborted();
    const readAt_ms = performance.now();
    const page = (await store.readAll({ after: mark.position, limit, types })).filter(
      (event) => comparePositions(event.position, end.position) <= 0,
    );
    // This check comes after the read, so the page is from the same state of the log as the tables.
    await requireInLog(store, mark);
    const isLast = page.length < limit;
    // The projection does not handle the events between the last page and `end`. The tables are therefore complete up
    // to `end`.
    const after = mark;
    const to = isLast ? (comparePositions(after.position, end.position) < 0 ? end : after) : (page.at(-1) ?? after);
    const unskipped = page.filter((event) => !skipped.has(event.id) && !(contained && isContained(contained, event)));
    if (to.position !== after.position)
      try {
        await inReadModelTransaction(pool, (client) =>
          applyAndMove({ client, projection, build }, { events: unskipped, readAt_ms }, after, to),
        );
      } catch (error) {
        if (!(error instanceof StalePage)) throw error;
        // A smaller page is read faster, so a slow store causes no endless loop.
        limit = Math.max(1, Math.floor(limit / 2));
        continue;
      }
    mark = { position: to.position, id: to.id };
    if (isLast) return mark;
  }
}

async function applyAndMove(
  { client, projection, build }: Tables & { readonly build: OtherBuild },
  { events, readAt_ms }: { readonly events: readonly RecordedEvent[]; readonly readAt_ms: number },
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
  // A purge locks the same row, so it runs either before this check or after this transaction.
  if (events.length > 0 && performance.now() - readAt_ms > PAGE_AGE_ms) throw new StalePage();
  const name = parkedEventsNameOf(projection, build);
  const parked = await applyBatch({ client, projection, build }, events, await readParkedStreams(client, name));
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
