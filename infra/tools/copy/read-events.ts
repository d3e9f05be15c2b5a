import { setTimeout as pause } from 'node:timers/promises';
import {
  comparePositions,
  EventStoreUnavailable,
  START,
  type EventStore,
  type Position,
  type RecordedEvent,
} from '@alpenglow/domain';
import { ToolError } from '../tool.ts';

const PAGE = 1_000;
/** A store that is away for longer than these together, about a minute, is not waited for. */
const WAITS_ms = [100, 300, 1_000, 3_000, 10_000, 20_000, 30_000] as const;

/** Does what can be done again, through short outages of the store. */
export async function patiently<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    signal?.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      const wait_ms = WAITS_ms[attempt];
      if (!(error instanceof EventStoreUnavailable) || wait_ms === undefined) throw error;
      await pause(wait_ms, undefined, { signal });
    }
  }
}

/**
 * Every event of a store up to the one at `until`, in order, as it is stored; a page in memory at a time. Throws `ToolError` when the
 * store gives no more before that: a read that was cut off must not pass for the end of history.
 */
export async function* readEvents(
  store: EventStore,
  { until, signal }: { readonly until: Position; readonly signal?: AbortSignal | undefined },
): AsyncGenerator<RecordedEvent> {
  for (let after = START; comparePositions(after, until) < 0; ) {
    const page = await patiently(() => store.readAll({ after, limit: PAGE }), signal);
    for (const event of page) {
      if (comparePositions(event.position, until) > 0) return;
      yield event;
    }
    const last = page.at(-1);
    if (!last)
      throw new ToolError(
        `The store has an event at ${until}, but gave none after ${after === START ? 'its beginning' : after}. Run the same command again.`,
      );
    after = last.position;
  }
}
