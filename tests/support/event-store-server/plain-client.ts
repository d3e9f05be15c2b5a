import type { EventToAppend } from '@alpenglow/domain';
import {
  EventStoreDBClient,
  excludeSystemEvents,
  jsonEvent,
  NO_STREAM,
  START,
  type ReadPosition,
} from '@eventstore/db-client';

/**
 * Connects the client of EventStoreDB without our adapter, for comparisons. Each function returns the number of events
 * that it has read.
 */
export function connectPlainClient(url: string) {
  const client = EventStoreDBClient.connectionString(url);
  return {
    /** Reads the whole log with one call for each page. */
    async readPages(page_events: number): Promise<number> {
      let count = 0;
      for (let fromPosition: ReadPosition = START; ; ) {
        // From the second page on, the first event is the last one of the page before.
        const repeated: number = fromPosition === START ? 0 : 1;
        let received = 0;
        for await (const { event } of client.readAll({
          fromPosition,
          maxCount: page_events + repeated,
          requiresLeader: true,
        })) {
          received += 1;
          if (event?.position) fromPosition = event.position;
        }
        count += received - repeated;
        if (received < page_events + repeated) return count;
      }
    },
    /** Reads the whole log with one call. */
    async readAtOnce(): Promise<number> {
      let count = 0;
      for await (const { event } of client.readAll({ requiresLeader: true })) if (event) count += 1;
      return count;
    },
    /** Subscribes from the start of the log, until this number of events has arrived. */
    async follow(events: number): Promise<number> {
      let count = 0;
      const subscription = client.subscribeToAll({ fromPosition: START, filter: excludeSystemEvents() });
      for await (const { event } of subscription) {
        if (event) count += 1;
        if (count >= events) break;
      }
      await subscription.unsubscribe().catch(() => undefined);
      return count;
    },
    /** Appends an event to a new stream, in the format of our adapter. */
    append: (stream: string, { id, type, version, data, meta }: EventToAppend): Promise<unknown> =>
      client.appendToStream(
        stream,
        jsonEvent({ id, type, data: data as Record<string, unknown>, metadata: { version, meta: { ...meta } } }),
        { expectedRevision: NO_STREAM },
      ),
    close: (): Promise<unknown> => client.dispose(),
  };
}
