import type { EventToAppend, RecordedEvent } from '@alpenglow/domain';
import { expect } from 'vitest';

/** The first `count` events of a subscription; fewer when it ends before. */
export async function take(subscription: AsyncIterable<readonly RecordedEvent[]>, count: number): Promise<RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  for await (const batch of subscription) {
    events.push(...batch);
    if (events.length >= count) break;
  }
  return events;
}

/**
 * Holds what a reader saw, in the order it saw it, against what was written: positions only rise, revisions of a stream
 * follow each other, every event is there once, and each writer's events stand in the order that writer wrote them.
 */
export function expectWholeHistory(seen: readonly RecordedEvent[], writers: readonly (readonly Pick<EventToAppend, 'id'>[])[]): void {
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
