import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import {
  EventStoreUnavailable,
  START,
  type EventMeta,
  type EventStore,
  type Position,
  type RecordedEvent,
} from '@alpenglow/domain';
import { LRUCache } from 'lru-cache';
import type { Pool, QueryArrayConfig } from 'pg';
import {
  MAX_READ_EVENTS,
  checkAppend,
  pageSize,
  positionToNumber,
  startRevision,
  toPosition,
} from '../event-store-input.ts';
import { gathered } from '../../gathered.ts';
import { createAppender } from './event-store-appender.ts';
import { watchHead, type HeadWatch } from './event-store-head.ts';
import { isBrokenConnection, isOutage } from './errors.ts';
import { createPipeline } from './pipeline.ts';

const END = '9223372036854775807' as Position;
const STRETCH_events = 200_000;
/** A page of history comes in so many events a row, as one JSON text: the driver takes far longer over rows of columns than JSON.parse over texts. */
const TOGETHER_events = 50;
const COLUMNS = 'e.position, e.stream, e.revision, e.id, e.type, e.version, e.data, e.meta';
/** How long an append may wait for other processes' appends. */
const APPEND_TIMEOUT_ms = 10_000;
const FIRST_RETRY_WAIT_ms = 50;
const LONGEST_RETRY_WAIT_ms = 1_000;
/** A page of the newest events serves, for so long, every subscription that has come as far. */
const PAGE_SHARED_ms = 1_000;
const PAGES_SHARED = 8;

interface StreamRead {
  readonly stream: string;
  readonly from: number;
  readonly limit: number;
}

type EventRow = [
  position: string,
  stream: string,
  revision: number,
  id: string,
  type: string,
  version: number,
  data: unknown,
  meta: EventMeta,
];

export interface PostgresEventStoreOptions {
  /** Reads go through this pool, which stays the caller's to end. */
  readonly pool: Pool;
  /** For the two connections the store keeps for itself: one that appends and, once somebody subscribes, one that listens. */
  readonly connectionString: string;
  /** How many events one statement looks through for those of some types: 200,000 unless told. */
  readonly stretch_events?: number;
}

/** The event store on Postgres tables (migration 0001). Any number of processes may use the same database. */
export function createPostgresEventStore({
  pool,
  connectionString,
  stretch_events = STRETCH_events,
}: PostgresEventStoreOptions): EventStore {
  // A connection of its own, so that slow reads never hold up a write.
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
        // A connection of the pool that broke while it was idle is no reason to fail: another one may answer.
        if (isBrokenConnection(cause) && !isRepeat) continue;
        throw isOutage(cause) ? new EventStoreUnavailable('The event store cannot be reached', { cause }) : cause;
      }
    }
  }

  async function readBetween(after: Position, until: Position, limit: number): Promise<RecordedEvent[]> {
    const rows = await query({
      rowMode: 'array',
      name: 'es-read-all',
      text: `select ${COLUMNS} from es.events e where position > $1 and position <= $2 order by position limit $3`,
      values: [positionToNumber(after), until, limit],
    });
    return rows.map(toRecorded);
  }

  /** The same of some types, in stretches: however rare they are, no statement runs for long. */
  async function readTypesBetween(
    after: Position,
    until: Position,
    limit: number,
    types: readonly string[],
  ): Promise<RecordedEvent[]> {
    const events: RecordedEvent[] = [];
    for (let from = after; from < until && events.length < limit; ) {
      // Positions here are counted without a gap (decision 0003).
      const stretchEnd = toPosition(Number(positionToNumber(from)) + stretch_events);
      const to = until < stretchEnd ? until : stretchEnd;
      const rows = await query<[events: EventRow[]]>({
        rowMode: 'array',
        name: 'es-read-types',
        text: `select json_agg(json_build_array(e.position::text, e.stream, e.revision, e.id, e.type, e.version, e.data, e.meta))
                 from (select ${COLUMNS}, row_number() over (order by position) as n from es.events e where position > $1 and position <= $2 and type = any ($4) order by position limit $3) as e
                group by (e.n - 1) / ${TOGETHER_events} order by min(e.position)`,
        values: [positionToNumber(from), to, limit - events.length, types],
      });
      for (const [together] of rows) for (const row of together) events.push(toRecorded(row));
      from = to;
    }
    return events;
  }

  const readForwards = gathered(async (asked: readonly StreamRead[]) => {
    const rows = await query<[asked: string, ...EventRow]>({
      rowMode: 'array',
      name: 'es-read-streams',
      text: `select asked.n, ${COLUMNS}
               from unnest($1::text[], $2::integer[], $3::integer[]) with ordinality as asked (stream, revision, most, n)
              cross join lateral (select * from es.events e where e.stream = asked.stream and e.revision >= asked.revision order by e.revision limit asked.most) as e
              order by asked.n, e.revision`,
      values: [asked.map(({ stream }) => stream), asked.map(({ from }) => from), asked.map(({ limit }) => limit)],
    });
    const found: RecordedEvent[][] = asked.map(() => []);
    for (const [n, ...row] of rows) found[Number(n) - 1]?.push(toRecorded(row));
    return found;
  });

  const pages = new LRUCache<string, Promise<RecordedEvent[]>>({ max: PAGES_SHARED, ttl: PAGE_SHARED_ms });

  /** What lies between two positions, read once for all subscriptions that have come as far at the same time. */
  function readShared(after: Position, until: Position): Promise<RecordedEvent[]> {
    const key = `${after}-${until}`;
    const known = pages.get(key);
    if (known) return known;
    const page = readBetween(after, until, MAX_READ_EVENTS);
    pages.set(key, page);
    page.catch(() => pages.delete(key));
    return page;
  }

  async function head(): Promise<Position> {
    const [row] = await query({ rowMode: 'array', name: 'es-head', text: 'select max(position) from es.events' });
    const last: string | null = row?.[0] ?? null;
    return last === null ? START : toPosition(last);
  }

  /** Reads until it succeeds: a subscription outlives a restart of Postgres. Null when the signal aborts first. */
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
        await pause(wait_ms, undefined, { signal }).catch(() => undefined);
      }
    }
    return null;
  }

  return {
    append: async (stream, events, { expectedRevision }) =>
      appender.append(checkAppend(stream, events, expectedRevision)),

    async readStream(stream, { from, direction = 'forwards', limit } = {}) {
      const asked = { stream, from: startRevision(from, direction), limit: pageSize(limit) };
      if (direction === 'forwards') return readForwards(asked);
      const rows = await query({
        rowMode: 'array',
        name: 'es-read-stream-backwards',
        text: `select ${COLUMNS} from es.events e where stream = $1 and revision <= $2 order by revision desc limit $3`,
        values: [asked.stream, asked.from, asked.limit],
      });
      return rows.map(toRecorded);
    },

    async readAll({ after, limit, types }) {
      const most = pageSize(limit);
      positionToNumber(after);
      return types ? readTypesBetween(after, await head(), most, types) : readBetween(after, END, most);
    },

    head,

    async *subscribeAll({ after, types, signal }) {
      positionToNumber(after);
      // Any number of subscriptions may share one signal.
      setMaxListeners(0, signal);
      const wanted = types && new Set(types);
      let cursor = after;
      // History is read by types alone; at its end, where all subscriptions stand together, one page serves them all.
      let isAtEnd = false;
      while (!signal.aborted && !closed) {
        watch ??= watchHead(connectionString, head);
        const until = await watch.beyond(cursor, signal);
        if (until === null) return;
        const from = cursor;
        const readHistory = () =>
          types ? readTypesBetween(from, until, MAX_READ_EVENTS, types) : readBetween(from, until, MAX_READ_EVENTS);
        const page = await readThroughOutages(isAtEnd ? () => readShared(from, until) : readHistory, signal);
        if (page === null) return;
        // A page that is not full has seen everything up to `until`, of the types asked for or not, so it is never scanned again.
        const isFull = page.length === MAX_READ_EVENTS;
        cursor = (isFull && page.at(-1)?.position) || until;
        const events = wanted && isAtEnd ? page.filter(({ type }) => wanted.has(type)) : page;
        isAtEnd = !isFull;
        if (events.length > 0) yield events;
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
  return { position: toPosition(position), stream, revision, id, type, version, data, meta };
}
