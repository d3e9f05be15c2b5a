import { setTimeout as pause } from 'node:timers/promises';
import { BlobStoreRefusal, PostponedJobError, type JobHandler, type JobKind } from '@alpenglow/domain';
import { isPassing, type Logger } from '@alpenglow/infra';

const FIRST_WAIT_ms = 500;
const LONGEST_WAIT_ms = 5_000;
const PATIENCE_ms = 60 * 60_000;

/**
 * A handler that waits while an engine cannot be reached, and then goes on. A job has few attempts, seconds apart; an outage must not use
 * them up, since it says nothing against the job. After an hour, and at once when the store refuses us, which may last for long, the job is
 * postponed: others get their turn.
 */
export function throughOutages<K extends JobKind>(
  handle: JobHandler<K>,
  log: Logger,
  { firstWait_ms = FIRST_WAIT_ms, patience_ms = PATIENCE_ms } = {},
): JobHandler<K> {
  return async (payload, context) => {
    const deadline = Date.now() + patience_ms;
    for (let wait_ms = firstWait_ms; ; wait_ms = Math.min(wait_ms * 2, LONGEST_WAIT_ms)) {
      try {
        return await handle(payload, context);
      } catch (err) {
        if (!isTroubleOfEngines(err)) throw err;
        if (err instanceof BlobStoreRefusal || context.signal.aborted || Date.now() + wait_ms > deadline)
          throw new PostponedJobError('An engine is away', { cause: err });
        log.warn({ err, wait_ms }, 'a job waits for an engine');
        // Told to stop meanwhile, it tries once more, and what it says then is its end.
        await pause(wait_ms, undefined, { signal: context.signal }).catch(() => undefined);
      }
    }
  };
}

/** Whether an engine cannot be reached or refuses us, rather than that something is wrong with what is done. */
export function isTroubleOfEngines(error: unknown): boolean {
  return isPassing(error) || error instanceof BlobStoreRefusal;
}
