import { matchRequest, type MatchedRequest } from '@alpenglow/domain/api';
import type { Request } from 'express';

const API = /^\/api(?=[/?#]|$)/iu;

export function isBelowApi(originalUrl: string): boolean {
  return API.test(originalUrl);
}

/** Returns the path of an API request without `/api` and without the query. */
export function getPathBelowApi(originalUrl: string): string {
  return originalUrl.replace(API, '').replace(/[?#].*$/su, '');
}

/**
 * The API operation of each request. It is stored here and not as a property of the request, because such a property
 * makes the request object slow in V8 (decision 0029).
 */
const matches = new WeakMap<object, MatchedRequest | null>();

/** Returns the API operation that matches a request, or null. The result is cached per request. */
export function findOperation(req: Pick<Request, 'method' | 'originalUrl'>): MatchedRequest | null {
  const known = matches.get(req);
  if (known !== undefined) return known;
  const match = isBelowApi(req.originalUrl) ? matchRequest(req.method, getPathBelowApi(req.originalUrl)) : null;
  matches.set(req, match);
  return match;
}
