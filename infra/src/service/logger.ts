import { pino, type DestinationStream, type Logger } from 'pino';
import { describeOutage, findInnermost } from './describe-outage.ts';

export type { Logger };

const HIDDEN_FIELDS = [
  'password',
  'newPassword',
  'currentPassword',
  'passwordHash',
  'token',
  'authorization',
  'cookie',
  'code',
  'secret',
  'recoveryCodes',
  'email',
  'phone',
  'verificationCode',
  'displayName',
];

/**
 * Creates a logger that writes JSON, by default to standard error. Standard output is reserved for messages about the
 * start of the process. The logger hides secrets and personal data in fields with known names, up to three levels deep.
 */
export function createLogger(level: string, destination: DestinationStream = process.stderr): Logger {
  return pino(
    {
      level,
      base: null,
      redact: { paths: HIDDEN_FIELDS.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '[hidden]' },
      serializers: { err: describeError, error: describeText },
    },
    destination,
  );
}

/**
 * Returns the parts of an error that may be logged. Other properties are omitted, because database drivers store
 * connections, statements and row values in them.
 */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: scrub(String(error), undefined) };
  const { name, message, stack = '', cause } = error;
  const errorCode = (error as { code?: unknown }).code;
  const text = scrub(message, errorCode);
  // The stack begins with the original message, which may contain secrets. Only the lines of the call stack are used.
  const frames = stack.split('\n').filter((line) => /^\s+at /u.test(line));
  return {
    name,
    message: text,
    ...(typeof errorCode === 'string' && { errorCode }),
    stack: [`${name}: ${text}`, ...frames].join('\n'),
    ...(cause !== undefined && { cause: describeError(cause) }),
  };
}

/**
 * Returns the text of an error that may be logged, e.g. of an error that was stored as text. The error code is unknown,
 * so quoted values in the text are always hidden.
 */
function describeText(error: unknown): unknown {
  return typeof error === 'string' ? scrub(error, QUOTED) : error;
}

/**
 * Returns the reason of a failure in one line, which may be logged and shown to admins. Personal data and secrets are
 * hidden, as in the log.
 */
export function describeFailure(error: unknown): string {
  const { code } = (findInnermost(error) ?? {}) as { readonly code?: unknown };
  const reason = scrub(describeOutage(error), code);
  return error instanceof Error && error.name !== 'Error' ? `${error.name}: ${reason}` : reason;
}

const ERROR_NAME = /^[a-z]\w{0,59}$/iu;
const ERROR_CODE = /^[\dA-Z_]{2,40}$/u;

/**
 * Returns the name of an error, and of its innermost cause with its SQLSTATE or the code of the system, e.g.
 * `EventStoreUnavailable, Error ECONNREFUSED`. It contains no text, which may quote personal data.
 */
export function nameFailure(error: unknown): string {
  const innermost = findInnermost(error);
  const { code } = (innermost ?? {}) as { readonly code?: unknown };
  const cause = typeof code === 'string' && ERROR_CODE.test(code) ? `${nameOf(innermost)} ${code}` : nameOf(innermost);
  return innermost === error ? cause : `${nameOf(error)}, ${cause}`;
}

/** Returns the name of an error. The Postgres driver gives all of its errors the name `error`. */
function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const name = error.name === 'error' ? error.constructor.name : error.name;
  return ERROR_NAME.test(name) ? name : 'Error';
}

const HIDDEN_VALUE = '[hidden]';
/** Matches the SQLSTATE codes of errors whose message quotes an invalid value. The value may be personal data. */
const QUOTES_VALUES = /^22/u;
const QUOTED = '22000';
const EMAIL = /[^\s"'<>(),;:=]+@[^\s"'<>(),;:=]+/gu;
const PHONE = /\+\d[\d ()./-]{6,}\d/gu;
const CREDENTIAL = /\b(?:Bearer\s+|(?:token|code|password)=)[^\s&"']+/giu;
/** Matches a session token, which has 43 characters. */
const TOKEN = /(?<![\w-])[\w-]{43}(?![\w-])/gu;
const MAX_MESSAGE = 2_000;

/** Hides personal data and secrets in a message, as far as patterns can detect them. */
function scrub(message: string, errorCode: unknown): string {
  const short = message.slice(0, MAX_MESSAGE);
  const text =
    typeof errorCode === 'string' && QUOTES_VALUES.test(errorCode)
      ? short.replaceAll(/"[^"]*"/gu, HIDDEN_VALUE)
      : short;
  return [EMAIL, PHONE, CREDENTIAL, TOKEN].reduce(
    (remaining, pattern) => remaining.replaceAll(pattern, HIDDEN_VALUE),
    text,
  );
}
