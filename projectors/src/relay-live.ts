import { setTimeout as pause } from 'node:timers/promises';
import {
  EventFromNewerBuild,
  LIVE_EVENT_TYPES,
  toLiveMessage,
  type EventStore,
  type LivePublisher,
  type RecordedEvent,
  type RelayedBatch,
} from '@alpenglow/domain';
import type { Logger, Pool } from '@alpenglow/infra';
import { moveCheckpoint, readCheckpoint, startCheckpoint } from './checkpoints.ts';
import { inReadModelTransaction } from './transaction.ts';

export const RELAY = 'relay-live';

export interface RelayDependencies {
  readonly store: EventStore;
  readonly pool: Pool;
  readonly publisher: LivePublisher;
  readonly log: Logger;
  /** After so long without an event, the feeds are told how far the relay is all the same. */
  readonly idle_ms?: number;
}

const IDLE_ms = 10_000;

/**
 * Hands what is told live from the event store to the feeds of other processes, until `signal` aborts; rejects when the store, the
 * database or the publisher fails, and is then run again by its leader. Begins, the first time, at the store's head. A batch is
 * published before the checkpoint moves, so after a failure one may be published again, which the publisher allows.
 */
export async function runRelay(
  { store, pool, publisher, log, idle_ms = IDLE_ms }: RelayDependencies,
  signal: AbortSignal,
): Promise<void> {
  await startCheckpoint(pool, RELAY, 1, await store.head());
  const begin = (await readCheckpoint(pool, RELAY))?.position;
  if (begin === undefined) throw new Error(`${RELAY} has no checkpoint`);
  let position = begin;

  // Leadership may be lost while the publisher waits for its engine.
  const published = (batch: RelayedBatch) => doneUnlessAborted(publisher.publish(batch), signal);

  if (!(await published({ after: position, messages: [], through: position }))) return;
  for await (const events of withPauses(
    (own) => store.subscribeAll({ after: begin, types: LIVE_EVENT_TYPES, signal: own }),
    { idle_ms, signal },
  )) {
    const from = position;
    const to = events.at(-1)?.position ?? from;
    if (!(await published({ after: from, messages: messagesOf(events, log), through: to }))) return;
    if (to !== from) await inReadModelTransaction(pool, (client) => moveCheckpoint(client, RELAY, from, to));
    position = to;
  }
}

function messagesOf(events: readonly RecordedEvent[], log: Logger): RelayedBatch['messages'] {
  return events.flatMap((recorded) => {
    const message = messageOf(recorded, log);
    return message ? [{ stream: recorded.stream, message }] : [];
  });
}

function messageOf(recorded: RecordedEvent, log: Logger): RelayedBatch['messages'][number]['message'] | null {
  try {
    return toLiveMessage(recorded);
  } catch (error) {
    // A relay of the newer build takes over.
    if (error instanceof EventFromNewerBuild) throw error;
    log.error({ err: error, position: recorded.position, type: recorded.type }, 'event not told: it cannot be read');
    return null;
  }
}

/** True once the work is done, false when the signal aborts before. */
async function doneUnlessAborted(work: Promise<void>, signal: AbortSignal): Promise<boolean> {
  let giveUp: () => void = () => undefined;
  const aborted = new Promise<false>((resolve) => {
    giveUp = () => resolve(false);
  });
  signal.addEventListener('abort', giveUp);
  if (signal.aborted) giveUp();
  try {
    return await Promise.race([work.then(() => true), aborted]);
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}

/** The batches of a subscription, and an empty one whenever none came for so long. */
async function* withPauses(
  subscribe: (signal: AbortSignal) => AsyncIterable<readonly RecordedEvent[]>,
  { idle_ms, signal }: { readonly idle_ms: number; readonly signal: AbortSignal },
): AsyncGenerator<readonly RecordedEvent[]> {
  // A subscription that waits for the next event can be left by its signal alone.
  const left = new AbortController();
  const batches = subscribe(AbortSignal.any([signal, left.signal]))[Symbol.asyncIterator]();
  let next = batches.next();
  try {
    for (;;) {
      const result = await withinPause(next, idle_ms);
      if (result === null) yield [];
      else if (result.done) return;
      else {
        // The next batch is read while this one is published; should that fail, it is heard of after.
        next = batches.next();
        next.catch(() => undefined);
        yield result.value;
      }
    }
  } finally {
    left.abort();
    await next.catch(() => undefined);
  }
}

/** What is waited for, or null when it is not there in time; it may be waited for again. */
async function withinPause<T>(work: Promise<T>, limit_ms: number): Promise<T | null> {
  const timer = new AbortController();
  try {
    return await Promise.race([work, pause(limit_ms, null, { signal: timer.signal }).catch(() => null)]);
  } finally {
    timer.abort();
  }
}
