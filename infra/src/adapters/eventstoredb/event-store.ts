import { setMaxListeners } from 'node:events';
import { EventStoreUnavailable, type EventStore, type Position } from '@alpenglow/domain';
import type { Logger } from '../../service/logger.ts';
import { checkAppend, isStreamName, checkPageSize, startRevision } from '../event-store-input.ts';
import { createAppender } from './appender.ts';
import { createBatchAppends } from './batch-appends.ts';
import { connectEventStoreDb, openBatchCall } from './client.ts';
import { createOutageLog } from './outage-log.ts';
import { createReader } from './reader.ts';
import { REQUEST_TIMEOUT_ms, withDeadline } from './request.ts';
import { createEventIdCache } from './event-id-cache.ts';
import { subscribe } from './subscription.ts';

/**
 * Opens an event store on EventStoreDB from 22.10 on, or on KurrentDB (decision 0018). `url` is a connection string in
 * the format of these servers. Does not wait for the server, so later requests report an outage. Rejects if the address
 * is invalid.
 */
export async function openEventStoreDb(url: string, { log }: { readonly log: Logger }): Promise<EventStore> {
  const connection = connectEventStoreDb(url, log);
  const { client } = connection;
  const [readsClosed, subscriptionsClosed] = [new AbortController(), new AbortController()];
  setMaxListeners(0, readsClosed.signal, subscriptionsClosed.signal);
  const reader = createReader(client, readsClosed.signal);
  const ids = createEventIdCache();
  const outages = createOutageLog(log);
  const batches = createBatchAppends((handlers) => openBatchCall(client, handlers));
  const appender = createAppender(client, reader, ids, batches);

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
