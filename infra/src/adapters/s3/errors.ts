import { BlobStoreDenied, BlobStoreUnavailable } from '@alpenglow/domain';
import { SOCKET_ERRORS } from '../socket-errors.ts';

/**
 * The names of S3 errors that may disappear on a retry, because the store is overloaded or unavailable, or the request
 * timed out.
 */
const TRANSIENT_NAMES = new Set([
  'SlowDown',
  'RequestTimeout',
  'Throttling',
  'ThrottlingException',
  'OperationAborted',
  'InternalError',
  'ServiceUnavailable',
  'TimeoutError',
  'AbortError',
]);
const TIMED_OUT = 408;
const TOO_MANY = 429;
const SERVER_ERROR = 500;
/** The HTTP status of a request that a store does not support. */
export const NOT_IMPLEMENTED = 501;
const NOT_FOUND = 404;
const REJECTIONS = new Set([401, 403]);

type ErrorSummary = ReturnType<typeof summarizeError>;

/**
 * Returns a summary of the error of a failed S3 request. The summary contains nothing that was sent or received, so it
 * is safe to log.
 */
export function summarizeError(error: unknown) {
  const { name, code, $metadata } = (error ?? {}) as {
    name?: unknown;
    code?: unknown;
    $metadata?: { httpStatusCode?: unknown };
  };
  const status = $metadata?.httpStatusCode;
  return {
    /** The error code of an S3 response, or the name of an error of the S3 client library. */
    name: typeof name === 'string' ? name : 'Error',
    /** The error code of the operating system, or null. */
    code: typeof code === 'string' ? code : null,
    status: typeof status === 'number' ? status : null,
  };
}

export function isMissingObject(error: unknown): boolean {
  const { name, status } = summarizeError(error);
  return name === 'NoSuchKey' || (status === NOT_FOUND && name !== 'NoSuchBucket' && name !== 'NoSuchUpload');
}

function isOutage({ name, code, status }: ErrorSummary): boolean {
  if (code !== null && SOCKET_ERRORS.has(code)) return true;
  if (TRANSIENT_NAMES.has(name) || status === TIMED_OUT || status === TOO_MANY) return true;
  return status !== null && status >= SERVER_ERROR && status !== NOT_IMPLEMENTED;
}

/**
 * Converts the error of a failed S3 request to the error that our code throws. `BlobStoreUnavailable` means that a
 * retry may succeed. `BlobStoreDenied` means that the operator of the store has to act. The returned error does not
 * contain the original error, because that contains the request with its signature and key id. `request` is the name of
 * the request for the message.
 */
export function toBlobStoreError(error: unknown, request?: string): unknown {
  const summary = summarizeError(error);
  const description = [request, summary.name, summary.code, summary.status]
    .filter((part) => part !== undefined && part !== null && part !== 'Error')
    .join(' ');
  if (isOutage(summary)) return new BlobStoreUnavailable(`S3 is unavailable: ${description}`);
  if (summary.status === null) return error;
  return REJECTIONS.has(summary.status) || summary.name === 'NoSuchBucket'
    ? new BlobStoreDenied(`S3 refused: ${description}`)
    : new Error(`S3 refused: ${description}`);
}
