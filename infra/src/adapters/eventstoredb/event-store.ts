import { setMaxListeners } from 'node:events';
import { EventStoreUnavailable, type EventStore, type Position } from '@alpenglow/domain';
import type { Logger } from '../../logger.ts';
import { checkAppend, isStreamName, pageSize, startRevision } from '../event-store-input.ts';
import { createAppender } from './appender.ts';
import { connect } from './client.ts';
import { createReader } from './reading.ts';
import { REQUEST_TIMEOUT_ms, within } from './request.ts';
import { createStreamIds } from './stream-ids.ts';
import { subscribe } from './subscription.ts';

/**
 * The event store on EventStoreDB from 22.10 on, or KurrentDB (decision 0018). `url` is a connection string of theirs. Does not wait for the server:
 * whoever asks finds out. Rejects when the address is none.
 */
export async function openEventStoreDb(url: string, { log }: { readonly log: Logger }): Promise<EventStore> {
  const connection = connect(url, log);
  const { client } = connection;
  const [noMoreReads, noMoreSubscriptions] = [new AbortController(), new AbortController()];
  setMaxListeners(0, noMoreReads.signal, noMoreSubscriptions.signal);
  const reader = createReader(client, noMoreReads.signal);
  const ids = createStreamIds();
  const appender = createAppender(client, reader, ids);

  function demandOpen(): void {
    if (noMoreSubscriptions.signal.aborted) throw new EventStoreUnavailable('The event store is closed');
  }

  return {
    append: async (stream, events, { expectedRevision }) =>
      appender.append(checkAppend(stream, events, expectedRevision)),

    async readStream(stream, { from, direction = 'forwards', limit } = {}) {
      const page = {
        direction,
        limit: pageSize(limit),
        from: from === undefined ? undefined : startRevision(from, direction),
      };
      demandOpen();
      if (!isStreamName(stream)) return [];
      const events = await reader.readStream(stream, page);
      if (direction === 'forwards') ids.learn(stream, page.from ?? 0, events);
      return events;
    },

    async readAll({ after, limit, types }) {
      demandOpen();
      return reader.readAll(after, pageSize(limit), types);
    },

    async head(): Promise<Position> {
      demandOpen();
      return reader.head();
    },

    subscribeAll({ after, types, signal }) {
      // Any number of subscriptions may share one signal.
      setMaxListeners(0, signal);
      return subscribe(client, {
        after,
        types,
        signal: AbortSignal.any([signal, noMoreSubscriptions.signal]),
        log,
        head: reader.head,
      });
    },

    async close() {
      noMoreSubscriptions.abort();
      const deadline = Date.now() + REQUEST_TIMEOUT_ms;
      await within(deadline, () => appender.close()).catch(() => undefined);
      noMoreReads.abort();
      await within(deadline, () => connection.close()).catch(() => undefined);
    },
  };
}
