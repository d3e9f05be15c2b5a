import type { IncomingMessage } from 'node:http';
import { DomainError } from '@alpenglow/domain';
import type { RequestHandler } from 'express';

/** The maximum number of headers of a request that a process accepts from clients and proxies. */
export const MAX_HEADERS = 100;
/**
 * The maximum number of headers of a request behind the gateway. It is higher, because the gateway adds headers to each
 * request.
 */
export const MAX_HEADERS_BEHIND_GATEWAY = MAX_HEADERS + 10;

/** Checks whether a request has more than `max` headers. */
export function hasTooManyHeaders({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>, max: number): boolean {
  // `rawHeaders` alternates between header names and header values.
  return rawHeaders.length / 2 > max;
}

/** Creates a handler that rejects requests with more than `max` headers. Throws TOO_MANY_HEADERS. */
export const rejectTooManyHeaders =
  (max: number): RequestHandler =>
  (req, _res, next) => {
    if (hasTooManyHeaders(req, max)) throw new DomainError('TOO_MANY_HEADERS');
    next();
  };
