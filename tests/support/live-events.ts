import {
  type EventStore,
  type EventToAppend,
  type LiveBatch,
  type LiveFeed,
  type LiveMessage,
  type Position,
  type StreamId,
  toStreamId,
  listing,
} from '@alpenglow/domain';
import { expect } from 'vitest';
import { anEvent, uniqueName } from './events.ts';
import { MAX_WAIT_ms } from './max-wait.ts';

/** Returns an event that bumps an ad. The live channel reports such events. */
export function aBump(adId: string = uniqueName('ad')): EventToAppend {
  return anEvent({ type: 'AdBumped', data: { accountId: 'a'.repeat(32), adId } });
}

/**
 * Appends one bump event for each ad, each with a separate append. By default, each ad has its own stream. Returns the
 * position of the last event.
 */
export async function bump(store: EventStore, adIds: readonly string[], stream?: StreamId): Promise<Position> {
  let last = '' as Position;
  for (const adId of adIds)
    ({ position: last } = await store.append(stream ?? toStreamId(listing, adId), [aBump(adId)], {
      expectedRevision: 'any',
    }));
  return last;
}

export const adsNamed = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, n) => `${prefix}-${String(n).padStart(5, '0')}`);

/** Follows a live feed and stores the batches and messages that it delivers. Checks that each batch is valid. */
export interface FeedFollower {
  readonly batches: readonly LiveBatch[];
  readonly messages: readonly LiveMessage[];
  /** Position in the event log at which the feed started. */
  readonly startPosition: Promise<Position>;
  /** Positions to which the feed skipped ahead. A batch after a gap does not begin where the previous batch ended. */
  readonly gapPositions: readonly Position[];
  /** Resolves when the delivered batches have reached a position in the event log. Rejects after `timeout_ms`. */
  waitForPosition(position: Position, timeout_ms?: number): Promise<void>;
  /** Stops following the feed. Rejects if the feed failed or delivered an invalid batch. */
  stop(): Promise<void>;
}

export function follow(
  feed: LiveFeed,
  { onBatch }: { readonly onBatch?: (batch: LiveBatch) => Promise<void> } = {},
): FeedFollower {
  const left = new AbortController();
  const batches: LiveBatch[] = [];
  const messages: LiveMessage[] = [];
  const gapPositions: Position[] = [];
  const waiting = new Set<() => void>();
  let began: (position: Position) => void;
  const begun = new Promise<Position>((resolve) => {
    began = resolve;
  });

  async function run(): Promise<void> {
    let through: Position | null = null;
    for await (const batch of feed.follow({ signal: left.signal })) {
      expectValidBatch(batch);
      if (through !== null && !batch.isLogReplaced) {
        expect(batch.after >= through, 'a batch does not begin before the end of the previous one').toBe(true);
        if (batch.after > through) gapPositions.push(batch.after);
      }
      through = batch.through;
      batches.push(batch);
      messages.push(...batch.messages);
      began(batch.after);
      for (const checkWaiter of waiting) checkWaiter();
      await onBatch?.(batch);
    }
  }
  const running = run();
  running.catch(() => undefined);

  return {
    batches,
    messages,
    startPosition: begun,
    gapPositions,
    waitForPosition(position, timeout_ms = MAX_WAIT_ms) {
      const isReached = () => (batches.at(-1)?.through ?? '') >= position;
      const arrived = new Promise<void>((resolve, reject) => {
        const checkWaiter = () => {
          if (!isReached()) return;
          clearTimeout(timer);
          waiting.delete(checkWaiter);
          resolve();
        };
        const timer = setTimeout(() => {
          waiting.delete(checkWaiter);
          reject(
            new Error(
              `The feed is at ${batches.at(-1)?.through ?? 'its start'}, not at ${position}, after ${timeout_ms} ms`,
            ),
          );
        }, timeout_ms);
        waiting.add(checkWaiter);
        checkWaiter();
      });
      return Promise.race([arrived, running.then(() => Promise.reject(new Error('The feed ended')))]);
    },
    async stop() {
      left.abort();
      await running;
    },
  };
}

function expectValidBatch({ after, messages, through }: LiveBatch): void {
  expect(through >= after, 'a batch does not end before it begins').toBe(true);
  let last: string = after;
  for (const { seq } of messages) {
    expect(seq > last, `${seq} is after ${last}`).toBe(true);
    last = seq;
  }
  expect(last <= through, 'no message is after the end of its batch').toBe(true);
}
