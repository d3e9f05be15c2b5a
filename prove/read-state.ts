import { setImmediate as immediately } from 'node:timers/promises';
import { findLiveKeys, toLiveMessage, type LiveSubject, type RecordedEvent, type StreamId } from '@alpenglow/domain';
import type { DataKeys, Pool, PoolClient } from '@alpenglow/infra';
import { PROJECTIONS, tableNameOf } from '@alpenglow/projectors';
import { shardNameOf } from '../projectors/src/shards/shards.ts';
import { tallyDifferences } from '../projectors/src/tallies.ts';
import { readEventStoreDbLog, toOrder, type EventLogPlace } from '../tests/support/event-log.ts';
import { createFold, indexAfterPosition, type Fold } from './fold.ts';
import type { LoggedEvent, TableDifference } from './history.ts';
import { liveIdentityOf } from './live-client.ts';
import { createLogCopy, type LogChanges, type ReadLogChanges } from './log-copy.ts';
import { SHARDS } from './system.ts';

const MAX_DIFFERENCES = 50;

type Queryable = Pool | PoolClient;

/** A consistent state of the product. */
export interface State {
  /** The decrypted events. Data whose key was destroyed has replacement values. */
  readonly log: readonly RecordedEvent[];
  /** Differences between the read models and the fold of the events up to their checkpoints. */
  readonly differences: readonly TableDifference[];
  /** The projections that have not applied all events, with their number of missing events. */
  readonly lags: ReadonlyMap<string, number>;
  /** The checkpoints of these projections. */
  readonly checkpointsBehind: ReadonlyMap<string, bigint>;
  /** The streams of accounts whose erasure was requested and is not complete. */
  readonly openErasures: ReadonlySet<string>;
}

/**
 * Reads the log and compares the read models with it. All tables are read in one transaction, because a projection
 * commits its rows together with its checkpoint. The state is therefore also exact while the product runs. A log in
 * EventStoreDB is read after the begin of the transaction, so it has all events that the tables contain. `keys` must be
 * without a cache of older keys.
 */
export type StateReader = (pool: Pool, keys: DataKeys) => Promise<State>;

/**
 * Creates a reader whose first call reads the whole log. Each further call reads and folds only what has changed, so
 * that its cost does not grow with the log.
 */
export function createStateReader(eventLog: EventLogPlace): StateReader {
  let copy: ReadLogChanges | null = null;
  const folds = new Map<string, Fold>();
  return async (pool, keys) => {
    const client = await pool.connect();
    const readLog = copy ?? createLogCopy(eventLog);
    // The next call reads everything if this one fails.
    copy = null;
    try {
      await client.query('begin isolation level repeatable read read only');
      const stored = await readCheckpoints(client);
      const changes = await readLog(client, keys);
      const log = changes.entries.map(({ event }) => event);
      const openErasures = new Set([...findOpenErasures(log), ...(await readOpenErasures(pool, eventLog))]);
      const checkpoints = new Map(stored.map(({ name, position }) => [name, position]));
      const withLostEvents = findProjectionsWithLostEvents(stored, log);
      const parked = await readParkedEvents(client);
      const head = changes.entries.at(-1)?.at ?? 0n;
      const lags = new Map<string, number>();
      const checkpointsBehind = new Map<string, bigint>();
      for (const { name } of PROJECTIONS) {
        const checkpoint = checkpoints.get(name);
        const isUnknown = checkpoint === undefined || withLostEvents.has(name);
        if (checkpoint === head && !isUnknown) continue;
        lags.set(name, isUnknown ? Infinity : log.length - indexAfterPosition(changes.entries, checkpoint));
        checkpointsBehind.set(name, checkpoint ?? 0n);
      }
      // After a loss of keys, events wait until the product has stored the keys again.
      for (const { consumer } of parked) lags.set(consumer, Infinity);
      const differences = await compareTables(client, changes, folds, checkpoints, { withLostEvents, parked });
      await client.query('commit');
      copy = readLog;
      return { log, differences, lags, checkpointsBehind, openErasures };
    } finally {
      // The connection is closed, because its transaction may have failed.
      client.release(true);
    }
  };
}

/**
 * Returns the jobs that were not processed yet. Jobs of mails about replies may wait for ten minutes, so only their
 * mails are checked.
 */
export async function findUnfinishedJobs(pool: Pool): Promise<readonly string[]> {
  const { rows } = await pool.query<{ job: string }>(
    `select kind || ' ' || job_id as job from jobs.unfinished where kind not like 'reply-mail%' order by enqueued_at`,
  );
  return rows.map(({ job }) => job);
}

/** Returns what the checker needs of the events. `known` has the results for the events of earlier calls. */
export function toLoggedEvents(
  log: readonly RecordedEvent[],
  known = new WeakMap<RecordedEvent, LoggedEvent>(),
): readonly LoggedEvent[] {
  const subjects = new Map<string, LiveSubject>();
  return log.map((event) => {
    const before = known.get(event);
    if (before && !CREATIONS.has(event.type)) return before;
    const { position, stream, revision, id, type, meta } = event;
    const message = toLiveMessage(event);
    const at = toOrder(position);
    const subjectId = message && ('adId' in message ? message.adId : message.threadId);
    if (subjectId !== null && CREATIONS.has(type)) subjects.set(subjectId, toLiveSubject(event));
    const logged: LoggedEvent = {
      position: at,
      stream,
      revision,
      id,
      type,
      correlationId: meta.correlationId,
      causationId: meta.causationId,
      accountId: meta.actor.kind === 'account' ? meta.actor.accountId : null,
      liveIdentity: message && liveIdentityOf(message, at),
      liveKeys: message && findLiveKeys(message, subjects.get(subjectId ?? '') ?? null),
    };
    known.set(event, logged);
    return logged;
  });
}

/** The events that create the subject of a live message. The clients of a run move no ad and no thread. */
const CREATIONS: ReadonlySet<string> = new Set(['AdPosted', 'ThreadStarted']);

/** Returns the ad or thread that an event has created, with its place. */
function toLiveSubject({ type, data, meta }: RecordedEvent): LiveSubject {
  const accountId = meta.actor.kind === 'account' ? meta.actor.accountId : '';
  const place = data as Readonly<Record<'country' | 'state' | 'city' | 'category', string>>;
  const { country, state, city, category } = place;
  return type === 'AdPosted' ? { accountId, places: [{ state, city, category }] } : { accountId, country, state, city };
}

/** The checkpoint of a projection or of one of its shards. */
export interface StoredCheckpoint {
  readonly name: string;
  /** The position up to which all events are applied. */
  readonly position: bigint;
  /** The id of the event at this position. Null if it is unknown. */
  readonly eventId: string | null;
  /** True if the projection has recorded that the log has lost events that the tables contain. */
  readonly isLossRecorded: boolean;
}

async function readCheckpoints(client: Queryable): Promise<readonly StoredCheckpoint[]> {
  const { rows } = await client.query<Omit<StoredCheckpoint, 'position'> & { position: string }>(
    `select name, coalesce(nullif(position, ''), '0') as position,
            case when event_position = position then event_id end as "eventId",
            lost_position is not null as "isLossRecorded"
       from rm.checkpoints`,
  );
  return rows.map((row) => ({ ...row, position: toOrder(row.position) }));
}

/**
 * Returns the names of the projections whose tables contain events that the log has lost. The product notices this when
 * the projection reads the log again, and then rebuilds the tables.
 */
export function findProjectionsWithLostEvents(
  checkpoints: readonly StoredCheckpoint[],
  log: readonly Pick<RecordedEvent, 'position' | 'id'>[],
): ReadonlySet<string> {
  const ids = new Map(log.map(({ position, id }) => [toOrder(position), id]));
  const isLost = ({ position, eventId, isLossRecorded }: StoredCheckpoint) => {
    if (isLossRecorded) return true;
    return position > 0n && (!ids.has(position) || (eventId !== null && ids.get(position) !== eventId));
  };
  return new Set(checkpoints.filter(isLost).map(({ name }) => name.replace(/#\d+$/u, '')));
}

/**
 * Returns the number of events that the slowest projection has not applied yet. `positions` are those of all events.
 * They are used only if events are in EventStoreDB.
 */
export async function readLag(pool: Pool, eventLog: EventLogPlace, positions: readonly bigint[]): Promise<number> {
  if (eventLog.kind === 'eventstoredb') {
    const names = new Set(PROJECTIONS.map(({ name }) => name));
    const checkpoints = (await readCheckpoints(pool)).filter(({ name }) => names.has(name));
    const slowest = checkpoints.reduce<bigint | null>(
      (least, { position }) => (least === null || position < least ? position : least),
      null,
    );
    return slowest === null ? 0 : positions.filter((position) => position > slowest).length;
  }
  const { rows } = await pool.query<{ lag: number }>(
    `select coalesce(max(h.head - coalesce(nullif(c.position, '')::bigint, 0)), 0)::integer as lag
       from rm.checkpoints c, (select coalesce(max(position), 0) as head from es.events) h
      where c.name = any($1)`,
    [PROJECTIONS.map(({ name }) => name)],
  );
  return rows[0]?.lag ?? 0;
}

/**
 * Compares every table of the read models with the fold of the events up to its checkpoint. Postgres converts both
 * sides to the types of the columns. Parked events count as a difference.
 */
async function compareTables(
  client: Queryable,
  changes: LogChanges,
  folds: Map<string, Fold>,
  checkpoints: ReadonlyMap<string, bigint>,
  { withLostEvents, parked }: { withLostEvents: ReadonlySet<string>; parked: readonly ParkedEvent[] },
): Promise<readonly TableDifference[]> {
  const differences: TableDifference[] = [];
  for (const projection of PROJECTIONS) {
    const checkpoint = checkpoints.get(projection.name);
    const fold = folds.get(projection.name) ?? createFold(projection);
    folds.delete(projection.name);
    // The projection has no tables yet. The lag shows it.
    if (checkpoint === undefined) continue;
    const pending = withLostEvents.has(projection.name)
      ? 'lost events'
      : parked.some(({ consumer }) => consumer === projection.name) && 'parked events';
    differences.push(...findShardDifferences(projection.name, checkpoints, SHARDS.get(projection.name)));
    const shards = shardCheckpointsOf(projection.name, checkpoints);
    // A shard contains the events of its streams up to its own checkpoint, which can be after that of the projection.
    const rows = fold(changes, shards.length === 0 ? [checkpoint] : shards);
    folds.set(projection.name, fold);
    // The checker forwards the connections of the product, which must not wait for all folds.
    await immediately();
    const counts = (projection.tallies ?? []).map((tally) => ({
      table: tableNameOf(tally, 'live'),
      source: countsWithChanges(tally.name, tableNameOf(tally, 'live')),
      keyColumn: 'key',
      rows: [...tallyDifferences(tally, new Map(), rows)].map(([key, count]) => ({ key, count })),
    }));
    const keyColumn = Object.keys(projection.columns)[0] ?? '';
    const liveTable = tableNameOf(projection, 'live');
    for (const { table, source, keyColumn: column, rows: expected } of [
      { table: liveTable, source: liveTable, keyColumn, rows: [...rows.values()] },
      ...counts,
    ]) {
      const { rows: found } = await client.query<{ side: string; key: string; row: string }>(
        `with fold as (select to_jsonb(p) as row from json_populate_recordset(null::${table}, $1::json) p),
              stored as (select to_jsonb(t) as row from ${source} t)
         select 'table' as side, a.row->>$2 as key, a.row::text as row
           from (select row from stored except all select row from fold) a
         union all
         select 'fold', b.row->>$2, b.row::text from (select row from fold except all select row from stored) b
         order by key limit ${MAX_DIFFERENCES}`,
        [JSON.stringify(expected), column],
      );
      const side = (name: string) => found.filter((row) => row.side === name).map(({ row }) => row);
      const keys = [...new Set(found.map(({ key }) => key))];
      if (found.length > 0)
        differences.push({
          table,
          keys,
          onlyInTable: side('table'),
          onlyInFold: side('fold'),
          ...(pending && { pending }),
        });
    }
  }
  const texts = parked.map(({ row }) => row);
  if (parked.length > 0)
    differences.push({
      table: 'rm.parked_events',
      keys: texts,
      onlyInTable: texts,
      onlyInFold: [],
      pending: 'parked events',
    });
  return differences;
}

/** An event that a projection or a reactor could not handle. */
interface ParkedEvent {
  readonly consumer: string;
  readonly row: string;
}

async function readParkedEvents(client: Queryable): Promise<readonly ParkedEvent[]> {
  const { rows } = await client.query<ParkedEvent>(
    'select projection as consumer, p::text as row from rm.parked_events p',
  );
  return rows;
}

/** Returns the checkpoints of the shards of a projection by index. The list is empty if the projection has none. */
function shardCheckpointsOf(name: string, checkpoints: ReadonlyMap<string, bigint>): readonly bigint[] {
  const shards: bigint[] = [];
  for (let index = 0; ; index += 1) {
    const checkpoint = checkpoints.get(shardNameOf({ name }, index));
    if (checkpoint === undefined) return shards;
    shards.push(checkpoint);
  }
}

/**
 * Returns a difference if a projection does not have `count` shards, or if its checkpoint is after the checkpoint of a
 * shard. Without a count, the projection must have no shards.
 */
export function findShardDifferences(
  name: string,
  checkpoints: ReadonlyMap<string, bigint>,
  count = 0,
): readonly TableDifference[] {
  const shards = shardCheckpointsOf(name, checkpoints);
  const whole = checkpoints.get(name) ?? 0n;
  const texts = [
    ...(shards.length === count ? [] : [`${name} has ${shards.length} shards, and ${count} are configured`]),
    ...shards.flatMap((shard, index) =>
      whole > shard ? [`${name} is at ${whole}, after its shard ${index} at ${shard}`] : [],
    ),
  ];
  return texts.length === 0 ? [] : [{ table: 'rm.checkpoints', keys: [name], onlyInTable: texts, onlyInFold: [] }];
}

/**
 * Returns SQL for the counts of a tally together with the changes that shards have stored and not yet added. A stored
 * count of 0 or less is always an error. It is returned without the changes, so that they cannot hide it. The fold
 * contains only positive counts, so the comparison reports it.
 */
export function countsWithChanges(tally: string, table: string): string {
  return `(select key, coalesce(min(count) filter (where is_stored and count <= 0), sum(count))::integer as count
             from (select key, count, true as is_stored from ${table}
                   union all
                   select key, change, false from rm.tally_changes where tally = '${tally}') as counts
            group by key having sum(count) <> 0 or bool_or(is_stored and count <= 0))`;
}

/** Returns the streams of the accounts whose erasure was requested and is not complete. */
function findOpenErasures(log: readonly Pick<RecordedEvent, 'type' | 'stream'>[]): readonly string[] {
  const open = new Set<string>();
  for (const { type, stream } of log) {
    if (type === 'ErasureRequested') open.add(stream);
    if (type === 'ErasureCompleted') open.delete(stream);
  }
  return [...open];
}

async function readOpenErasures(pool: Pool, eventLog: EventLogPlace): Promise<readonly string[]> {
  if (eventLog.kind === 'eventstoredb') return findOpenErasures(await readEventStoreDbLog(eventLog));
  const { rows } = await pool.query<{ type: string; stream: StreamId }>(
    `select type, stream from es.events where type in ('ErasureRequested', 'ErasureCompleted') order by position`,
  );
  return findOpenErasures(rows);
}
