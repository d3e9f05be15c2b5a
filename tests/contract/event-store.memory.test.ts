import type { EventStore } from '@alpenglow/domain';
import { withSharedSubscription } from '@alpenglow/infra';
import { someEvents, uniqueName } from '../support/events.ts';
import { createMemoryEventStore } from '../support/memory-event-store.ts';
import { describeEventStore, type EventStoreFixture } from './event-store.ts';
import { describeSharedSubscription } from './shared-subscription.ts';

async function openFixture(share: (store: EventStore) => EventStore = (store) => store): Promise<EventStoreFixture> {
  const inner = createMemoryEventStore();
  const store = share(inner);
  return { store, openAnother: () => store, rewindTo: inner.rewindTo, close: () => store.close() };
}

describeEventStore('memory', openFixture, { isExclusive: true, detectsIdsOfAllStreams: true });

describeEventStore('memory, shared', () => openFixture(withSharedSubscription), {
  isExclusive: true,
  detectsIdsOfAllStreams: true,
});

// Nearly every reader is too slow for this buffer.
describeEventStore(
  'memory, shared by a small buffer',
  () => openFixture((store) => withSharedSubscription(store, { max_events: 2 })),
  {
    isExclusive: true,
    detectsIdsOfAllStreams: true,
  },
);

describeSharedSubscription('memory', openFixture, { isExclusive: true });

/** Writes events of known and unknown types, like another application, until the store is closed. */
async function writeForeignEvents(store: EventStore): Promise<void> {
  const types = ['SomethingHappened', 'Wanted', 'AdPosted'];
  for (let count = 0; ; count += 1) {
    const events = someEvents(1 + (count % 5)).map((event, index) => ({
      ...event,
      type: types[(count + index) % types.length] ?? 'Other',
    }));
    try {
      await store.append(uniqueName('foreign'), events, { expectedRevision: 'no-stream' });
    } catch {
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

// Runs the tests on a shared event store. Another writer writes events to it before and during the tests.
describeEventStore(
  'memory, with another writer',
  async () => {
    const store = createMemoryEventStore();
    await store.append(uniqueName('foreign'), someEvents(500), { expectedRevision: 'no-stream' });
    const writing = writeForeignEvents(store);
    return { store, openAnother: () => store, close: () => store.close().then(() => writing) };
  },
  { isExclusive: false, detectsIdsOfAllStreams: true },
);
