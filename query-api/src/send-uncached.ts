import type { Response } from 'express';

/**
 * Sends a JSON response that no cache stores. The `ETag` is the revision of the resource, which a client sends as
 * `If-Match` with a write. `res.json` is not used, because it responds with 304 for the same revision even if other
 * data has changed.
 */
export function sendRevision<Body>(res: Response, revision: number, body: Body): void {
  res.setHeader('ETag', `"${revision}"`);
  res.setHeader('Cache-Control', 'no-store');
  res.type('json').end(JSON.stringify(body));
}

/** Sends a JSON response that no cache stores. */
export function sendUncached<Body>(res: Response, body: Body): void {
  res.setHeader('Cache-Control', 'no-store').json(body);
}
