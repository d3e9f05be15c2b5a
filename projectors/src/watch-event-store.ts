import type { EventStore } from '@alpenglow/domain';
import { waitUnlessAborted } from '@alpenglow/infra';

/** The name of the duty that checks whether the event store can be read. */
export const EVENT_STORE_DUTY = 'event-store';

const CHECK_EVERY_ms = 10_000;

/**
 * Reads the end of the event log periodically, until `signal` aborts. Rejects if the event store cannot be read. The
 * duty is then started again. The other consumers do not fail during an outage, because their subscriptions wait for
 * its end, so this duty makes the outage visible (decision 0114).
 */
export async function watchEventStore(store: Pick<EventStore, 'readHead'>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await store.readHead();
    await waitUnlessAborted(CHECK_EVERY_ms, signal);
  }
}
