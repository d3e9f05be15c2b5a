import { EventStoreUnavailable, START_POSITION, type Position, type RecordedEvent } from '@alpenglow/domain';
import type { AllStreamResolvedEvent, EventStoreDBClient } from '@eventstore/db-client';
import type { Logger } from '../../service/logger.ts';
import { unlessAborted, waitUnlessAborted } from '../../service/polling-and-slots.ts';
import { MAX_READ_EVENTS } from '../event-store-input.ts';
import { isUserEvent, toRecordedEvent } from './envelope.ts';
import { isTransient, toPortError } from './errors.ts';
import { createTypeFilter } from './filters.ts';
import { readInBatches } from './read-in-batches.ts';
import { toLogPosition } from './positions.ts';

/**
 * The number of events that the EventStoreDB client buffers for a subscriber. While the buffer is full, the server
 * waits.
 */
const BUFFER = { highWaterMark: 500 } as const;
const FIRST_RETRY_WAIT_ms = 50;
const LONGEST_RETRY_WAIT_ms = 2_000;

export interface SubscriptionOptions {
  readonly after: Position;
  readonly types: readonly string[] | undefined;
  readonly signal: AbortSignal;
  readonly log: Logger;
  readonly head: () => Promise<Position>;
}

/**
 * Yields all events after the position `after`, including future ones. After an outage or a change of the leader,
 * subscribes again from the last yielded event. The server also reports how far it has searched the log. These
 * positions are not used, because some servers skip an event if a subscription starts there. Rejects with `RangeError`
 * if `after` is beyond the last event of the store, because such a position is from another log.
 */
export async function* subscribe(
  client: EventStoreDBClient,
  { after, types, signal, log, head }: SubscriptionOptions,
): AsyncGenerator<readonly RecordedEvent[]> {
  toLogPosition(after);
  let last = after;
  let wait_ms = FIRST_RETRY_WAIT_ms;
  let isBroken = false;
  let isOfThisLog = after === START_POSITION;
  const onConfirmed = () => {
    if (isBroken) log.info('subscription to the event store resumed');
    isBroken = false;
  };

  while (!signal.aborted) {
    const startedAt_ms = Date.now();
    let failure: unknown = null;
    try {
      if (!isOfThisLog) {
        const end = await unlessAborted(head(), signal);
        if (end === null) return;
        if (after > end)
          throw new RangeError('This is not a position of this event store: it is beyond the last event');
        isOfThisLog = true;
      }
      for await (const batch of follow(client, last, types, signal, onConfirmed)) {
        last = batch.at(-1)?.position ?? last;
        wait_ms = FIRST_RETRY_WAIT_ms;
        yield batch;
      }
    } catch (error) {
      if (!(error instanceof EventStoreUnavailable) && !isTransient(error)) throw toPortError(error);
      failure = error;
    }
    if (signal.aborted) return;
    if (!isBroken)
      log.warn(
        { err: failure ?? new Error('The server ended the subscription') },
        'subscription to the event store broke, retrying',
      );
    isBroken = true;
    if (Date.now() - startedAt_ms > LONGEST_RETRY_WAIT_ms) wait_ms = FIRST_RETRY_WAIT_ms;
    await waitUnlessAborted(wait_ms, signal);
    wait_ms = Math.min(wait_ms * 2, LONGEST_RETRY_WAIT_ms);
  }
}

/** Yields the events of one subscription until the subscription breaks. */
async function* follow(
  client: EventStoreDBClient,
  after: Position,
  types: readonly string[] | undefined,
  signal: AbortSignal,
  onConfirmed: () => void,
): AsyncGenerator<readonly RecordedEvent[]> {
  const wanted = types && new Set(types);
  const subscription = client.subscribeToAll(
    { fromPosition: toLogPosition(after), filter: createTypeFilter(types) },
    BUFFER,
  );
  subscription.on('confirmation', onConfirmed);
  let last = after;
  try {
    for await (const received of readInBatches<AllStreamResolvedEvent>(subscription, {
      max: MAX_READ_EVENTS,
      signal,
    })) {
      const batch: RecordedEvent[] = [];
      for (const { event } of received) {
        if (!event || !isUserEvent(event) || (wanted && !wanted.has(event.type))) continue;
        const recorded = toRecordedEvent(event);
        // The server may send the event at `after` again. Apart from this event, every position must be higher than the
        // last one.
        if (recorded.position <= after) continue;
        if (recorded.position <= last) throw new Error(`The event store sent ${recorded.position} after ${last}`);
        last = recorded.position;
        batch.push(recorded);
      }
      if (batch.length > 0) yield batch;
    }
  } finally {
    subscription.unsubscribe().catch(() => undefined);
    subscription.destroy();
  }
}
