import { setMaxListeners } from 'node:events';
import {
  EventStoreUnavailable,
  LogRewound,
  START_POSITION,
  type EventMeta,
  type EventStore,
  type LogMark,
  type Position,
  type RecordedEvent,
  type StreamId,
} from '@alpenglow/domain';
import type { Pool, QueryArrayConfig } from 'pg';
import {
  MAX_READ_EVENTS,
  checkAppend,
  checkPageSize,
  positionToCounter,
  startRevision,
  counterToPosition,
} from '../event-store-input.ts';
import { createBatcher } from '../../service/batcher.ts';
import { waitUnlessAborted } from '../../service/polling-and-slots.ts';
import { createAppender } from './event-store-appender.ts';
import { watchHead, type HeadWatch } from './event-store-head.ts';
import { isBrokenConnection, isOutage } from './errors.ts';
import { createPipeline } from './pipeline.ts';

const END = '9223372036854775807' as Position;
const RANGE_events = 200_000;
/** The number of events in each row that the SQL function `es.read` returns. */
const EVENTS_PER_ROW = 50;
const COLUMNS = 'e.position, e.stream, e.revision, e.id, e.type, e.version, e.data, e.meta';
/** The time limit of an append. An append may have to wait for the appends of other processes. */
const APPEND_TIMEOUT_ms = 10_000;
const FIRST_RETRY_WAIT_ms = 50;
const LONGEST_RETRY_WAIT_ms = 1_000;

interface StreamRead {
  readonly stream: StreamId;
  readonly from: number;
  readonly limit: number;
}

type EventRow = [
  position: string,
  stream: StreamId,
  revision: number,
  id: string,
  type: string,
  version: number,
  data: unknown,
  meta: EventMeta,
];

type ColumnsOf<Row extends unknown[]> = { [Column in keyof Row]: Row[Column][] };

/** A row of the SQL function `es.read` (migration 0057): for each column, the values of several events. */
type EventColumns = ColumnsOf<EventRow>;

export interface PostgresEventStoreOptions {
  /** The connection pool for reads. The caller closes the pool. */
  readonly pool: Pool;
  /**
   * The database for two further connections of the store. One connection appends events. The other connection listens
   * for notifications as soon as there is a subscription.
   */
  readonly connectionString: string;
  /**
   * The number of events that one SQL statement searches when only events of some types are read. Defaults to 200,000.
   */
  readonly range_events?: number;
}

/**
 * Creates the event store on Postgres tables (migrations 0001 and 0057). Any number of processes may use the same
 * database.
 */
export function createPostgresEventStore({
  pool,
  connectionString,
  range_events = RANGE_events,
}: PostgresEventStoreOptions): EventStore {
  // Appends use a separate connection, so that slow reads never delay them.
  const pipeline = createPipeline({
    connectionString,
    applicationName: 'alpenglow-events-append',
    statementTimeout_ms: APPEND_TIMEOUT_ms,
  });
  const appender = createAppender(pipeline, (position) => watch?.advance(position));
  let watch: HeadWatch | null = null;
  let closed = false;

  async function query<Row extends unknown[] = EventRow>(config: QueryArrayConfig): Promise<Row[]> {
    if (closed) throw new EventStoreUnavailable('The event store is closed');
    for (let isRepeat = false; ; isRepeat = true) {
      try {
        const { rows } = await pool.query<Row>(config);
        return rows;
      } catch (cause) {
        // An idle connection of the pool may have broken. The query is repeated once, because another connection may
        // work.
        if (isBrokenConnection(cause) && !isRepeat) continue;
        throw isOutage(cause) ? new EventStoreUnavailable('The event store cannot be reached', { cause }) : cause;
      }
    }
  }

  /** Returns at most `limit` events between two positions. `types` are the event types, or null for all types. */
  async function readBetween(
    after: string,
    until: Position,
    limit: number,
    types: readonly string[] | null = null,
  ): Promise<RecordedEvent[]> {
    const rows = await query<EventColumns>({
      rowMode: 'array',
      name: 'es-read',
      text: `select * from es.read($1, $2, $3, $4, ${EVENTS_PER_ROW})`,
      values: [after, until, limit, types],
    });
    return rows.flatMap(toRecordedEvents);
  }

  /**
   * Returns the events of some types between two positions. Searches the log in ranges of limited size, so that no
   * statement takes long, even if events of these types are rare.
   */
  async function readTypesBetween(
    after: Position,
    until: Position,
    limit: number,
    types: readonly string[],
  ): Promise<RecordedEvent[]> {
    const events: RecordedEvent[] = [];
    for (let from = after; from < until && events.length < limit; ) {
      // Positions of this store are consecutive numbers, so a range of positions contains a fixed number of events
      // (decision 0003).
      const rangeEnd = counterToPosition(Number(positionToCounter(from)) + range_events);
      const to = until < rangeEnd ? until : rangeEnd;
      const found = await readBetween(positionToCounter(from), to, limit - events.length, types);
      for (const event of found) events.push(event);
      from = to;
    }
    return events;
  }

  const readForwards = createBatcher(async (reads: readonly StreamRead[]) => {
    const rows = await query<[n: string, ...EventRow]>({
      rowMode: 'array',
      name: 'es-read-streams',
      text: `select asked.n, ${COLUMNS}
               from unnest($1::text[], $2::integer[], $3::integer[])
                    with ordinality as asked (stream, revision, most, n)
              cross join lateral (
                select * from es.events e
                 where e.stream = asked.stream and e.revision >= asked.revision
                 order by e.revision limit asked.most) as e
              order by asked.n, e.revision`,
      values: [reads.map(({ stream }) => stream), reads.map(({ from }) => from), reads.map(({ limit }) => limit)],
    });
    const results: RecordedEvent[][] = reads.map(() => []);
    for (const [n, ...row] of rows) results[Number(n) - 1]?.push(toRecorded(row));
    return results;
  });

  /**
   * Returns the event at `from` and up to 1,000 later events. The single statement shows whether the log still contains
   * the event at `from`, so no later event is read of a log that was replaced.
   */
  const readFrom = (from: Position, until: Position): Promise<RecordedEvent[]> =>
    readBetween(String(BigInt(positionToCounter(from)) - 1n), until < from ? from : until, MAX_READ_EVENTS + 1);

  /** Returns the events of a page after `cursor`. Throws `LogRewound` if the page does not begin with its event. */
  function eventsAfter(cursor: LogMark, page: readonly RecordedEvent[]): readonly RecordedEvent[] {
    if (cursor.position === START_POSITION) return page.slice(0, MAX_READ_EVENTS);
    const [first] = page;
    if (first?.position === cursor.position && (cursor.id ?? first.id) === first.id) return page.slice(1);
    throw new LogRewound(cursor.position);
  }

  async function headMark(): Promise<LogMark> {
    const [row] = await query<[position: string, id: string]>({
      rowMode: 'array',
      name: 'es-head',
      text: 'select position, id from es.events order by position desc limit 1',
    });
    return row ? { position: counterToPosition(row[0]), id: row[1] } : { position: START_POSITION, id: null };
  }

  const head = async (): Promise<Position> => (await headMark()).position;

  /**
   * Returns the result of `read`. Repeats `read` during an outage, so that a subscription survives a restart of
   * Postgres. Returns null if the signal aborts first.
   */
  async function readThroughOutages(
    read: () => Promise<RecordedEvent[]>,
    signal: AbortSignal,
  ): Promise<RecordedEvent[] | null> {
    for (
      let wait_ms = FIRST_RETRY_WAIT_ms;
      !signal.aborted && !closed;
      wait_ms = Math.min(wait_ms * 2, LONGEST_RETRY_WAIT_ms)
    ) {
      try {
        return await read();
      } catch (error) {
        if (!(error instanceof EventStoreUnavailable)) throw error;
        await waitUnlessAborted(wait_ms, signal);
      }
    }
    return null;
  }

  return {
    append: async (stream, events, { expectedRevision }) =>
      appender.append(checkAppend(stream, events, expectedRevision)),

    async readStream(stream, { from, direction = 'forwards', limit } = {}) {
      const read = { stream, from: startRevision(from, direction), limit: checkPageSize(limit) };
      if (direction === 'forwards') return readForwards(read);
      const rows = await query({
        rowMode: 'array',
        name: 'es-read-stream-backwards',
        text: `select ${COLUMNS} from es.events e where stream = $1 and revision <= $2 order by revision desc limit $3`,
        values: [read.stream, read.from, read.limit],
      });
      return rows.map(toRecorded);
    },

    async readAll({ after, limit, types }) {
      const max = checkPageSize(limit);
      const counter = positionToCounter(after);
      return types ? readTypesBetween(after, await head(), max, types) : readBetween(counter, END, max);
    },

    readHead: head,

    async findEventId(position) {
      const [row] = await query<[id: string]>({
        rowMode: 'array',
        name: 'es-event-id',
        text: 'select id from es.events where position = $1',
        values: [positionToCounter(position)],
      });
      return row?.[0] ?? null;
    },

    async *subscribeAll({ after, afterId = null, types, signal }) {
      positionToCounter(after);
      // Any number of subscriptions may share one signal, so Node's warning about many listeners is disabled.
      setMaxListeners(0, signal);
      const wanted = types && new Set(types);
      let cursor: LogMark = { position: after, id: afterId };
      while (!signal.aborted && !closed) {
        watch ??= watchHead(connectionString, headMark);
        const until = await watch.waitForChange(cursor, signal);
        if (until === null) return;
        const { position } = cursor;
        const page = await readThroughOutages(() => readFrom(position, until), signal);
        if (page === null) return;
        const events = eventsAfter(cursor, page);
        const last = events.at(-1);
        if (!last) {
          // The end of the log has moved meanwhile. The next check of the end reports where it is.
          await waitUnlessAborted(FIRST_RETRY_WAIT_ms, signal);
          continue;
        }
        cursor = { position: last.position, id: last.id };
        const delivered = wanted ? events.filter(({ type }) => wanted.has(type)) : events;
        if (delivered.length > 0) yield delivered;
      }
    },

    async close() {
      closed = true;
      await appender.close();
      await watch?.close();
      await pipeline.end();
    },
  };
}

function toRecorded([position, stream, revision, id, type, version, data, meta]: EventRow): RecordedEvent {
  return { position: counterToPosition(position), stream, revision, id, type, version, data, meta };
}

/** Returns the events of a row of `es.read`. */
function toRecordedEvents([positions, streams, revisions, ids, types, versions, datas, metas]: EventColumns) {
  return positions.map((position, n) =>
    toRecorded([position, streams[n], revisions[n], ids[n], types[n], versions[n], datas[n], metas[n]] as EventRow),
  );
}
