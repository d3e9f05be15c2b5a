import { setImmediate as immediately, setTimeout as pause } from 'node:timers/promises';
import type { RequestHandler } from 'express';
import { onClose } from './close-signal.ts';

/**
 * The time after a request in which another request is likely. During this time, a long task pauses at least
 * `MIN_PAUSES` times for one millisecond between two of its batches, so that few requests have to wait for a batch.
 */
const RECENT_ms = 250;
const MIN_PAUSES = 4;
/**
 * The maximum number of pauses of one millisecond between two batches of a long task. Because of this limit, the task
 * ends even if there are always open requests.
 */
const MAX_PAUSES = 20;

/** Creates a counter of the HTTP requests that this process is handling. */
export function countOpenRequests() {
  let openRequests = 0;
  let lastRequest_ms = -Infinity;
  const countRequest: RequestHandler = (_req, res, next) => {
    openRequests += 1;
    lastRequest_ms = performance.now();
    onClose(res, () => (openRequests -= 1));
    next();
  };
  return {
    /** Counts every request while it is open. Must be the first handler of the application. */
    countRequest,
    /**
     * Pauses a long task between two of its batches, so that open requests are handled first. Resolves when there are
     * no open requests or the maximum time has passed.
     */
    async waitUntilIdle(): Promise<void> {
      await immediately();
      const minPauses = performance.now() - lastRequest_ms < RECENT_ms ? MIN_PAUSES : 0;
      for (let pauses = 0; (openRequests > 0 || pauses < minPauses) && pauses < MAX_PAUSES; pauses += 1) await pause(1);
    },
  };
}
