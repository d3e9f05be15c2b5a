import { createLogger } from '@alpenglow/infra';
import { openEventStoreDb } from '../../infra/src/adapters/eventstoredb/event-store.ts';

/** Asks the event store that `TEST_EVENTSTORE_URL` names for its head; without an answer, ends with 1 and says why. */
try {
  const store = await openEventStoreDb(process.env['TEST_EVENTSTORE_URL'] ?? '', { log: createLogger('silent') });
  await store.head();
  await store.close();
} catch (error) {
  const { message, cause } = error as Error;
  process.stderr.write(`${message}${cause instanceof Error ? ` (${cause.message})` : ''}\n`);
  process.exitCode = 1;
}
