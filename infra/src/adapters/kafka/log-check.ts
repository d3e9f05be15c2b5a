import type { EventStore, LogMark } from '@alpenglow/domain';
import type { Logger } from '../../service/logger.ts';
import { unlessAborted, waitUnlessAborted } from '../../service/polling-and-slots.ts';

const CHECK_RETRY_ms = 1_000;

interface LogCheckDependencies {
  readonly store: Pick<EventStore, 'findEventId'>;
  readonly log: Pick<Logger, 'debug' | 'warn'>;
}

/**
 * Creates a function that returns true if the event log contains an event, and false if the log has lost it. The
 * function waits for an unavailable store. It returns null if the signal aborts first.
 */
export function createLogCheck({
  store,
  log,
}: LogCheckDependencies): (event: LogMark, signal: AbortSignal) => Promise<boolean | null> {
  return async ({ position, id }, signal) => {
    let hasWarned = false;
    while (!signal.aborted) {
      try {
        const found = store.findEventId(position, id).then((foundId) => foundId === id);
        return await unlessAborted(found, signal);
      } catch (error) {
        // The position is from another kind of event store, so the log was replaced.
        if (error instanceof RangeError) return false;
        log[hasWarned ? 'debug' : 'warn']({ err: error }, 'live feed cannot check the event log, retrying');
        hasWarned = true;
        await waitUnlessAborted(CHECK_RETRY_ms, signal);
      }
    }
    return null;
  };
}
