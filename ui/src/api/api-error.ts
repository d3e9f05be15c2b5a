import { t, type UiTextId } from '../i18n/i18n.ts';
import { serverText } from '../i18n/server-text.ts';

/** Why there was no answer to map a server code from. */
export type ClientErrorCode = 'NETWORK' | 'CANCELLED' | 'TIMEOUT' | 'NO_TOKEN' | 'BAD_ANSWER';

interface Details {
  /** HTTP status, 0 when there was no answer. */
  readonly status: number;
  /** A code of the domain's `ERRORS`, a `ClientErrorCode`, or `UNKNOWN` when the server named none. */
  readonly code: string;
  readonly fields?: Readonly<Record<string, string>> | null;
  readonly retryAfter_s?: number | null;
}

/** A call that did not succeed. `message` is what the user is told (specification, section 8). */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly code: string;
  /** Field name → what is wrong with it. */
  readonly fields: Readonly<Record<string, string>>;
  readonly retryAfter_s: number | null;

  constructor(message: string, { status, code, fields, retryAfter_s }: Details) {
    super(message);
    this.status = status;
    this.code = code;
    this.fields = fields ?? {};
    this.retryAfter_s = retryAfter_s ?? null;
  }
}

/** What the server said of a refusal, as far as it said anything. */
export interface Refusal {
  readonly status: number;
  readonly statusText: string;
  /** Whether the body was a JSON object. */
  readonly isJson: boolean;
  readonly error: string | null;
  readonly message: string | null;
  readonly text: string;
  readonly code: string | null;
  readonly fields: Readonly<Record<string, string>> | null;
  readonly retryAfter_s: number | null;
}

/** Reads a refusal from an answer that is not OK. Never throws: a body that makes no sense is text. */
export function readRefusal(status: number, statusText: string, text: string, retryAfter: string | null): Refusal {
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
  };
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

function fieldsOf(value: unknown): Readonly<Record<string, string>> | null {
  if (typeof value !== 'object' || value === null) return null;
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

/** How one call words a refusal. */
export type Wording = (refusal: Refusal) => string;

const http = ({ status }: Refusal) => t('api.http', { status });

/** What the server said, in the visitor's language. */
const said = (text: string | null, { retryAfter_s }: Refusal): string | null =>
  text === null ? null : serverText(text, retryAfter_s);

/** 'HTTP {status}: {reason}'; HTTP/2 knows no reason, and then there is no colon either. */
const httpWith = (refusal: Refusal, reason: string) =>
  reason === '' ? http(refusal) : t('api.httpWith', { status: refusal.status, reason });

/** The server's message, else the call's own, else 'HTTP {status}'. */
export const wordedBy =
  (fallback: UiTextId | null): Wording =>
  (refusal) =>
    said(refusal.message ?? refusal.error, refusal) ?? (fallback === null ? http(refusal) : t(fallback));

/** Sign-up: the server's error or message; else 'Signup failed', or 'HTTP {status}: {statusText}' when the body says nothing at all. */
export const signUpWording: Wording = (refusal) =>
  said(refusal.error ?? refusal.message, refusal) ??
  (refusal.isJson ? t('api.signUpFailed') : httpWith(refusal, refusal.statusText));

/** Create ad: 'HTTP {status}: {server error or message or text}'; an answer that is OK and says no has its message, else 'Failed to create ad'. */
export const createAdWording: Wording = (refusal) =>
  refusal.status < 400
    ? wordedBy('api.createAdFailed')(refusal)
    : httpWith(refusal, said(refusal.error ?? refusal.message, refusal) ?? (refusal.text || refusal.statusText));

/** One ad: what the server says, else whether there is none or it could not be had. */
export const oneAdWording: Wording = (refusal) =>
  wordedBy(refusal.status === 404 ? 'api.adNotFound' : 'api.adsError')(refusal);

/** Uploads: 'Upload failed: {status} {body text}', the text being the message where the body is one of our refusals. */
export const uploadWording: Wording = (refusal) =>
  t('api.uploadFailed', { status: refusal.status, reason: said(refusal.message, refusal) ?? refusal.text });

export function errorOf(refusal: Refusal, wording: Wording): ApiError {
  const { status, code, fields, retryAfter_s } = refusal;
  return new ApiError(wording(refusal), { status, code: code ?? 'UNKNOWN', fields, retryAfter_s });
}

/**
 * Whether a call was refused. By name, not by class: shell and remotes each carry their own copy of the class, and errors pass
 * between them through the shared query client.
 */
export function isApiError(error: unknown): error is ApiError {
  return error instanceof Error && error.name === 'ApiError' && 'status' in error;
}

/** What to show for anything that was thrown: the message of one of our errors, else `fallback`. */
export function messageOf(error: unknown, fallback: string): string {
  return isApiError(error) && error.message !== '' ? error.message : fallback;
}
