import type { RequestHandler } from 'express';
import type { ReadModelProgress } from '../service/read-model-progress.ts';
import { createCloseSignal } from './close-signal.ts';
import { getWaitPosition } from './position-headers.ts';

/**
 * Creates a handler that delays a read request until the read models `projections` contain all events up to the
 * position in the `X-Wait-Position` header. Clients can then read the result of their own writes. The wait ends after
 * `WAIT_POSITION_MS` at the latest.
 */
export function waitForPosition(progress: ReadModelProgress, projections: readonly string[]): RequestHandler {
  return (_req, res, next) => {
    const position = getWaitPosition(res);
    if (position === null) {
      next();
      return;
    }
    const signal = createCloseSignal(res);
    Promise.all(projections.map((projection) => progress.waitFor(projection, position, signal))).then(
      () => next(),
      next,
    );
  };
}
