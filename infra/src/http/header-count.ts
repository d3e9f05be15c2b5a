import type { IncomingMessage } from 'node:http';
import { DomainError } from '@alpenglow/domain';
import type { RequestHandler } from 'express';

const MAX_HEADERS = 100;

/** Checks whether a request has more headers than any client or chain of proxies needs. */
export function hasTooManyHeaders({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): boolean {
  // `rawHeaders` contains the names and the values in turn.
  return rawHeaders.length / 2 > MAX_HEADERS;
}

/** Rejects a request with too many headers. Throws TOO_MANY_HEADERS. */
export const rejectTooManyHeaders: RequestHandler = (req, _res, next) => {
  if (hasTooManyHeaders(req)) throw new DomainError('TOO_MANY_HEADERS');
  next();
};
