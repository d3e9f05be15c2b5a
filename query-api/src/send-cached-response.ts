import type { Request, Response } from 'express';
import type { CacheableQuery } from './ads/list-responses.ts';
import type { CachedResponse } from './ads/response-cache.ts';

/** Sends a cached response, or 304 if the client already has this response. */
export async function sendCachedResponse(
  req: Request,
  res: Response,
  response: Promise<CachedResponse>,
): Promise<void> {
  const { body, etag } = await response;
  res.setHeader('ETag', etag);
  res.setHeader('Cache-Control', 'no-cache');
  if (req.headers['if-none-match'] === etag) {
    res.status(304).end();
    return;
  }
  res.setHeader('Content-Type', 'application/json; charset=utf-8');
  res.setHeader('Content-Length', body.length);
  res.end(req.method === 'HEAD' ? undefined : body);
}

/** Returns the query string of a request. The string is parsed only if no cached response exists. */
export function getCacheableQuery(req: Request): CacheableQuery {
  const start = req.url.indexOf('?');
  return { search: start === -1 ? '' : req.url.slice(start + 1), query: () => req.query };
}
