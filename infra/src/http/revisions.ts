import { DomainError } from '@alpenglow/domain';
import type { Request, Response } from 'express';
import type { Handled } from '../command-handling.ts';

const ETAG = /^(?:W\/)?"(\d{1,15})"$/u;

/** The revision `If-Match` asks for; null when the header is absent or `*`. A malformed header can match nothing: STALE. */
export function ifMatchOf(req: Request): number | null {
  const header = req.get('if-match');
  if (header === undefined || header.trim() === '*') return null;
  const revision = ETAG.exec(header.trim())?.[1];
  if (revision === undefined) throw new DomainError('STALE');
  return Number(revision);
}

/** Tells the writer where its write stands: `ETag` is the stream's revision, `X-Position` what to hand to a read as `X-Wait-Position`. */
export function setRevision(res: Response, handled: Pick<Handled<unknown>, 'revision' | 'position'>): void {
  if (handled.revision >= 0) res.setHeader('ETag', `"${handled.revision}"`);
  setPosition(res, handled);
}

/** `X-Position` alone, where the number of events in the stream is nobody's business. */
export function setPosition(res: Response, { position }: Pick<Handled<unknown>, 'position'>): void {
  if (position !== null) res.setHeader('X-Position', position);
}
