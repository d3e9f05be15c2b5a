import { setTimeout as pause } from 'node:timers/promises';
import {
  BlobStoreDenied,
  PostponedJobError,
  UnreadableEventError,
  type JobHandler,
  type JobKind,
} from '@alpenglow/domain';
import { isTransient, type Logger } from '@alpenglow/infra';

const FIRST_WAIT_ms = 500;
const LONGEST_WAIT_ms = 5_000;
const PATIENCE_ms = 60 * 60_000;
const UNREADABLE_WAIT_ms = 10 * 60_000;

/**
 * Returns a job handler that repeats `handle` while a backing service, e.g. the database, is unavailable. An outage
 * therefore does not use up the few attempts of a job. After `patience_ms`, the job is postponed with
 * `PostponedJobError`, so that other jobs can run. If the blob store denies access, the job is postponed at once,
 * because this error may last long. If personal data cannot be decrypted, the job is postponed as well, because a
 * restored key may make it possible again (decision 0073).
 */
export function withRetryDuringOutages<K extends JobKind>(
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
        if (err instanceof UnreadableEventError) {
          log.error({ err, jobId: context.jobId }, 'job waits until personal data can be decrypted');
          throw new PostponedJobError(err.message, { cause: err, after_ms: UNREADABLE_WAIT_ms });
        }
        if (!isBackingServiceFailure(err)) throw err;
        if (err instanceof BlobStoreDenied || context.signal.aborted || Date.now() + wait_ms > deadline)
          throw new PostponedJobError('A backing service is not available', { cause: err });
        log.warn({ err, wait_ms }, 'job waits for a backing service');
        // If the signal aborts during the pause, the handler runs one last time.
        await pause(wait_ms, undefined, { signal: context.signal }).catch(() => undefined);
      }
    }
  };
}

/**
 * Checks whether an error was caused by a backing service, e.g. the database, and not by the job itself. The service is
 * unavailable, or the blob store denies access.
 */
export function isBackingServiceFailure(error: unknown): boolean {
  return isTransient(error) || error instanceof BlobStoreDenied;
}
