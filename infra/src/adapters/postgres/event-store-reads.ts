import {
  EventStoreUnavailable,
  START_POSITION,
  type EventMeta,
  type LogMark,
  type Position,
  type RecordedEvent,
  type StreamId,
} from '@alpenglow/domain';
import type { Pool, QueryArrayConfig } from 'pg';
import { createBatcher } from '../../service/batcher.ts';
import { counterToPosition, MAX_READ_EVENTS, positionToCounter } from '../event-store-input.ts';
import { isBrokenConnection, isOutage } from './errors.ts';

const END = '9223372036854775807' as Position;
/** The number of events in each row that the SQL function `es.read` returns. */
const EVENTS_PER_ROW = 50;
const COLUMNS = 'e.position, e.stream, e.revision, e.id, e.type, e.version, e.data, e.meta';

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

interface EventReadsOptions {
  readonly pool: Pool;
  /** The number of events that one SQL statement searches when only events of some types are read. */
  readonly range_events: number;
  readonly isClosed: () => boolean;
}

/** Creates the statements that read events. They own no state. */
export function createEventReads({ pool, range_events, isClosed }: EventReadsOptions) {
  async function query<Row extends unknown[] = EventRow>(config: QueryArrayConfig): Promise<Row[]> {
    if (isClosed()) throw new EventStoreUnavailable('The event store is closed');
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

  /**
   * Returns at most `limit` events after `after`, up to and including `until`. `types` are the event types, or null for
   * all types.
   */
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

  async function readBackwards(read: StreamRead): Promise<RecordedEvent[]> {
    const rows = await query({
      rowMode: 'array',
      name: 'es-read-stream-backwards',
      text: `select ${COLUMNS} from es.events e where stream = $1 and revision <= $2 order by revision desc limit $3`,
      values: [read.stream, read.from, read.limit],
    });
    return rows.map(toRecorded);
  }

  /**
   * Returns the event at `from` and up to 1,000 later events. Because one statement reads all of them, the caller
   * can see whether the log was replaced.
   */
  const readFrom = (from: Position, until: Position): Promise<RecordedEvent[]> =>
    readBetween(String(BigInt(positionToCounter(from)) - 1n), until < from ? from : until, MAX_READ_EVENTS + 1);

  async function headMark(): Promise<LogMark> {
    const [row] = await query<[position: string, id: string]>({
      rowMode: 'array',
      name: 'es-head',
      text: 'select position, id from es.events order by position desc limit 1',
    });
    return row ? { position: counterToPosition(row[0]), id: row[1] } : { position: START_POSITION, id: null };
  }

  async function findEventId(position: Position): Promise<string | null> {
    const [row] = await query<[id: string]>({
      rowMode: 'array',
      name: 'es-event-id',
      text: 'select id from es.events where position = $1',
      values: [positionToCounter(position)],
    });
    return row?.[0] ?? null;
  }

  return {
    /** Returns events of a stream, the first one first. */
    readForwards,
    /** Returns events of a stream, the last one first. */
    readBackwards,
    /** Returns at most `limit` events after a position. */
    readAfter: (after: Position, limit: number): Promise<RecordedEvent[]> =>
      readBetween(positionToCounter(after), END, limit),
    readTypesBetween,
    readFrom,
    headMark,
    findEventId,
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
