import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { EventStoreUnavailable, START, type Position, type RecordedEvent } from '@alpenglow/domain';
import type { AllStreamResolvedEvent, EventStoreDBClient } from '@eventstore/db-client';
import type { Logger } from '../../logger.ts';
import { MAX_READ_EVENTS } from '../event-store-input.ts';
import { isForReaders, toRecordedEvent } from './envelope.ts';
import { isPassing, toPortError } from './errors.ts';
import { filterFor } from './filters.ts';
import { gather } from './gather.ts';
import { toLogPosition } from './positions.ts';

/** How many events the client holds that the subscriber has not taken; then the server is made to wait. */
const BUFFERED = { highWaterMark: 500 } as const;
const FIRST_RETRY_WAIT_ms = 50;
const LONGEST_RETRY_WAIT_ms = 2_000;

export interface SubscriptionOptions {
  readonly after: Position;
  readonly types: readonly string[] | undefined;
  readonly signal: AbortSignal;
  readonly log: Logger;
  /** The position of the last event in the store. */
  readonly head: () => Promise<Position>;
}

/**
 * All events after a position, through outages and changes of the leader: each time from the last event handed over. That, and not what the
 * server says it has searched, is where to go on from, since some servers pass over one event behind a position at which there is none.
 * Ends with `RangeError` where `after` lies beyond the store's head: it is a checkpoint of another log, behind which this server would stay silent.
 */
export async function* subscribe(
  client: EventStoreDBClient,
  { after, types, signal, log, head }: SubscriptionOptions,
): AsyncGenerator<readonly RecordedEvent[]> {
  toLogPosition(after);
  let last = after;
  let wait_ms = FIRST_RETRY_WAIT_ms;
  let isBroken = false;
  let isOfThisLog = after === START;
  const onConfirmed = () => {
    if (isBroken) log.info('subscription to the event store goes on');
    isBroken = false;
  };

  while (!signal.aborted) {
    const begun_ms = Date.now();
    let failure: unknown = null;
    try {
      if (!isOfThisLog) {
        const end = await unlessAborted(head(), signal);
        if (end === null) return;
        if (after > end)
          throw new RangeError('This is not a position of this event store: it lies beyond the last event');
        isOfThisLog = true;
      }
      for await (const batch of follow(client, last, types, signal, onConfirmed)) {
        last = batch.at(-1)?.position ?? last;
        wait_ms = FIRST_RETRY_WAIT_ms;
        yield batch;
      }
    } catch (error) {
      if (!(error instanceof EventStoreUnavailable) && !isPassing(error)) throw toPortError(error);
      failure = error;
    }
    if (signal.aborted) return;
    if (!isBroken)
      log.warn(
        { err: failure ?? new Error('The server ended it') },
        'subscription to the event store broke, trying again',
      );
    isBroken = true;
    if (Date.now() - begun_ms > LONGEST_RETRY_WAIT_ms) wait_ms = FIRST_RETRY_WAIT_ms;
    await pause(wait_ms, undefined, { signal }).catch(() => undefined);
    wait_ms = Math.min(wait_ms * 2, LONGEST_RETRY_WAIT_ms);
  }
}

/** What the work comes to, or null as soon as the signal aborts; then the work goes on unheard. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | null> {
  const settled = new AbortController();
  const aborted = once(signal, 'abort', { signal: settled.signal }).then(
    () => null,
    () => null,
  );
  try {
    return await Promise.race([work, aborted]);
  } finally {
    settled.abort();
  }
}

/** One subscription, until it breaks. */
async function* follow(
  client: EventStoreDBClient,
  after: Position,
  types: readonly string[] | undefined,
  signal: AbortSignal,
  onConfirmed: () => void,
): AsyncGenerator<readonly RecordedEvent[]> {
  const wanted = types && new Set(types);
  const subscription = client.subscribeToAll(
    { fromPosition: toLogPosition(after), filter: filterFor(types) },
    BUFFERED,
  );
  subscription.on('confirmation', onConfirmed);
  let last = after;
  try {
    for await (const arrived of gather<AllStreamResolvedEvent>(subscription, { max: MAX_READ_EVENTS, signal })) {
      const batch: RecordedEvent[] = [];
      for (const { event } of arrived) {
        if (!event || !isForReaders(event) || (wanted && !wanted.has(event.type))) continue;
        const recorded = toRecordedEvent(event);
        // The event it goes on from may be told once more; any other that is not after the one before means that one was missed.
        if (recorded.position <= after) continue;
        if (recorded.position <= last) throw new Error(`The event store told ${recorded.position} after ${last}`);
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
