import { createLogger } from '@alpenglow/infra';
import { openEventStoreDb } from '../../infra/src/adapters/eventstoredb/event-store.ts';

/**
 * Checks whether the event store at `TEST_EVENTSTORE_URL` is available by reading the position of its last event. If
 * the read fails, prints the reason on the standard output and exits with code 1. Node prints its warnings on the
 * standard error output.
 */
try {
  const store = await openEventStoreDb(process.env['TEST_EVENTSTORE_URL'] ?? '', { log: createLogger('silent') });
  await store.readHead();
  await store.close();
} catch (error) {
  const { message, cause } = error as Error;
  process.stdout.write(`${message}${cause instanceof Error ? ` (${cause.message})` : ''}\n`);
  process.exitCode = 1;
}
