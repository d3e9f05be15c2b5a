import { setMaxListeners } from 'node:events';
import { EventStoreUnavailable, type EventStore, type Position } from '@alpenglow/domain';
import type { Logger } from '../../service/logger.ts';
import { checkAppend, isStreamName, checkPageSize, startRevision } from '../event-store-input.ts';
import { createAppender } from './appender.ts';
import { createBatchAppends } from './batch-appends.ts';
import { connectEventStoreDb, openBatchCall } from './client.ts';
import { createOwnEvents } from './envelope.ts';
import { createForeignEventCounter } from './foreign-events.ts';
import { createOutageLog } from './outage-log.ts';
import { createReader } from './reader.ts';
import { REQUEST_TIMEOUT_ms, withDeadline } from './request.ts';
import { createEventIdCache } from './event-id-cache.ts';
import { subscribe } from './subscription.ts';

export interface EventStoreDbOptions {
  readonly log: Logger;
  /**
   * The beginning of the names of our streams on the server. Installations that share a server have different ones.
   * Default: empty, so every stream may contain our events.
   */
  readonly streamPrefix?: string;
  /** Called with the type of each event of another application that a subscription has skipped. */
  readonly onForeignEvent?: (type: string) => void;
  /** The waits before a loss is confirmed, and before a silent subscription is compared with the log. Default: 2 s. */
  readonly confirmAfter_ms?: number;
  readonly stallCheck_ms?: number;
}

/**
 * Opens an event store on EventStoreDB from 22.10 on, or on KurrentDB (decision 0018). `url` is a connection string in
 * the format of these servers. Events of other applications are skipped (decision 0113). Does not wait for the server,
 * so later requests report an outage. Rejects if the address is invalid.
 */
export async function openEventStoreDb(
  url: string,
  { log, streamPrefix = '', onForeignEvent = () => undefined, ...waits }: EventStoreDbOptions,
): Promise<EventStore> {
  const connection = connectEventStoreDb(url, log);
  const { client } = connection;
  const [readsClosed, subscriptionsClosed] = [new AbortController(), new AbortController()];
  setMaxListeners(0, readsClosed.signal, subscriptionsClosed.signal);
  const own = createOwnEvents(streamPrefix);
  const reader = createReader(client, readsClosed.signal, own, waits);
  const ids = createEventIdCache();
  const outages = createOutageLog(log);
  const batches = createBatchAppends((handlers) => openBatchCall(client, handlers, own));
  const appender = createAppender(client, reader, ids, batches, own);
  const foreignEvents = createForeignEventCounter(onForeignEvent);

  function requireOpen(): void {
    if (subscriptionsClosed.signal.aborted) throw new EventStoreUnavailable('The event store is closed');
  }

  return {
    append: async (stream, events, { expectedRevision }) =>
      appender.append(checkAppend(stream, events, expectedRevision)),

    async readStream(stream, { from, direction = 'forwards', limit } = {}) {
      const page = {
        direction,
        limit: checkPageSize(limit),
        from: from === undefined ? undefined : startRevision(from, direction),
      };
      requireOpen();
      if (!isStreamName(stream)) return [];
      const events = await reader.readStream(stream, page);
      if (direction === 'forwards') ids.add(stream, page.from ?? 0, events);
      return events;
    },

    async readAll({ after, limit, types }) {
      requireOpen();
      return reader.readAll(after, checkPageSize(limit), types);
    },

    async readHead(): Promise<Position> {
      requireOpen();
      return reader.head();
    },

    async findEventId(position, expected) {
      requireOpen();
      return reader.findEventId(position, expected);
    },

    subscribeAll({ after, afterId = null, types, signal }) {
      // Any number of subscriptions may share one signal, so Node's warning about many listeners is disabled.
      setMaxListeners(0, signal);
      return subscribe(client, {
        after: { position: after, id: afterId },
        types,
        signal: AbortSignal.any([signal, subscriptionsClosed.signal]),
        outages,
        reader,
        own,
        ...waits,
        foreignEvents,
        onRewound: ids.clear,
      });
    },

    async close() {
      subscriptionsClosed.abort();
      const deadline = Date.now() + REQUEST_TIMEOUT_ms;
      await withDeadline(deadline, () => appender.close()).catch(() => undefined);
      batches.close();
      readsClosed.abort();
      await withDeadline(deadline, () => connection.close()).catch(() => undefined);
    },
  };
}
