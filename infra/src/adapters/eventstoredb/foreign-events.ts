import { START_POSITION, type Position } from '@alpenglow/domain';
import type { ReceivedEvent } from './envelope.ts';
import { toPosition } from './positions.ts';

export type ForeignEventCounter = ReturnType<typeof createForeignEventCounter>;

/**
 * Creates a counter of the events of other applications. Several subscriptions of a process, and a subscription that
 * resumes, may receive the same event, so only events after the last counted one are counted. `count` receives the type
 * of each of these events.
 */
export function createForeignEventCounter(count: (type: string) => void) {
  let counted: Position = START_POSITION;
  return {
    add(event: ReceivedEvent): void {
      const position = toPosition(event.position);
      if (position <= counted) return;
      counted = position;
      count(event.type);
    },
  };
}
