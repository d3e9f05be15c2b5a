import type { EventStore, Position } from '@alpenglow/domain';
import { createLogger, withSharedSubscription } from '@alpenglow/infra';
import { openEventStoreDb } from '../../infra/src/adapters/eventstoredb/event-store.ts';
import { startEventStoreServer, type EventStoreServer } from '../support/event-store-server/server.ts';
import { someEvents, uniqueName } from '../support/events.ts';
import { describeEventStore, type EventStoreFixture } from './event-store.ts';
import { describeSharedSubscription } from './shared-subscription.ts';

// Runs the contract of the event store with the EventStoreDB adapter on a gRPC server of the tests. It proves nothing
// about EventStoreDB itself. It shows that the adapter holds the contract on a server with these rules, also if other
// applications use the same server.

const log = createLogger('silent');

interface FixtureOptions {
  readonly streamPrefix?: string;
  readonly share?: (store: EventStore) => EventStore;
  /** Writes events of other applications until the fixture is closed. Returns a function that ends this. */
  readonly disturb?: (server: EventStoreServer) => () => Promise<void>;
}

async function openFixture({
  streamPrefix = '',
  share = (store) => store,
  disturb,
}: FixtureOptions = {}): Promise<EventStoreFixture> {
  const server = await startEventStoreServer();
  const stores: EventStore[] = [];
  const openAnother = async () => {
    const store = share(await openEventStoreDb(server.url, { log, streamPrefix }));
    stores.push(store);
    return store;
  };
  const stopDisturbing = disturb?.(server);
  return {
    store: await openAnother(),
    openAnother,
    async rewindTo(position: Position) {
      const [next] = server.log.from(Number(position.split('/')[0]) + 1);
      if (next) await server.restore(next.commit);
    },
    async close() {
      await stopDisturbing?.();
      await Promise.all(stores.map((store) => store.close()));
      server.close();
    },
  };
}

/** Writes events of another application and of another installation, until the returned function is called. */
function writeOthers(server: EventStoreServer): () => Promise<void> {
  let isOver = false;
  async function write(): Promise<void> {
    const other = await openEventStoreDb(server.url, { log, streamPrefix: 'other-' });
    for (let count = 0; !isOver; count += 1) {
      server.writeForeign({
        stream: `order-${count % 7}`,
        type: count % 2 === 0 ? 'OrderPlaced' : 'SomethingHappened',
      });
      // The name of this stream has our prefix.
      server.writeForeign({ stream: `shop-order-${count % 3}`, type: 'Wanted' });
      await other.append(uniqueName('stream'), someEvents(1 + (count % 5)), { expectedRevision: 'no-stream' });
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    await other.close();
  }
  const writing = write();
  return async () => {
    isOver = true;
    await writing;
  };
}

const detectsIdsOfAllStreams = false;
describeEventStore('protocol of EventStoreDB', openFixture, { isExclusive: true, detectsIdsOfAllStreams });
describeEventStore(
  'protocol of EventStoreDB, with a prefix, next to other applications',
  () => openFixture({ streamPrefix: 'shop-', disturb: writeOthers }),
  { isExclusive: true, detectsIdsOfAllStreams },
);
describeEventStore(
  'protocol of EventStoreDB, shared, with a prefix',
  () => openFixture({ streamPrefix: 'shop-', share: withSharedSubscription }),
  { isExclusive: true, detectsIdsOfAllStreams },
);
describeSharedSubscription('protocol of EventStoreDB', openFixture, { isExclusive: true });
