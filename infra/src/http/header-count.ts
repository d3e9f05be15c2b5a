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

/**
 * Checks whether a request has several `Host` headers. Node uses the first one, and a proxy may use another one
 * (RFC 9112, section 3.2).
 */
export function hasSeveralHosts({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): boolean {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (rawHeaders[index]?.length === 4 && rawHeaders[index]?.toLowerCase() === 'host') hosts += 1;
  return hosts > 1;
}

/**
 * Creates a handler that rejects requests with more than `max` headers, or with several `Host` headers. Throws
 * TOO_MANY_HEADERS or INVALID_REQUEST.
 */
export const rejectInvalidHeaders =
  (max: number): RequestHandler =>
  (req, _res, next) => {
    if (hasTooManyHeaders(req, max)) throw new DomainError('TOO_MANY_HEADERS');
    if (hasSeveralHosts(req)) throw new DomainError('INVALID_REQUEST');
    next();
  };
