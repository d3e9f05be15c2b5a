import { isPosition } from '@alpenglow/domain';
import type { RequestHandler } from 'express';
import type { ReadModelProgress } from '../read-model-progress.ts';
import { closingOf } from './closing.ts';

/** Lets a writer see their own write: a read waits until the projections it asks of have come to the position its `X-Wait-Position` names, as long as `WAIT_POSITION_MS` allows. */
export function waitForPosition(progress: ReadModelProgress, projections: readonly string[]): RequestHandler {
  return (req, res, next) => {
    const position = req.headers['x-wait-position'];
    if (typeof position !== 'string' || !isPosition(position)) {
      next();
      return;
    }
    const signal = closingOf(res);
    Promise.all(projections.map((projection) => progress.waitFor(projection, position, signal))).then(
      () => next(),
      next,
    );
  };
}
