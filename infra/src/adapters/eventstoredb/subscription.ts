import {
  EventStoreUnavailable,
  LogRewound,
  START_POSITION,
  type LogMark,
  type Position,
  type RecordedEvent,
} from '@alpenglow/domain';
import type { AllStreamResolvedEvent, EventStoreDBClient } from '@eventstore/db-client';
import { unlessAborted, waitUnlessAborted } from '../../service/polling-and-slots.ts';
import { MAX_READ_EVENTS } from '../event-store-input.ts';
import { isUserEvent, toRecordedEvent } from './envelope.ts';
import { isSlowReader, isTransient, toPortError } from './errors.ts';
import { createTypeFilter } from './filters.ts';
import type { OutageLog } from './outage-log.ts';
import { readInBatches } from './read-in-batches.ts';
import { toLogPosition } from './positions.ts';
import type { Reader } from './reader.ts';

/**
 * The number of events that the EventStoreDB client buffers for a subscriber. While the buffer is full, the server
 * waits.
 */
const BUFFER = { highWaterMark: 500 } as const;
const FIRST_RETRY_WAIT_ms = 50;
const LONGEST_RETRY_WAIT_ms = 2_000;

export interface SubscriptionOptions {
  readonly after: LogMark;
  readonly types: readonly string[] | undefined;
  readonly signal: AbortSignal;
  readonly outages: OutageLog;
  readonly reader: Pick<Reader, 'findEventId'>;
  /** Called before the subscription rejects because the server contains another log. */
  readonly onRewound: () => void;
}

/**
 * Yields all events after the position `after`, including future ones. After an outage or a change of the leader,
 * subscribes again from the last yielded event. The server also reports how far it has searched the log. These
 * positions are not used, because some servers skip an event if a subscription starts there. A reader that is slower
 * than the new events also subscribes again, which is not an outage. Whenever it subscribes, it
 * checks that the server still has the event at `after`, or the last yielded event. A restore of the server always ends
 * its connections, so this check finds it. Rejects with `LogRewound` if the server does not have this event, and a
 * second read confirms this.
 */
export async function* subscribe(
  client: EventStoreDBClient,
  { after, types, signal, outages, reader, onRewound }: SubscriptionOptions,
): AsyncGenerator<readonly RecordedEvent[]> {
  toLogPosition(after.position);
  let last = after;
  let wait_ms = FIRST_RETRY_WAIT_ms;
  let isBroken = false;
  const settle = () => {
    if (isBroken) outages.end({ isResumed: !signal.aborted });
    isBroken = false;
  };
  signal.addEventListener('abort', settle, { once: true });

  while (!signal.aborted) {
    const startedAt_ms = Date.now();
    let failure: unknown = null;
    try {
      const { position } = last;
      if (position !== START_POSITION) {
        const found = await unlessAborted(
          reader.findEventId(position, last.id).then((id) => ({ id })),
          signal,
        );
        if (found === null) return;
        if (found.id === null || found.id !== (last.id ?? found.id)) {
          onRewound();
          throw new LogRewound(position);
        }
        last = { position, id: found.id };
      }
      for await (const batch of follow(client, position, types, signal, settle)) {
        last = batch.at(-1) ?? last;
        wait_ms = FIRST_RETRY_WAIT_ms;
        yield batch;
      }
    } catch (error) {
      if (!(error instanceof EventStoreUnavailable) && !isTransient(error) && !isSlowReader(error)) {
        settle();
        throw toPortError(error);
      }
      failure = error;
    }
    if (signal.aborted) return;
    // A slow reader resumes at once, and the server reads the log for it until it has caught up.
    if (isSlowReader(failure)) continue;
    if (!isBroken) outages.begin(failure);
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
