import {
  EventStoreUnavailable,
  LogRewound,
  START_POSITION,
  type LogMark,
  type Position,
  type RecordedEvent,
} from '@alpenglow/domain';
import type { EventStoreDBClient } from '@eventstore/db-client';
import { unlessAborted, waitUnlessAborted } from '../../service/polling-and-slots.ts';
import { MAX_READ_EVENTS } from '../event-store-input.ts';
import { isSystemEvent, type OwnEvents, type ReceivedEvent } from './envelope.ts';
import { isOutage, isServerError, isSlowReader, isTransient, toPortError } from './errors.ts';
import { createFilter } from './filters.ts';
import type { ForeignEventCounter } from './foreign-events.ts';
import type { OutageLog } from './outage-log.ts';
import { readInBatches } from './read-in-batches.ts';
import { toLogPosition } from './positions.ts';
import type { Reader } from './reader.ts';

/**
 * The number of events that the EventStoreDB client buffers for a subscriber. While the buffer is full, the server
 * waits.
 */
const BUFFER = { highWaterMark: 500 } as const;
/**
 * The maximum number of subscriptions in a row that end with an error of unknown type and deliver nothing. The reader
 * then receives the error, so that an operator can see the failure.
 */
const MAX_UNKNOWN_FAILURES = 5;
/**
 * The maximum number of subscriptions in a row that end for any reason and deliver nothing although a read returns a
 * further event. Without such an event, the store cannot be reached, and the subscription waits for the end of the
 * outage.
 */
const MAX_FAILURES = 8;
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
  readonly own: OwnEvents;
  readonly foreignEvents: ForeignEventCounter;
  /** Default: 2 s. */
  readonly stallCheck_ms?: number;
  /** Called before the subscription rejects because the server contains another log. */
  readonly onRewound: () => void;
}

/**
 * Yields all our events after the position `after`, including future ones. Skips and counts the events of other
 * applications. After an outage or a change of the leader, subscribes again from the last yielded event. The server
 * also reports how far it has searched the log. These positions are not used, because some servers skip an event if a
 * subscription starts there. A reader that is slower than the new events also subscribes again, which is not an outage.
 * So does a reader that waits although the log of the leader contains a further event: a node that has lost the
 * connection to the other nodes keeps subscriptions open and sends nothing. Whenever it subscribes, it checks that the
 * server still has the event at `after`, or the last yielded event. A restore of the server always ends its
 * connections, so this check finds it. Rejects with `LogRewound` if the server does not have this event, and a second
 * read confirms this. After any other error of the server, it makes the same check before it rejects with the error.
 */
export async function* subscribe(
  client: EventStoreDBClient,
  options: SubscriptionOptions,
): AsyncGenerator<readonly RecordedEvent[]> {
  const { after, types, signal, outages, reader, onRewound, stallCheck_ms = STALL_CHECK_ms } = options;
  toLogPosition(after.position);
  let last = after;
  let wait_ms = FIRST_RETRY_WAIT_ms;
  let check_ms = stallCheck_ms;
  let isBroken = false;
  /** The number of subscriptions in a row that have delivered nothing, and of those with an error of unknown type. */
  let failures = 0;
  let unknownFailures = 0;
  const settle = () => {
    if (isBroken) outages.end({ isResumed: !signal.aborted });
    isBroken = false;
  };
  signal.addEventListener('abort', settle, { once: true });

  /** Checks that the log still has the event `last`, and adds its id. Returns false if the signal aborts first. */
  async function checkLast(): Promise<boolean> {
    const { position } = last;
    if (position === START_POSITION) return true;
    const found = await unlessAborted(
      reader.findEventId(position, last.id).then((id) => ({ id })),
      signal,
    );
    if (found === null) return false;
    if (found.id === null || found.id !== (last.id ?? found.id)) {
      onRewound();
      throw new LogRewound(position);
    }
    last = { position, id: found.id };
    return true;
  }

  const findNext = async (from: Position) => (await reader.readAll(from, 1, types))[0]?.position ?? null;

  /** Returns true if a read returns an event after `last`, which the last subscriptions have not delivered. */
  async function isReadable(): Promise<boolean> {
    const next = findNext(last.position).catch(() => null);
    return (await unlessAborted(next, signal)) !== null;
  }

  /** Returns the error for the reader. If the log has lost the event `last`, rejects with `LogRewound`. */
  async function toReaderError(error: unknown): Promise<unknown> {
    settle();
    if (isServerError(error)) await checkLast();
    return toPortError(error);
  }

  while (!signal.aborted) {
    const startedAt_ms = Date.now();
    let failure: unknown = null;
    let hasDelivered = false;
    try {
      if (!(await checkLast())) return;
      const follows = { ...options, onCurrent: settle, findNext, check_ms };
      for await (const batch of follow(client, last.position, follows)) {
        last = batch.at(-1) ?? last;
        hasDelivered = true;
        failures = 0;
        unknownFailures = 0;
        settle();
        wait_ms = FIRST_RETRY_WAIT_ms;
        check_ms = stallCheck_ms;
        yield batch;
      }
    } catch (error) {
      const isUnknown = !(error instanceof EventStoreUnavailable) && !isOutage(error) && !isSlowReader(error);
      if (isUnknown) unknownFailures += 1;
      if (isUnknown && (!isTransient(error) || unknownFailures > MAX_UNKNOWN_FAILURES))
        throw await toReaderError(error);
      failure = error;
      if (error instanceof SubscriptionStalled) check_ms = Math.min(check_ms * 2, LONGEST_STALL_CHECK_ms);
    }
    if (signal.aborted) return;
    // A slow reader resumes at once, and the server reads the log for it until it has caught up.
    if (isSlowReader(failure) && hasDelivered) continue;
    if (!hasDelivered) failures += 1;
    if (failures > MAX_FAILURES && (await isReadable()))
      throw await toReaderError(failure ?? new EventStoreUnavailable('The event store ends subscriptions at once'));
    if (signal.aborted) return;
    if (!isBroken) outages.begin(failure);
    isBroken = true;
    if (Date.now() - startedAt_ms > LONGEST_RETRY_WAIT_ms) wait_ms = FIRST_RETRY_WAIT_ms;
    await waitUnlessAborted(wait_ms, signal);
    wait_ms = Math.min(wait_ms * 2, LONGEST_RETRY_WAIT_ms);
  }
}

/** Thrown if a subscription does not deliver an event that the log contains. */
class SubscriptionStalled extends EventStoreUnavailable {}

interface FollowOptions extends Pick<SubscriptionOptions, 'types' | 'signal' | 'own' | 'foreignEvents'> {
  /** Called when the log has no event that the subscription has not delivered. */
  readonly onCurrent: () => void;
  /** Returns the position of the next event in the log after a position, or null if there is none. */
  readonly findNext: (after: Position) => Promise<Position | null>;
  /** The interval at which the subscription is compared with the log. */
  readonly check_ms: number;
}

/** Yields the events of one subscription until it breaks. Throws `SubscriptionStalled` if it stalls. */
async function* follow(
  client: EventStoreDBClient,
  after: Position,
  { types, signal, own, foreignEvents, onCurrent, findNext, check_ms }: FollowOptions,
): AsyncGenerator<readonly RecordedEvent[]> {
  const wanted = types && new Set(types);
  const subscription = client.subscribeToAll(
    { fromPosition: toLogPosition(after), filter: createFilter(own.streamPrefix, types) },
    BUFFER,
  );
  let last = after;
  const ended = new AbortController();
  const stalled = new AbortController();
  const wait = watchWait(() => last, {
    findNext,
    onCurrent,
    check_ms,
    signal: AbortSignal.any([signal, ended.signal]),
  });
  wait.stalled.then(
    (isStalled) => isStalled && stalled.abort(),
    () => undefined,
  );
  try {
    for await (const received of readInBatches<{ readonly event?: ReceivedEvent }>(subscription, {
      max: MAX_READ_EVENTS,
      signal: AbortSignal.any([signal, stalled.signal]),
    })) {
      wait.end();
      const batch: RecordedEvent[] = [];
      for (const { event } of received) {
        if (!event || isSystemEvent(event)) continue;
        if (!own.isOwn(event)) {
          foreignEvents.add(event);
          continue;
        }
        if (wanted && !wanted.has(event.type)) continue;
        const recorded = own.toRecordedEvent(event);
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
  { findNext, onCurrent, check_ms, signal }: Pick<FollowOptions, 'findNext' | 'onCurrent' | 'check_ms' | 'signal'>,
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
      // If the log has lost the last event, a new subscription finds this out. Other errors say nothing.
      const next = await findNext(readLast()).catch((error: unknown) =>
        error instanceof LogRewound ? readLast() : undefined,
      );
      if (next === null && !signal.aborted) onCurrent();
      missingIn = next === null || next === undefined ? -1 : compared;
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
