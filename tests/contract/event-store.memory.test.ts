import { createMemoryEventStore } from '@alpenglow/infra';
import { describeEventStore } from './event-store.ts';

describeEventStore('memory', async () => {
  const store = createMemoryEventStore();
  return { store, openAnother: () => store, close: () => store.close() };
});
