import type { EventToAppend, RecordedEvent } from '@alpenglow/domain';
import { anEvent as anyEvent, uniqueName } from './events.ts';

export interface CorrelatedEvents {
  anEvent(overrides?: Partial<EventToAppend>): EventToAppend;
  someEvents(count: number): EventToAppend[];
  isMine(event: RecordedEvent): boolean;
  /** Yields only the events of this test from a subscription. */
  filterOwn(subscription: AsyncIterable<readonly RecordedEvent[]>): AsyncGenerator<readonly RecordedEvent[]>;
}

/** Creates events with the same correlation id, so that a test can identify its events in a shared store. */
export function createCorrelatedEvents(): CorrelatedEvents {
  const run = uniqueName('run');
  const anEvent = (overrides: Partial<EventToAppend> = {}): EventToAppend => {
    const event = anyEvent(overrides);
    return { ...event, meta: { ...event.meta, correlationId: run } };
  };
  const isMine = ({ meta }: RecordedEvent): boolean => meta.correlationId === run;
  return {
    anEvent,
    someEvents: (count) => Array.from({ length: count }, () => anEvent()),
    isMine,
    async *filterOwn(subscription) {
      for await (const batch of subscription) if (batch.some(isMine)) yield batch.filter(isMine);
    },
  };
}
