import { EVENT_DEFINITIONS } from '@alpenglow/domain';
import { addRequestEvents, REQUEST_EVENTS, waitUnlessAborted } from '@alpenglow/infra';
import type { Dependencies } from './dependencies.ts';
import { followLog } from './follow-log.ts';

/** Events collect for this time, so that the index costs at most four transactions a second. */
const COLLECT_ms = 250;

/**
 * Maintains the index from requests to their events (`ops.request_events`), until `signal` aborts. Admins find the
 * events of a request with it, in every event store. It begins with the events after its first start. Rejects if the
 * database or the store fails. The duty is then started again.
 */
export async function runRequestEvents(
  { pool, sealedStore, log }: Dependencies<'pool' | 'sealedStore' | 'log'>,
  signal: AbortSignal,
): Promise<void> {
  await followLog(
    {
      name: REQUEST_EVENTS,
      types: EVENT_DEFINITIONS.map(({ type }) => type),
      start: () => sealedStore.readHead(),
      async handle(events) {
        await waitUnlessAborted(COLLECT_ms, signal);
        return { alsoInTransaction: (client) => addRequestEvents(client, events) };
      },
    },
    { store: sealedStore, pool, log },
    signal,
  );
}
