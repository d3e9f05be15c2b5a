import { REFERENCE_characters } from '@alpenglow/domain/contracts';
import { t, type UiTextId } from '../i18n/i18n.ts';
import { translateServerText } from '../i18n/server-text.ts';
import { parseObject } from './parse-object.ts';

interface Details {
  /** HTTP status, or 0 if there was no response. */
  readonly status: number;
  /**
   * The error code in the response, which is a key of the domain's `ERRORS`. It is `UNKNOWN` if the response contains
   * no code. The API client has further codes for failures without a usable response, e.g. `NETWORK`.
   */
  readonly code: string;
  readonly fields?: Readonly<Record<string, string>> | null;
  readonly retryAfter_s?: number | null;
  readonly formerAd?: Readonly<Record<string, string>> | null;
  readonly requestId?: string | null;
}

/** The error of a failed API request. `message` is shown to the user. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly code: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly retryAfter_s: number | null;
  /** The last state, city and category of an ad that is no longer online. */
  readonly formerAd: Readonly<Record<string, string>> | null;
  /**
   * The beginning of the request id, with which staff find a server error. Null for other errors. Undefined if
   * a front end that is older than this property has created the error.
   */
  readonly reference: string | null | undefined;

  constructor(message: string, { status, code, fields, retryAfter_s, formerAd, requestId }: Details) {
    super(message);
    this.status = status;
    this.code = code;
    this.fields = fields ?? {};
    this.retryAfter_s = retryAfter_s ?? null;
    this.formerAd = formerAd ?? null;
    this.reference = (status >= 500 && requestId?.slice(0, REFERENCE_characters)) || null;
  }
}

/** The content of an error response. Values that the response does not contain are null. */
export interface ErrorResponse {
  readonly status: number;
  readonly statusText: string;
  readonly isJson: boolean;
  readonly error: string | null;
  readonly message: string | null;
  readonly text: string;
  readonly code: string | null;
  readonly fields: Readonly<Record<string, string>> | null;
  readonly retryAfter_s: number | null;
  readonly formerAd: Readonly<Record<string, string>> | null;
  readonly requestId: string | null;
}

/**
 * Parses an error response and never throws. If the body is not a JSON object, the result contains it only as plain
 * text in `text`.
 */
export function parseErrorResponse(
  status: number,
  statusText: string,
  text: string,
  retryAfter: string | null,
): ErrorResponse {
  const body = parseObject(text);
  const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : null);
  const seconds = typeof body?.['retryAfter_s'] === 'number' ? body['retryAfter_s'] : Number(retryAfter ?? Number.NaN);
  return {
    status,
    statusText,
    isJson: body !== null,
    error: textOf(body?.['error']),
    message: textOf(body?.['message']),
    text,
    code: textOf(body?.['code']),
    fields: fieldsOf(body?.['fields']),
    retryAfter_s: Number.isFinite(seconds) ? seconds : null,
    formerAd: fieldsOf(body?.['formerAd']),
    requestId: textOf(body?.['requestId']),
  };
}

function fieldsOf(value: unknown): Readonly<Record<string, string>> | null {
  if (typeof value !== 'object' || value === null) return null;
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

export type ErrorFormatter = (response: ErrorResponse) => string;

const statusMessage = ({ status }: ErrorResponse) => t('api.http', { status });

const translated = (text: string | null, { retryAfter_s }: ErrorResponse): string | null =>
  text === null ? null : translateServerText(text, retryAfter_s);

/**
 * Returns 'HTTP {status}: {reason}', or 'HTTP {status}' if `reason` is empty. For example, HTTP/2 responses have no
 * status text.
 */
const statusMessageWith = (response: ErrorResponse, reason: string) =>
  reason === '' ? statusMessage(response) : t('api.httpWith', { status: response.status, reason });

/**
 * Creates a function that formats error messages. The function returns the server's message. If there is none, it
 * returns the text `fallback`, or 'HTTP {status}' if `fallback` is null.
 */
export const createErrorFormatter =
  (fallback: UiTextId | null): ErrorFormatter =>
  (response) =>
    translated(response.message ?? response.error, response) ??
    (fallback === null ? statusMessage(response) : t(fallback));

/**
 * Formats errors of a sign-up. Returns the server's message. If there is none, returns 'Signup failed' for a JSON body
 * and 'HTTP {status}: {statusText}' for any other body.
 */
export const formatSignUpError: ErrorFormatter = (response) =>
  translated(response.error ?? response.message, response) ??
  (response.isJson ? t('api.signUpFailed') : statusMessageWith(response, response.statusText));

/**
 * Formats the error of an ad that could not be created as 'HTTP {status}: {message or body}'. The status may be below
 * 400, because such a response can still contain `success: false`. In this case, the function returns the server's
 * message or 'Failed to create ad'.
 */
export const formatCreateAdError: ErrorFormatter = (response) =>
  response.status < 400
    ? createErrorFormatter('api.createAdFailed')(response)
    : statusMessageWith(
        response,
        translated(response.error ?? response.message, response) ?? (response.text || response.statusText),
      );

/**
 * Formats errors that occur while an ad is loaded. Returns the server's message. If there is none, returns 'Ad not
 * found' for status 404 and 'Error loading ads' for any other status.
 */
export const formatGetAdError: ErrorFormatter = (response) =>
  createErrorFormatter(response.status === 404 ? 'api.adNotFound' : 'api.adsError')(response);

/** Formats the error of a failed file upload as 'Upload failed: {status} {message or body}'. */
export const formatUploadError: ErrorFormatter = (response) =>
  t('api.uploadFailed', { status: response.status, reason: translated(response.message, response) ?? response.text });

export function toApiError(response: ErrorResponse, formatMessage: ErrorFormatter): ApiError {
  return new ApiError(formatMessage(response), { ...response, code: response.code ?? 'UNKNOWN' });
}

/**
 * Checks by name whether an error is an `ApiError`. `instanceof` does not suffice, because the shell and each remote
 * (micro-frontend) contain their own copy of the class, and they exchange errors through the shared query client.
 */
export function isApiError(error: unknown): error is ApiError {
  return error instanceof Error && error.name === 'ApiError' && 'status' in error;
}

/**
 * Returns true if the server may have executed the request. The next attempt of this request must have the same
 * `Idempotency-Key`.
 */
export function isOutcomeUnknown(error: unknown): boolean {
  if (!isApiError(error)) return true;
  return error.status === 0 || error.status >= 500 || error.code === 'IDEMPOTENCY_IN_PROGRESS';
}

/**
 * Returns the text that a page shows about an error: the message of an `ApiError`, or `fallback` for any other error.
 * If the server has failed, the last line is the reference of the request.
 */
export function getErrorMessage(error: unknown, fallback: string): string {
  if (!isApiError(error)) return fallback;
  const message = error.message || fallback;
  return error.reference ? `${message}\n${t('common.reference', { id: error.reference })}` : message;
}
