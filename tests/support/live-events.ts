import type { EventStore, EventToAppend, LiveBatch, LiveFeed, LiveMessage, Position } from '@alpenglow/domain';
import { expect } from 'vitest';
import { anEvent, uniqueName } from './events.ts';
import { PATIENCE_ms } from './patience.ts';

/** An event the live channel tells of. */
export function aBump(adId: string = uniqueName('ad')): EventToAppend {
  return anEvent({ type: 'AdBumped', data: { accountId: 'a'.repeat(32), adId } });
}

/** Appends one bump for each ad, an append and, unless a stream is given, a stream each; answers the position of the last. */
export async function bump(store: EventStore, adIds: readonly string[], stream?: string): Promise<Position> {
  let last = '' as Position;
  for (const adId of adIds)
    ({ position: last } = await store.append(stream ?? `listing-${adId}`, [aBump(adId)], { expectedRevision: 'any' }));
  return last;
}

export const adsNamed = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, n) => `${prefix}-${String(n).padStart(5, '0')}`);

/** Somebody who follows a feed and keeps everything. Every batch is held against what a feed promises. */
export interface Follower {
  readonly batches: readonly LiveBatch[];
  readonly messages: readonly LiveMessage[];
  /** Where telling began. */
  readonly begun: Promise<Position>;
  /** The positions at which the feed had to begin anew. */
  readonly anew: readonly Position[];
  /** Resolves once everything up to a position has been told. */
  reached(position: Position, timeout_ms?: number): Promise<void>;
  /** Leaves; rejects when the feed failed or broke a promise. */
  leave(): Promise<void>;
}

export function follow(
  feed: LiveFeed,
  { onBatch }: { readonly onBatch?: (batch: LiveBatch) => Promise<void> } = {},
): Follower {
  const left = new AbortController();
  const batches: LiveBatch[] = [];
  const messages: LiveMessage[] = [];
  const anew: Position[] = [];
  const waiting = new Set<() => void>();
  let began: (position: Position) => void;
  const begun = new Promise<Position>((resolve) => {
    began = resolve;
  });

  async function run(): Promise<void> {
    let through: Position | null = null;
    for await (const batch of feed.follow({ signal: left.signal })) {
      expectWhole(batch);
      if (through !== null) {
        expect(batch.after >= through, 'a batch begins before the one before ended').toBe(true);
        if (batch.after > through) anew.push(batch.after);
      }
      through = batch.through;
      batches.push(batch);
      messages.push(...batch.messages);
      began(batch.after);
      for (const look of waiting) look();
      await onBatch?.(batch);
    }
  }
  const running = run();
  running.catch(() => undefined);

  return {
    batches,
    messages,
    begun,
    anew,
    reached(position, timeout_ms = PATIENCE_ms) {
      const isReached = () => (batches.at(-1)?.through ?? '') >= position;
      const arrived = new Promise<void>((resolve, reject) => {
        const look = () => {
          if (!isReached()) return;
          clearTimeout(timer);
          waiting.delete(look);
          resolve();
        };
        const timer = setTimeout(() => {
          waiting.delete(look);
          reject(
            new Error(
              `Not told up to ${position} within ${timeout_ms} ms; told up to ${batches.at(-1)?.through ?? 'nothing'}`,
            ),
          );
        }, timeout_ms);
        waiting.add(look);
        look();
      });
      return Promise.race([arrived, running.then(() => Promise.reject(new Error('The feed ended')))]);
    },
    async leave() {
      left.abort();
      await running;
    },
  };
}

function expectWhole({ after, messages, through }: LiveBatch): void {
  expect(through >= after, 'a batch ends before it begins').toBe(true);
  let last: string = after;
  for (const { seq } of messages) {
    expect(seq > last, `${seq} does not lie above ${last}`).toBe(true);
    last = seq;
  }
  expect(last <= through, 'a message lies behind the end of its batch').toBe(true);
}
