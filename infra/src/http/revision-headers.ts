import { DomainError } from '@alpenglow/domain';
import type { Request, Response } from 'express';
import type { CommandResult } from '@alpenglow/domain';
import { setPositionHeader } from './position-headers.ts';

const ETAG = /^(?:W\/)?"(\d{1,15})"$/u;

/**
 * Returns the revision of an event stream that the `If-Match` header of a request requires. Returns null if the header
 * is missing or `*`. Throws STALE if the header is malformed, because no revision can match it.
 */
export function parseIfMatch(req: Request): number | null {
  const header = req.get('if-match');
  if (header === undefined || header.trim() === '*') return null;
  const revision = ETAG.exec(header.trim())?.[1];
  if (revision === undefined) throw new DomainError('STALE');
  return Number(revision);
}

/**
 * Sets the response headers of a write. `ETag` contains the revision of the stream. `X-Position` contains the
 * encrypted position of the write in the event log. If the client sends this token as `X-Wait-Position` with its next
 * read, the response contains the write.
 */
export function setRevision(res: Response, handled: Pick<CommandResult<unknown>, 'revision' | 'position'>): void {
  if (handled.revision >= 0) res.setHeader('ETag', `"${handled.revision}"`);
  setPosition(res, handled);
}

/**
 * Sets the response header `X-Position` to the encrypted position of a write in the event log. Used without `ETag` if
 * clients must not learn the number of events in the stream.
 */
export function setPosition(res: Response, { position }: Pick<CommandResult<unknown>, 'position'>): void {
  if (position !== null) setPositionHeader(res, position);
}
