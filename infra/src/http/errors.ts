import { STATUS_CODES } from 'node:http';
import {
  BlobStoreUnavailable,
  ConcurrencyConflict,
  DomainError,
  ERRORS,
  errorMessage,
  EventStoreUnavailable,
  InvalidAppend,
  JobQueueUnavailable,
  UnreadableEventError,
  type ErrorResponse,
  type ErrorCode,
} from '@alpenglow/domain';
import { getFailureMessage, findMethods } from '@alpenglow/domain/api';
import type { ErrorRequestHandler, RequestHandler, Response } from 'express';
import type * as z from 'zod/mini';
import { isOutage } from '../adapters/postgres/errors.ts';
import { DecoderUnavailable } from '../adapters/decoder/decoder.ts';
import { nameFailure, type Logger } from '../service/logger.ts';
import { BusyError } from './waiting-requests.ts';
import { toLoggablePath } from './loggable-path.ts';
import { isBelowApi, getPathBelowApi } from './request-operation.ts';
import { getRequestId, setFailure } from './request-context.ts';
import { SECURITY_HEADERS } from './security-headers.ts';
import { TUS_VERSION } from './tus-methods.ts';

/**
 * Error codes for errors that the client did not cause. For these codes, the response contains the failure message of
 * the operation, which is more helpful to the user than a general message.
 */
const SERVER_ERRORS: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['INTERNAL', 'UNAVAILABLE']);

/** Returns the HTTP methods that are allowed for a path. Outside of the API, only reads are allowed. */
function allowedMethods(originalUrl: string): readonly string[] {
  return isBelowApi(originalUrl) ? findMethods(getPathBelowApi(originalUrl)) : ['GET', 'HEAD'];
}

/** Response headers that are also sent with an error response. Other headers are removed. */
const COMMON_HEADERS: ReadonlySet<string> = new Set([...SECURITY_HEADERS, 'x-request-id', 'connection']);

/**
 * Sends an error response in the format of RFC 9457. Headers that a route has set for a successful response,
 * such as `ETag` or `X-Position`, are removed.
 */
function sendError(res: Response, { code, message, retryAfter_s, fields, formerAd }: DomainError): void {
  const { status } = ERRORS[code];
  const { method, originalUrl } = res.req;
  for (const name of res.getHeaderNames()) if (!COMMON_HEADERS.has(name)) res.removeHeader(name);
  if (code === 'TUS_VERSION_NOT_SUPPORTED') res.setHeader('Tus-Version', TUS_VERSION);
  if (code === 'METHOD_NOT_ALLOWED') res.setHeader('Allow', allowedMethods(originalUrl).join(', '));
  const errorBody: ErrorResponse = {
    success: false,
    error: message,
    message: SERVER_ERRORS.has(code) ? getFailureMessage(method, getPathBelowApi(originalUrl), message) : message,
    code,
    title: STATUS_CODES[status] ?? 'Error',
    status,
    requestId: getRequestId(res),
    ...(retryAfter_s !== null && { retryAfter_s }),
    ...(fields && { fields }),
    ...(formerAd && { formerAd }),
  };
  if (retryAfter_s !== null) res.setHeader('Retry-After', String(retryAfter_s));
  // `end` is used instead of `send`, because `send` adds an `ETag` header.
  const body = Buffer.from(JSON.stringify(errorBody), 'utf8');
  res
    .status(status)
    .setHeader('Cache-Control', 'no-store')
    .type('application/problem+json; charset=utf-8')
    .setHeader('Content-Length', body.length)
    .end(body);
}

/**
 * Rejects every request that no route has handled. Throws METHOD_NOT_ALLOWED if the path exists with another method,
 * otherwise NOT_FOUND.
 */
export const rejectUnknownRoute: RequestHandler = ({ method, originalUrl }) => {
  const allowed = isBelowApi(originalUrl) ? findMethods(getPathBelowApi(originalUrl)) : [];
  throw new DomainError(allowed.length === 0 || allowed.includes(method) ? 'NOT_FOUND' : 'METHOD_NOT_ALLOWED');
};

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']);

/**
 * Rejects HTTP methods that no route uses. Except for resumable uploads, these include OPTIONS, because web pages of
 * other origins may not use the API.
 */
export const rejectUnusedMethods: RequestHandler = ({ method, originalUrl }, _res, next) => {
  if (METHODS.has(method)) next();
  else throw new DomainError(allowedMethods(originalUrl).length > 0 ? 'METHOD_NOT_ALLOWED' : 'NOT_FOUND');
};

/**
 * Converts an error of a route to an error response. An unexpected error gets the code INTERNAL, and its details are
 * not sent. Server errors are logged: status 503 as a warning, because it is transient, and any other status as an
 * error. A rejection by a rule, e.g. a full queue, is logged without its stack, because nothing has failed. An error
 * after the client has closed the connection is only a debug message.
 */
export function createErrorHandler(log: Logger): ErrorRequestHandler {
  return (error: unknown, req, res, next) => {
    if (res.headersSent) {
      next(error);
      return;
    }
    if (res.destroyed) {
      // The client has closed the connection, e.g. because a person has left the page.
      log.debug(
        { requestId: getRequestId(res), method: req.method, path: toLoggablePath(req.originalUrl), err: error },
        'aborted by the client',
      );
      return;
    }
    const domainError = toDomainError(error);
    const { status } = ERRORS[domainError.code];
    // A flood of requests must not become a flood of log entries. The metric `busy_requests_total` counts them.
    if (error instanceof BusyError) res.locals['isBusy'] = true;
    else if (status >= 500)
      log[status === 503 ? 'warn' : 'error'](
        {
          requestId: getRequestId(res),
          method: req.method,
          path: toLoggablePath(req.originalUrl),
          status,
          ...(status === 503 && error instanceof DomainError ? { rejection: error.code } : { err: error }),
        },
        'not answered',
      );
    const isExplained = error instanceof DomainError && error.code === domainError.code;
    setFailure(res, { code: domainError.code, cause: isExplained || status < 500 ? null : nameFailure(error) });
    sendError(res, domainError);
  };
}

/** Maps the `type` of an error of Express's body parsers to our error code. */
const PARSER_ERRORS: Readonly<Record<string, ErrorCode>> = {
  'entity.parse.failed': 'INVALID_JSON',
  'entity.verify.failed': 'INVALID_JSON',
  'entity.too.large': 'BODY_TOO_LARGE',
  'encoding.unsupported': 'UNSUPPORTED_MEDIA_TYPE',
  'charset.unsupported': 'UNSUPPORTED_MEDIA_TYPE',
  'request.aborted': 'INVALID_REQUEST',
  'request.size.invalid': 'INVALID_REQUEST',
};

/**
 * Returns true if an error is caused by a backing service, such as the database, that cannot be reached at the moment.
 */
export function isTransient(error: unknown): boolean {
  return (
    error instanceof EventStoreUnavailable ||
    error instanceof BlobStoreUnavailable ||
    error instanceof JobQueueUnavailable ||
    error instanceof DecoderUnavailable ||
    isOutage(error)
  );
}

function toDomainError(error: unknown): DomainError {
  if (error instanceof DomainError) return error;
  if (isTransient(error)) return new DomainError('UNAVAILABLE', {}, 1);
  if (error instanceof UnreadableEventError) return new DomainError('DATA_UNREADABLE');
  if (error instanceof ConcurrencyConflict) return new DomainError('CONFLICT');
  if (error instanceof InvalidAppend && error.isTooLarge) return new DomainError('BODY_TOO_LARGE');
  if (error instanceof URIError || error instanceof InvalidAppend) return new DomainError('INVALID_REQUEST');
  const { type, status } = error as { type?: unknown; status?: unknown };
  if (typeof type === 'string' && type in PARSER_ERRORS)
    return new DomainError(PARSER_ERRORS[type] ?? 'INVALID_REQUEST');
  if (typeof status === 'number' && status >= 400 && status < 500) return new DomainError('INVALID_REQUEST');
  return new DomainError('INTERNAL');
}

/**
 * Validates the input with a schema and returns the parsed value. Throws REQUIRED_FIELDS if a required field is
 * missing, otherwise INVALID_FIELDS. The error contains a message for each invalid field.
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
