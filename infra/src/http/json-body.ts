import type { IncomingMessage } from 'node:http';
import { DomainError } from '@alpenglow/domain';
import { JSON_BODY_MAX_bytes } from '@alpenglow/domain/api';
import { json, type Request, type RequestHandler } from 'express';
import { findOperation } from './request-operation.ts';

const rawBodies = new WeakMap<object, Buffer>();
const readRequests = new WeakSet<object>();
const parsers = new Map<number, RequestHandler>();

function findParser(max_bytes: number): RequestHandler {
  const known = parsers.get(max_bytes);
  if (known) return known;
  const parser = json({ limit: max_bytes, strict: true, verify: (req, _res, bytes) => void rawBodies.set(req, bytes) });
  parsers.set(max_bytes, parser);
  return parser;
}

/**
 * Returns the unparsed bytes of a request body that `parseJsonBody` has read. Returns an empty buffer if there was no
 * body.
 */
export function getRawBody(req: Request): Buffer {
  return rawBodies.get(req) ?? Buffer.alloc(0);
}

/**
 * Parses the request body as a JSON object. The operation declares the maximum size. A missing body becomes an empty
 * object. Throws INVALID_JSON, UNSUPPORTED_MEDIA_TYPE or BODY_TOO_LARGE. Several handlers of a request may call this
 * function, because it reads the body only once.
 */
export const parseJsonBody: RequestHandler = (req, res, next) => {
  if (readRequests.has(req)) {
    next();
    return;
  }
  readRequests.add(req);
  if (hasBody(req) && !req.is('json')) throw new DomainError('UNSUPPORTED_MEDIA_TYPE');
  const declared = findOperation(req)?.operation.body;
  const parseBody = findParser(declared?.kind === 'json' ? declared.max_bytes : JSON_BODY_MAX_bytes);
  parseBody(req, res, (error?: unknown) => {
    const body: unknown = req.body ?? {};
    const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
    req.body = body;
    next(error ?? (isObject ? undefined : new DomainError('INVALID_JSON')));
  });
};

/** Returns true if a request has a body, according to its headers. */
export function hasBody({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
