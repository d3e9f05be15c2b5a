import { createHash } from 'node:crypto';
import type { EventToAppend } from '@alpenglow/domain';
import { v7 as uuidv7 } from 'uuid';

/** An event to append; what a test says nothing about is made up. */
export function anEvent(given: Partial<EventToAppend> = {}): EventToAppend {
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
    ...given,
  };
}

export function someEvents(count: number): EventToAppend[] {
  return Array.from({ length: count }, () => anEvent());
}

/** A name no other test uses. */
export function uniqueName(prefix: string): string {
  return `${prefix}-${uuidv7()}`;
}

export interface PlannedLane {
  readonly run: string;
  readonly writer: number;
  readonly lane: number;
  readonly appends: number;
  readonly eventsPerAppend: number;
}

/** The ids of all events a lane of a writer is to append, in order: the same whenever and wherever they are asked for. */
export function plannedIds({ run, writer, lane, appends, eventsPerAppend }: PlannedLane): string[] {
  return Array.from({ length: appends * eventsPerAppend }, (_, place) => {
    const hex = createHash('sha256').update([run, writer, lane, place].join('/')).digest('hex');
    return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-');
  });
}
