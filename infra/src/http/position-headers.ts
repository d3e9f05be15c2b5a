import { comparePositions, type Position } from '@alpenglow/domain';
import type { RequestHandler, Response } from 'express';
import type { PositionTokens } from '../security/position-tokens.ts';

/**
 * Creates a handler that gives the routes access to positions in the event log. Clients receive and send positions only
 * as encrypted tokens. Must run before the routes.
 */
export function providePositions(tokens: PositionTokens): RequestHandler {
  return (req, res, next) => {
    const header = req.headers['x-wait-position'];
    res.locals['sealPosition'] = tokens.seal;
    // An invalid token is ignored. The read then returns the current state of the read models.
    res.locals['waitPosition'] =
      typeof header === 'string' ? (tokens.openAll(header).toSorted(comparePositions).at(-1) ?? null) : null;
    next();
  };
}

/** Returns the latest position in the header `X-Wait-Position`, or null if the request contains no valid position. */
export function getWaitPosition(res: Response): Position | null {
  return (res.locals['waitPosition'] as Position | null | undefined) ?? null;
}

/** Sets the header `X-Position` to a token with an encrypted position in the event log. */
export function setPositionHeader(res: Response, position: Position): void {
  const seal = res.locals['sealPosition'] as PositionTokens['seal'] | undefined;
  if (!seal) throw new Error('The route runs without the handler `providePositions`');
  res.setHeader('X-Position', seal(position));
}
