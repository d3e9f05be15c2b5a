import type { EventStore } from '@alpenglow/domain';
import { createMemoryEventStore } from '@alpenglow/infra';
import { someEvents, uniqueName } from '../support/events.ts';
import { describeEventStore } from './event-store.ts';

describeEventStore(
  'memory',
  async () => {
    const store = createMemoryEventStore();
    return { store, openAnother: () => store, close: () => store.close() };
  },
  { isOurs: true, knowsIdsOfAllStreams: true },
);

/** Writes as somebody else would, of the same types too, until the store is closed. */
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

// The suite is to hold on a server that others use, too: here somebody has written before and goes on writing.
describeEventStore(
  'memory, with others',
  async () => {
    const store = createMemoryEventStore();
    await store.append(uniqueName('foreign'), someEvents(500), { expectedRevision: 'no-stream' });
    const writing = writeForeignEvents(store);
    return { store, openAnother: () => store, close: () => store.close().then(() => writing) };
  },
  { isOurs: false, knowsIdsOfAllStreams: true },
);
