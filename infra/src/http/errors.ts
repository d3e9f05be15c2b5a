import { STATUS_CODES } from 'node:http';
import {
  BlobStoreUnavailable,
  ConcurrencyConflict,
  DomainError,
  ERRORS,
  errorMessage,
  EventStoreUnavailable,
  failureMessage,
  InvalidAppend,
  JobQueueUnavailable,
  methodsAt,
  type ErrorAnswer,
  type ErrorCode,
} from '@alpenglow/domain';
import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import type * as z from 'zod/mini';
import { isOutage } from '../adapters/postgres/errors.ts';
import type { Logger } from '../logger.ts';
import { loggablePath } from './loggable-path.ts';
import { requestIdOf } from './request-context.ts';
import { SECURITY_HEADERS } from './security-headers.ts';

/** The body of a refusal, in the shape of the product decisions, "Payloads", and of RFC 9457. */
export function errorAnswer(
  error: DomainError,
  { method, originalUrl }: Pick<Request, 'method' | 'originalUrl'>,
  requestId: string,
): ErrorAnswer {
  const { code, message, retryAfter_s, fields } = error;
  const { status } = ERRORS[code];
  return {
    success: false,
    error: message,
    message: FAULTS_OF_OURS.has(code) ? failureMessage(method, pathInApi(originalUrl), message) : message,
    code,
    title: STATUS_CODES[status] ?? 'Error',
    status,
    requestId,
    ...(retryAfter_s !== null && { retryAfter_s }),
    ...(fields && { fields }),
  };
}

/** Refusals that say nothing against what was asked: the call's own words tell more than ours (specification, section 8). */
const FAULTS_OF_OURS: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['INTERNAL', 'UNAVAILABLE']);

const API = /^\/api(?=[/?#]|$)/iu;

/** The path of a request below `/api`, without its query. */
function pathInApi(originalUrl: string): string {
  return originalUrl.replace(API, '').replace(/[?#].*$/su, '');
}

/** With what a path is called: pages and files are read. */
function allowedMethods(originalUrl: string): readonly string[] {
  return API.test(originalUrl) ? methodsAt(pathInApi(originalUrl)) : ['GET', 'HEAD'];
}

/** Of the headers that were set before an error was thrown, those that belong to any answer. */
const OF_ANY_ANSWER: ReadonlySet<string> = new Set([...SECURITY_HEADERS, 'x-request-id', 'connection']);

/**
 * Answers a refusal as the specification, section 8, words it. What a route has said of its success before it failed, such as `ETag` or
 * `X-Position`, is taken back.
 */
export function answerError(res: Response, error: DomainError): void {
  const { code, retryAfter_s } = error;
  for (const name of res.getHeaderNames()) if (!OF_ANY_ANSWER.has(name)) res.removeHeader(name);
  if (code === 'METHOD_NOT_ALLOWED') res.setHeader('Allow', allowedMethods(res.req.originalUrl).join(', '));
  const answer = errorAnswer(error, res.req, requestIdOf(res));
  if (retryAfter_s !== null) res.setHeader('Retry-After', String(retryAfter_s));
  // Not `send`, which would add an `ETag`.
  const body = Buffer.from(JSON.stringify(answer), 'utf8');
  res
    .status(ERRORS[code].status)
    .setHeader('Cache-Control', 'no-store')
    .type('application/problem+json; charset=utf-8')
    .setHeader('Content-Length', body.length)
    .end(body);
}

/** Refuses every request that no route took: METHOD_NOT_ALLOWED where a route would with another method, else NOT_FOUND. */
export const noSuchRoute: RequestHandler = ({ method, originalUrl }) => {
  const others = API.test(originalUrl) ? methodsAt(pathInApi(originalUrl)) : [];
  throw new DomainError(others.length === 0 || others.includes(method) ? 'NOT_FOUND' : 'METHOD_NOT_ALLOWED');
};

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']);

/** Refuses methods that nothing here is called with, OPTIONS among them: other origins have no business with us. */
export const usualMethods: RequestHandler = ({ method, originalUrl }, _res, next) => {
  if (METHODS.has(method)) next();
  else throw new DomainError(allowedMethods(originalUrl).length > 0 ? 'METHOD_NOT_ALLOWED' : 'NOT_FOUND');
};

/**
 * Turns whatever a route threw into an answer. What we did not foresee is answered as INTERNAL, without a word of it. Every
 * answer that is our fault leaves its error in the log: 503 passes by itself, 500 wants to be looked into.
 */
export function errorHandler(log: Logger): ErrorRequestHandler {
  return (error: unknown, req, res, next) => {
    if (res.headersSent) {
      next(error);
      return;
    }
    const refusal = asRefusal(error);
    const { status } = ERRORS[refusal.code];
    if (status >= 500)
      log[status === 503 ? 'warn' : 'error'](
        { requestId: requestIdOf(res), method: req.method, path: loggablePath(req.originalUrl), status, err: error },
        'not answered',
      );
    answerError(res, refusal);
  };
}

/** Errors of Express's own parsers carry one of these in `type`. */
const PARSER_ERRORS: Readonly<Record<string, ErrorCode>> = {
  'entity.parse.failed': 'INVALID_JSON',
  'entity.verify.failed': 'INVALID_JSON',
  'entity.too.large': 'BODY_TOO_LARGE',
  'encoding.unsupported': 'UNSUPPORTED_MEDIA_TYPE',
  'charset.unsupported': 'UNSUPPORTED_MEDIA_TYPE',
  'request.aborted': 'INVALID_REQUEST',
  'request.size.invalid': 'INVALID_REQUEST',
};

/** Whether an engine cannot be reached now: waiting may mend it, and nothing is wrong with what was asked. */
export function isPassing(error: unknown): boolean {
  return (
    error instanceof EventStoreUnavailable ||
    error instanceof BlobStoreUnavailable ||
    error instanceof JobQueueUnavailable ||
    isOutage(error)
  );
}

function asRefusal(error: unknown): DomainError {
  if (error instanceof DomainError) return error;
  if (isPassing(error)) return new DomainError('UNAVAILABLE', {}, 1);
  if (error instanceof ConcurrencyConflict) return new DomainError('CONFLICT');
  if (error instanceof URIError || error instanceof InvalidAppend) return new DomainError('INVALID_REQUEST');
  const { type, status } = error as { type?: unknown; status?: unknown };
  if (typeof type === 'string' && type in PARSER_ERRORS)
    return new DomainError(PARSER_ERRORS[type] ?? 'INVALID_REQUEST');
  if (typeof status === 'number' && status >= 400 && status < 500) return new DomainError('INVALID_REQUEST');
  return new DomainError('INTERNAL');
}

/**
 * The input as the schema gives it back. Throws REQUIRED_FIELDS when something required is missing, otherwise
 * INVALID_FIELDS, with what is wrong field by field.
 */
export function parseInput<Schema extends z.ZodMiniType>(schema: Schema, input: unknown): z.output<Schema> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const fields: Record<string, string> = {};
  for (const issue of parsed.error.issues) fields[issue.path.join('.') || 'body'] ??= issue.message;
  const reasons = Object.values(fields);
  const required = errorMessage('REQUIRED_FIELDS');
  throw reasons.includes(required)
    ? new DomainError('REQUIRED_FIELDS', {}, null, fields)
    : new DomainError('INVALID_FIELDS', { reason: reasons[0] ?? required }, null, fields);
}
