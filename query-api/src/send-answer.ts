import type { Request, Response } from 'express';
import type { Asked } from './ads/list-answers.ts';
import type { CachedAnswer } from './ads/list-cache.ts';

/** Sends an answer that is ready, or 304 to whoever has it already. */
export async function sendAnswer(req: Request, res: Response, answer: Promise<CachedAnswer>): Promise<void> {
  const { body, etag } = await answer;
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

/** The query of a request, parsed only when somebody wants it. */
export function askedOf(req: Request): Asked {
  const start = req.url.indexOf('?');
  return { search: start === -1 ? '' : req.url.slice(start + 1), query: () => req.query };
}
