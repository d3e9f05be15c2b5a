import { setTimeout as pause } from 'node:timers/promises';
import {
  NewerEventVersionError,
  LIVE_EVENT_TYPES,
  toLiveMessage,
  type LivePublisher,
  type RecordedEvent,
  type RelayBatch,
} from '@alpenglow/domain';
import { unlessAborted, type Logger } from '@alpenglow/infra';
import type { Dependencies } from './dependencies.ts';
import { moveCheckpoint, openCheckpoint } from './checkpoints.ts';
import { inReadModelTransaction } from './read-model-transaction.ts';

export const LIVE_RELAY_DUTY = 'relay-live';

interface LiveRelayDependencies extends Dependencies<'store' | 'pool' | 'log'> {
  readonly publisher: LivePublisher;
  /**
   * After this time without an event, the relay publishes an empty batch, so that readers receive the current position
   * of the relay in the event log. Default: 10 s.
   */
  readonly idle_ms?: number;
}

const IDLE_ms = 10_000;

/**
 * Publishes the events for the live channel from the event store to the feeds of other processes, until `signal`
 * aborts. The first run starts at the end of the event log. Rejects if the store, the database or the publisher fails.
 * The duty is then started again. A batch is published before the checkpoint moves. After a failure, a batch may
 * therefore be published twice, which has no effect on its readers.
 */
export async function runLiveRelay(
  { store, pool, publisher, log, idle_ms = IDLE_ms }: LiveRelayDependencies,
  signal: AbortSignal,
): Promise<void> {
  const begin = await openCheckpoint(pool, LIVE_RELAY_DUTY, () => store.readHead());
  let position = begin;

  // The publisher may wait for its backing service for a long time. The signal aborts if another process takes over
  // this duty. The relay then stops waiting and publishes nothing more.
  const publishUnlessAborted = (batch: RelayBatch) =>
    unlessAborted(
      publisher.publish(batch).then(() => true),
      signal,
    );

  if (!(await publishUnlessAborted({ after: position, messages: [], through: position }))) return;
  for await (const events of withIdleBatches(
    (own) => store.subscribeAll({ after: begin, types: LIVE_EVENT_TYPES, signal: own }),
    { idle_ms, signal },
  )) {
    const from = position;
    const to = events.at(-1)?.position ?? from;
    if (!(await publishUnlessAborted({ after: from, messages: messagesOf(events, log), through: to }))) return;
    if (to !== from) await inReadModelTransaction(pool, (client) => moveCheckpoint(client, LIVE_RELAY_DUTY, from, to));
    position = to;
  }
}

function messagesOf(events: readonly RecordedEvent[], log: Logger): RelayBatch['messages'] {
  return events.flatMap((recorded) => {
    const message = messageOf(recorded, log);
    return message ? [{ stream: recorded.stream, message }] : [];
  });
}

function messageOf(recorded: RecordedEvent, log: Logger): RelayBatch['messages'][number]['message'] | null {
  try {
    return toLiveMessage(recorded);
  } catch (error) {
    // The event needs a newer build. This relay therefore stops with the error, and a relay of the newer build will
    // publish the event.
    if (error instanceof NewerEventVersionError) throw error;
    log.error(
      { err: error, position: recorded.position, type: recorded.type },
      'live event not published: it cannot be read',
    );
    return null;
  }
}

/** Yields the batches of events of a subscription. After every `idle_ms` without a batch, yields an empty batch. */
async function* withIdleBatches(
  subscribe: (signal: AbortSignal) => AsyncIterable<readonly RecordedEvent[]>,
  { idle_ms, signal }: { readonly idle_ms: number; readonly signal: AbortSignal },
): AsyncGenerator<readonly RecordedEvent[]> {
  // A subscription that waits for the next event can be ended only by its abort signal.
  const ended = new AbortController();
  const batches = subscribe(AbortSignal.any([signal, ended.signal]))[Symbol.asyncIterator]();
  let next = batches.next();
  try {
    for (;;) {
      const result = await withinTime(next, idle_ms);
      if (result === null) yield [];
      else if (result.done) return;
      else {
        // The next batch is read while the current batch is published. If reading fails, the next iteration throws the
        // error.
        next = batches.next();
        next.catch(() => undefined);
        yield result.value;
      }
    }
  } finally {
    ended.abort();
    await next.catch(() => undefined);
  }
}

/**
 * Resolves with the result of `work`, or with null if `work` takes longer than `limit_ms`. `work` continues and can be
 * awaited again.
 */
async function withinTime<T>(work: Promise<T>, limit_ms: number): Promise<T | null> {
  const timer = new AbortController();
  try {
    return await Promise.race([work, pause(limit_ms, null, { signal: timer.signal }).catch(() => null)]);
  } finally {
    timer.abort();
  }
}
