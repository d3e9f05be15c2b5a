import { DomainError } from '@alpenglow/domain';
import { json, type Request, type RequestHandler } from 'express';

const MAX_BODY = '64kb';
/** Articles are longer than anything else anybody writes: as many characters as they may have, of three bytes each, and what JSON adds. */
const MAX_ARTICLE_BODY = '512kb';
const ARTICLES = /^\/api\/admin\/blog\//iu;
/** The bytes of each body that was read, as they came. */
const raw = new WeakMap<object, Buffer>();
const read = new WeakSet<object>();
const parserFor = (limit: string) =>
  json({ limit, strict: true, verify: (req, _res, bytes) => void raw.set(req, bytes) });
const parse = parserFor(MAX_BODY);
const parseArticle = parserFor(MAX_ARTICLE_BODY);

/** The bytes of a body that `jsonBody` has read; none where there was no body. */
export function rawBodyOf(req: Request): Buffer {
  return raw.get(req) ?? Buffer.alloc(0);
}

/** Parses a JSON object body of at most 64 kB, 512 kB where articles are written; no body is an empty object. Anything else is refused: INVALID_JSON, UNSUPPORTED_MEDIA_TYPE, BODY_TOO_LARGE. A body is read once, however often this stands in the way. */
export const jsonBody: RequestHandler = (req, res, next) => {
  if (read.has(req)) {
    next();
    return;
  }
  read.add(req);
  if (hasBody(req.headers) && !req.is('json')) throw new DomainError('UNSUPPORTED_MEDIA_TYPE');
  const parseBody = ARTICLES.test(req.originalUrl) ? parseArticle : parse;
  parseBody(req, res, (error?: unknown) => {
    const body: unknown = req.body ?? {};
    const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
    req.body = body;
    next(error ?? (isObject ? undefined : new DomainError('INVALID_JSON')));
  });
};

function hasBody(headers: {
  readonly 'content-length'?: string | undefined;
  readonly 'transfer-encoding'?: string | undefined;
}): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
