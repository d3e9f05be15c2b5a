import type { EventStore, EventToAppend, Position, RecordedEvent } from '@alpenglow/domain';
import { expect } from 'vitest';

/** The first `count` events of a subscription; fewer when it ends before. */
export async function take(
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

/** The events of a subscription up to the one with this id, which is written after all others. A count would wait for ever for an event that was missed. */
export async function takeThrough(
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

/** The same by reading page after page, again and again. */
export async function pollThrough(
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
 * Holds what a reader saw, in the order it saw it, against what was written: positions only rise, revisions of a stream
 * follow each other, every event is there once, and each writer's events stand in the order that writer wrote them.
 */
export function expectWholeHistory(
  seen: readonly RecordedEvent[],
  writers: readonly (readonly Pick<EventToAppend, 'id'>[])[],
): void {
  const firstFault = seen.findIndex((event, index) => index > 0 && event.position <= (seen[index - 1]?.position ?? ''));
  expect(firstFault, 'an event whose position does not lie above the one before it').toBe(-1);

  const nextRevision = new Map<string, number>();
  for (const { stream, revision } of seen) {
    expect(revision, `the revision that follows in ${stream}`).toBe(nextRevision.get(stream) ?? revision);
    nextRevision.set(stream, revision + 1);
  }

  const place = new Map(seen.map(({ id }, index) => [id, index]));
  expect(seen.length, 'how many events were seen').toBe(writers.flat().length);
  for (const written of writers) {
    const places = written.map(({ id }) => place.get(id) ?? -1);
    expect(places.includes(-1), 'an event that was written and not seen').toBe(false);
    expect(places, 'the order of one writer').toEqual(places.toSorted((a, b) => a - b));
  }
}
