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
/**
 * The interval at which a waiting subscription is compared with the log. It doubles whenever a subscription that was
 * ended for this reason had received nothing, because the server may search a large part of the log for rare types.
 */
const STALL_CHECK_ms = 2_000;
const LONGEST_STALL_CHECK_ms = 60_000;

export interface SubscriptionOptions {
  readonly after: LogMark;
  readonly types: readonly string[] | undefined;
  readonly signal: AbortSignal;
  readonly outages: OutageLog;
  readonly reader: Pick<Reader, 'findEventId' | 'readAll'>;
  /** Default: 2 s. */
  readonly stallCheck_ms?: number;
  /** Called before the subscription rejects because the server contains another log. */
  readonly onRewound: () => void;
}

/**
 * Yields all events after the position `after`, including future ones. After an outage or a change of the leader,
 * subscribes again from the last yielded event. The server also reports how far it has searched the log. These
 * positions are not used, because some servers skip an event if a subscription starts there. A reader that is slower
 * than the new events also subscribes again, which is not an outage. So does a reader that waits although the log of
 * the leader contains a further event: a node that has lost the connection to the other nodes keeps subscriptions open
 * and sends nothing. Whenever it subscribes, it checks that the server still has the event at `after`, or the last
 * yielded event. A restore of the server always ends its connections, so this check finds it. Rejects with `LogRewound`
 * if the server does not have this event, and a second read confirms this.
 */
export async function* subscribe(
  client: EventStoreDBClient,
  { after, types, signal, outages, reader, onRewound, stallCheck_ms = STALL_CHECK_ms }: SubscriptionOptions,
): AsyncGenerator<readonly RecordedEvent[]> {
  toLogPosition(after.position);
  let last = after;
  let wait_ms = FIRST_RETRY_WAIT_ms;
  let check_ms = stallCheck_ms;
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
      const findNext = async (from: Position) => (await reader.readAll(from, 1, types))[0]?.position ?? null;
      const options = { types, signal, onConfirmed: settle, findNext, check_ms };
      for await (const batch of follow(client, position, options)) {
        last = batch.at(-1) ?? last;
        wait_ms = FIRST_RETRY_WAIT_ms;
        check_ms = stallCheck_ms;
        yield batch;
      }
    } catch (error) {
      if (!(error instanceof EventStoreUnavailable) && !isTransient(error) && !isSlowReader(error)) {
        settle();
        throw toPortError(error);
      }
      failure = error;
      if (error instanceof SubscriptionStalled) check_ms = Math.min(check_ms * 2, LONGEST_STALL_CHECK_ms);
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

/** Thrown if a subscription does not deliver an event that the log contains. */
class SubscriptionStalled extends EventStoreUnavailable {}

interface FollowOptions {
  readonly types: readonly string[] | undefined;
  readonly signal: AbortSignal;
  readonly onConfirmed: () => void;
  /** Returns the position of the next event in the log after a position, or null if there is none. */
  readonly findNext: (after: Position) => Promise<Position | null>;
  /** The interval at which the subscription is compared with the log. */
  readonly check_ms: number;
}

/** Yields the events of one subscription until it breaks. Throws `SubscriptionStalled` if it stalls. */
async function* follow(
  client: EventStoreDBClient,
  after: Position,
  { types, signal, onConfirmed, findNext, check_ms }: FollowOptions,
): AsyncGenerator<readonly RecordedEvent[]> {
  const wanted = types && new Set(types);
  const subscription = client.subscribeToAll(
    { fromPosition: toLogPosition(after), filter: createTypeFilter(types) },
    BUFFER,
  );
  subscription.on('confirmation', onConfirmed);
  let last = after;
  const ended = new AbortController();
  const stalled = new AbortController();
  const wait = watchWait(() => last, { findNext, check_ms, signal: AbortSignal.any([signal, ended.signal]) });
  wait.stalled.then(
    (isStalled) => isStalled && stalled.abort(),
    () => undefined,
  );
  try {
    for await (const received of readInBatches<AllStreamResolvedEvent>(subscription, {
      max: MAX_READ_EVENTS,
      signal: AbortSignal.any([signal, stalled.signal]),
    })) {
      wait.end();
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
      wait.begin();
    }
    if (stalled.signal.aborted && !signal.aborted) throw new SubscriptionStalled('A subscription has stalled');
  } finally {
    ended.abort();
    subscription.unsubscribe().catch(() => undefined);
    subscription.destroy();
  }
}

/**
 * Compares the last event of a subscription with the log while the subscription waits for events. `stalled` resolves to
 * true when the subscription has not delivered an event although an earlier comparison has found it in the log, and to
 * false when `signal` aborts. A failed comparison is repeated.
 */
function watchWait(
  readLast: () => Position,
  { findNext, check_ms, signal }: Pick<FollowOptions, 'findNext' | 'check_ms' | 'signal'>,
) {
  let isWaiting = true;
  /** The number of waits so far. A comparison counts only if the same wait continues. */
  let waits = 0;

  async function watch(): Promise<boolean> {
    /** The wait in which a comparison has found an event, or -1. */
    let missingIn = -1;
    while (!signal.aborted) {
      await waitUnlessAborted(check_ms, signal);
      if (signal.aborted) return false;
      if (!isWaiting) continue;
      if (missingIn === waits) return true;
      const compared: number = waits;
      const next = await findNext(readLast()).catch(() => null);
      missingIn = next === null ? -1 : compared;
    }
    return false;
  }

  return {
    stalled: watch(),
    /** Call this when events have arrived. */
    end(): void {
      isWaiting = false;
    },
    /** Call this when the caller waits for further events. */
    begin(): void {
      isWaiting = true;
      waits += 1;
    },
  };
}
