import type { EventStore, EventToAppend, Position, RecordedEvent } from '@alpenglow/domain';
import { expect } from 'vitest';

/** Returns the first `count` events of a subscription, or fewer if the subscription ends earlier. */
export async function takeEvents(
  subscription: AsyncIterable<readonly RecordedEvent[]>,
  count: number,
): Promise<RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  for await (const batch of subscription) {
    events.push(...batch);
    if (events.length >= count) break;
  }
  return events;
}

/**
 * Returns the events of a subscription up to the event `lastId`. Does not count events, because a missed event would
 * then block the test.
 */
export async function takeEventsThrough(
  subscription: AsyncIterable<readonly RecordedEvent[]>,
  lastId: string,
): Promise<RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  for await (const batch of subscription) {
    events.push(...batch);
    if (batch.some(({ id }) => id === lastId)) break;
  }
  return events;
}

/** Reads events page by page until the event `lastId` appears. Returns all events that it has read. */
export async function readEventsThrough(
  store: EventStore,
  after: Position,
  lastId: string,
  limit: number,
): Promise<RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  for (;;) {
    const page = await store.readAll({ after: events.at(-1)?.position ?? after, limit });
    events.push(...page);
    if (page.some(({ id }) => id === lastId)) return events;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/**
 * Checks that a reader received all written events exactly once and in order. Positions must rise, and revisions of a
 * stream must be consecutive.
 */
export function expectWholeHistory(
  received: readonly RecordedEvent[],
  writers: readonly (readonly Pick<EventToAppend, 'id'>[])[],
): void {
  const firstDisorder = received.findIndex(
    (event, index) => index > 0 && event.position <= (received[index - 1]?.position ?? ''),
  );
  expect(firstDisorder, 'an event whose position is not after the previous one').toBe(-1);

  const nextRevision = new Map<string, number>();
  for (const { stream, revision } of received) {
    expect(revision, `the next revision in ${stream}`).toBe(nextRevision.get(stream) ?? revision);
    nextRevision.set(stream, revision + 1);
  }

  const indexById = new Map(received.map(({ id }, index) => [id, index]));
  expect(received.length, 'the number of received events').toBe(writers.flat().length);
  for (const written of writers) {
    const indexes = written.map(({ id }) => indexById.get(id) ?? -1);
    expect(indexes.includes(-1), 'every written event was received').toBe(false);
    expect(indexes, 'the events of one writer are in order').toEqual(indexes.toSorted((a, b) => a - b));
  }
}
