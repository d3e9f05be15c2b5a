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

/** The operation of each request. It is not a property of the request, because this slows V8 down (decision 0029). */
const matches = new WeakMap<object, MatchedRequest | null>();

/** Returns the operation of an API request, or null. The result is cached for each request. */
export function findOperation(req: Pick<Request, 'method' | 'originalUrl'>): MatchedRequest | null {
  const known = matches.get(req);
  if (known !== undefined) return known;
  const match = isBelowApi(req.originalUrl) ? matchRequest(req.method, getPathBelowApi(req.originalUrl)) : null;
  matches.set(req, match);
  return match;
}
