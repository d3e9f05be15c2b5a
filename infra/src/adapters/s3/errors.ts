import { BlobStoreRefusal, BlobStoreUnavailable } from '@alpenglow/domain';

/** What the system says of a connection. */
const CONNECTION_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);
/** What the store says when it sheds load, and the client when it has waited long enough. */
const PASSING_NAMES = new Set([
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
const SERVER_FAULT = 500;
const NOT_IMPLEMENTED = 501;
const NOT_FOUND = 404;
const REFUSALS = new Set([401, 403]);

interface Told {
  /** The error code of S3, or what the client calls it. */
  readonly name: string;
  /** Of the system. */
  readonly code: string | null;
  readonly status: number | null;
}

/** What a failed request is told as, without anything that was sent or received. */
export function toldOf(error: unknown): Told {
  const { name, code, $metadata } = (error ?? {}) as {
    name?: unknown;
    code?: unknown;
    $metadata?: { httpStatusCode?: unknown };
  };
  const status = $metadata?.httpStatusCode;
  return {
    name: typeof name === 'string' ? name : 'Error',
    code: typeof code === 'string' ? code : null,
    status: typeof status === 'number' ? status : null,
  };
}

export function isMissingObject(error: unknown): boolean {
  const { name, status } = toldOf(error);
  return name === 'NoSuchKey' || (status === NOT_FOUND && name !== 'NoSuchBucket' && name !== 'NoSuchUpload');
}

function isOutage({ name, code, status }: Told): boolean {
  if (code !== null && CONNECTION_CODES.has(code)) return true;
  if (PASSING_NAMES.has(name) || status === TIMED_OUT || status === TOO_MANY) return true;
  return status !== null && status >= SERVER_FAULT && status !== NOT_IMPLEMENTED;
}

/**
 * What a failed request is thrown as: `BlobStoreUnavailable` when waiting may mend it, `BlobStoreRefusal` when whoever runs the store may. The client hangs requests and answers, signatures
 * and key ids among them, onto its errors; those stay behind.
 */
export function failureOf(error: unknown): unknown {
  const told = toldOf(error);
  const words = [told.name, told.code, told.status].filter((word) => word !== null && word !== 'Error').join(' ');
  if (isOutage(told)) return new BlobStoreUnavailable(`S3 cannot answer: ${words}`);
  if (told.status === null) return error;
  return REFUSALS.has(told.status) || told.name === 'NoSuchBucket'
    ? new BlobStoreRefusal(`S3 refused: ${words}`)
    : new Error(`S3 refused: ${words}`);
}
