import { DomainError } from '@alpenglow/domain';
import { json, type RequestHandler } from 'express';

const MAX_BODY = '64kb';
const parse = json({ limit: MAX_BODY, strict: true });

/** Parses a JSON object body of at most 64 kB; no body is an empty object. Anything else is refused: INVALID_JSON, UNSUPPORTED_MEDIA_TYPE, BODY_TOO_LARGE. */
export const jsonBody: RequestHandler = (req, res, next) => {
  if (hasBody(req.headers) && !req.is('json')) throw new DomainError('UNSUPPORTED_MEDIA_TYPE');
  parse(req, res, (error?: unknown) => {
    const body: unknown = req.body ?? {};
    const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
    req.body = body;
    next(error ?? (isObject ? undefined : new DomainError('INVALID_JSON')));
  });
};

function hasBody(headers: { readonly 'content-length'?: string | undefined; readonly 'transfer-encoding'?: string | undefined }): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
