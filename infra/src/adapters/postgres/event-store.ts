import { setMaxListeners } from 'node:events';
import {
  EventStoreUnavailable,
  LogRewound,
  START_POSITION,
  type EventStore,
  type LogMark,
  type Position,
  type RecordedEvent,
} from '@alpenglow/domain';
import type { Pool } from 'pg';
import { checkAppend, checkPageSize, MAX_READ_EVENTS, positionToCounter, startRevision } from '../event-store-input.ts';
import { waitUnlessAborted } from '../../service/polling-and-slots.ts';
import { createAppender } from './event-store-appender.ts';
import { watchHead, type HeadWatch } from './event-store-head.ts';
import { createEventReads } from './event-store-reads.ts';
import { createPipeline } from './pipeline.ts';

const RANGE_events = 200_000;
/** The time limit of an append. An append may have to wait for the appends of other processes. */
const APPEND_TIMEOUT_ms = 10_000;
const FIRST_RETRY_WAIT_ms = 50;
const LONGEST_RETRY_WAIT_ms = 1_000;

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
 * Creates the event store on Postgres tables (migrations 0001, 0057 and 0080). Any number of processes may use the
 * same database.
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
  const reads = createEventReads({ pool, range_events, isClosed: () => closed });
  const head = async (): Promise<Position> => (await reads.headMark()).position;

  return {
    append: async (stream, events, { expectedRevision }) =>
      appender.append(checkAppend(stream, events, expectedRevision)),

    async readStream(stream, { from, direction = 'forwards', limit } = {}) {
      const read = { stream, from: startRevision(from, direction), limit: checkPageSize(limit) };
      return direction === 'forwards' ? reads.readForwards(read) : reads.readBackwards(read);
    },

    async readAll({ after, limit, types }) {
      const max = checkPageSize(limit);
      // Throws for an invalid position.
      positionToCounter(after);
      return types ? reads.readTypesBetween(after, await head(), max, types) : reads.readAfter(after, max);
    },

    readHead: head,

    findEventId: (position) => reads.findEventId(position),

    async *subscribeAll({ after, afterId = null, types, signal }) {
      positionToCounter(after);
      // Any number of subscriptions may share one signal, so Node's warning about many listeners is disabled.
      setMaxListeners(0, signal);
      const wanted = types && new Set(types);
      let cursor: LogMark = { position: after, id: afterId };
      while (!signal.aborted && !closed) {
        watch ??= watchHead(connectionString, reads.headMark);
        const until = await watch.waitForChange(cursor, signal);
        if (until === null) return;
        const { position } = cursor;
        const page = await readThroughOutages(
          () => reads.readFrom(position, until),
          signal,
          () => closed,
        );
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

/** Returns the events of a page after `cursor`. Throws `LogRewound` if the page does not begin with its event. */
function eventsAfter(cursor: LogMark, page: readonly RecordedEvent[]): readonly RecordedEvent[] {
  if (cursor.position === START_POSITION) return page.slice(0, MAX_READ_EVENTS);
  const [first] = page;
  if (first?.position === cursor.position && (cursor.id ?? first.id) === first.id) return page.slice(1);
  throw new LogRewound(cursor.position);
}

/**
 * Returns the result of `read`. Repeats `read` during an outage, so that a subscription survives a restart of
 * Postgres. Returns null if the signal aborts first.
 */
async function readThroughOutages(
  read: () => Promise<RecordedEvent[]>,
  signal: AbortSignal,
  isClosed: () => boolean,
): Promise<RecordedEvent[] | null> {
  for (
    let wait_ms = FIRST_RETRY_WAIT_ms;
    !signal.aborted && !isClosed();
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
