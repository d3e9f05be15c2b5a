import type { Response } from 'express';

/**
 * Sends a JSON response that no cache may store. The `ETag` header is the revision of the resource. A client sends this
 * revision in the `If-Match` header of a write request. `res.json` is not used, because it responds with 304 if the
 * revision is the same, even if other data has changed.
 */
export function sendRevision<Body>(res: Response<Body>, revision: number, body: NoInfer<Body>): void {
  res.setHeader('ETag', `"${revision}"`);
  res.setHeader('Cache-Control', 'no-store');
  res.type('json').end(JSON.stringify(body));
}

/** Sends a JSON response that no cache may store. */
export function sendUncached<Body>(res: Response<Body>, body: NoInfer<Body>): void {
  res.setHeader('Cache-Control', 'no-store').json(body);
}
