import { createHash } from 'node:crypto';
import { type EventToAppend, type StreamId, toStreamId } from '@alpenglow/domain';
import { v7 as uuidv7 } from 'uuid';

/** Returns an event that can be appended. `overrides` replaces its default fields. */
export function anEvent(overrides: Partial<EventToAppend> = {}): EventToAppend {
  return {
    id: uuidv7(),
    type: 'SomethingHappened',
    version: 1,
    data: { note: 'made up' },
    meta: {
      correlationId: uuidv7(),
      causationId: null,
      actor: { kind: 'system', name: 'test' },
      at: '2026-11-21T12:00:00.000Z',
    },
    ...overrides,
  };
}

export function someEvents(count: number): EventToAppend[] {
  return Array.from({ length: count }, () => anEvent());
}

/** Returns a name that no other test uses. */
export function uniqueName(prefix: string): StreamId {
  return toStreamId({ name: prefix }, uuidv7());
}

export interface PlannedLane {
  readonly run: string;
  readonly writer: number;
  readonly lane: number;
  readonly appends: number;
  readonly eventsPerAppend: number;
}

/**
 * Returns the ids of all events that one lane of a writer appends, in order. A lane is a sequence of appends. The same
 * input always results in the same ids.
 */
export function plannedIds({ run, writer, lane, appends, eventsPerAppend }: PlannedLane): string[] {
  return Array.from({ length: appends * eventsPerAppend }, (_, place) => {
    const hex = createHash('sha256').update([run, writer, lane, place].join('/')).digest('hex');
    return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-');
  });
}
