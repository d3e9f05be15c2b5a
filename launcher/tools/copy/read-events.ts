import {
  comparePositions,
  EventStoreUnavailable,
  START_POSITION,
  type EventStore,
  type Position,
  type RecordedEvent,
} from '@alpenglow/domain';
import pRetry from 'p-retry';
import { ToolError } from '../tool.ts';

const PAGE = 1_000;
/** Delays between retries when the store is unavailable. Together they take about a minute. */
const RETRIES = { retries: 7, minTimeout: 100, factor: 3, maxTimeout: 30_000 } as const;

/** Runs `work`, and repeats it if the store is unavailable for a short time. */
export async function retryDuringOutages<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  return pRetry(work, {
    ...RETRIES,
    ...(signal && { signal }),
    shouldRetry: ({ error }) => error instanceof EventStoreUnavailable,
  });
}

/**
 * Yields all events of the store up to the position `until`, in order. Only one page of events is in memory at a time.
 * Throws `ToolError` if the store returns no more events before it reaches `until`, because events are then missing.
 */
export async function* readEvents(
  store: EventStore,
  { until, signal }: { readonly until: Position; readonly signal?: AbortSignal | undefined },
): AsyncGenerator<RecordedEvent> {
  for (let after = START_POSITION; comparePositions(after, until) < 0; ) {
    const page = await retryDuringOutages(() => store.readAll({ after, limit: PAGE }), signal);
    for (const event of page) {
      if (comparePositions(event.position, until) > 0) return;
      yield event;
    }
    const last = page.at(-1);
    if (!last)
      throw new ToolError(
        `The store has an event at ${until}, but returned none after ` +
          `${after === START_POSITION ? 'its beginning' : after}. Run the same command again.`,
      );
    after = last.position;
  }
}
