import type { EventToAppend, RecordedEvent } from '@alpenglow/domain';
import { anEvent as anyEvent, uniqueName } from './events.ts';

export interface OwnEvents {
  anEvent(given?: Partial<EventToAppend>): EventToAppend;
  someEvents(count: number): EventToAppend[];
  isMine(event: RecordedEvent): boolean;
  /** A subscription without what others wrote. */
  mine(subscription: AsyncIterable<readonly RecordedEvent[]>): AsyncGenerator<readonly RecordedEvent[]>;
}

/** Events that can be told from those of anybody else who uses the same store: all have one correlation id. */
export function ownEvents(): OwnEvents {
  const run = uniqueName('run');
  const anEvent = (given: Partial<EventToAppend> = {}): EventToAppend => {
    const event = anyEvent(given);
    return { ...event, meta: { ...event.meta, correlationId: run } };
  };
  const isMine = ({ meta }: RecordedEvent): boolean => meta.correlationId === run;
  return {
    anEvent,
    someEvents: (count) => Array.from({ length: count }, () => anEvent()),
    isMine,
    async *mine(subscription) {
      for await (const batch of subscription) if (batch.some(isMine)) yield batch.filter(isMine);
    },
  };
}
