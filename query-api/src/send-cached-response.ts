import { parse, stringify } from 'node:querystring';
import { findOperation, getQuery, type QueryRequest } from '@alpenglow/infra';
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

/**
 * Returns the query of a request. Its `search` is the key of a cached response, so it contains only the parameters that
 * the operation declares, in the order of their names. Otherwise, a client could request the same list with any number
 * of keys.
 */
export function getCacheableQuery<Query>(req: QueryRequest<Query> & Pick<Request, 'url'>): CacheableQuery<Query> {
  const start = req.url.indexOf('?');
  const query = () => getQuery(req);
  if (start === -1) return { search: '', query };
  const declared = findOperation(req)?.operation.queryParameters ?? {};
  const known = Object.entries(parse(req.url.slice(start + 1))).filter(([name]) => Object.hasOwn(declared, name));
  const search = stringify(Object.fromEntries(known.toSorted(([one], [other]) => (one < other ? -1 : 1))));
  return { search, query };
}
