import { pino, type DestinationStream, type Logger } from 'pino';

export type { Logger };

const HIDDEN = [
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

/** JSON logs on standard error, so that standard output stays the product's own line, unless another destination is given. Secrets and personal data are cut out by name, wherever they turn up. */
export function createLogger(level: string, destination: DestinationStream = process.stderr): Logger {
  return pino(
    {
      level,
      base: null,
      redact: { paths: HIDDEN.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '[hidden]' },
      serializers: { err: describeError, error: describeText },
    },
    destination,
  );
}

/** What a log may say of an error. Drivers hang whole connections, statements and row values onto theirs; those stay out. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: scrubbed(String(error), undefined) };
  const { name, message, stack = '', cause } = error;
  const errorCode = (error as { code?: unknown }).code;
  const said = scrubbed(message, errorCode);
  // A stack begins with the message.
  const frames = stack.split('\n').filter((line) => /^\s+at /u.test(line));
  return {
    name,
    message: said,
    ...(typeof errorCode === 'string' && { errorCode }),
    stack: [`${name}: ${said}`, ...frames].join('\n'),
    ...(cause !== undefined && { cause: describeError(cause) }),
  };
}

/** The same of an error that is at hand as text alone, as those of parked events are: which code it had nobody knows any more. */
function describeText(error: unknown): unknown {
  return typeof error === 'string' ? scrubbed(error, QUOTED) : error;
}

const HIDDEN_VALUE = '[hidden]';
/** SQLSTATEs with which Postgres quotes the value that it could not use. */
const QUOTES_VALUES = /^22/u;
const QUOTED = '22000';
const EMAIL = /[^\s"'<>(),;:=]+@[^\s"'<>(),;:=]+/gu;
const PHONE = /\+\d[\d ()./-]{6,}\d/gu;
const CREDENTIAL = /\b(?:Bearer\s+|(?:token|code|password)=)[^\s&"']+/giu;
/** As long as a session's token. */
const TOKEN = /(?<![\w-])[\w-]{43}(?![\w-])/gu;
const MAX_MESSAGE = 2_000;

/** A message without what somebody sent us, as far as it can be told from words of ours. */
function scrubbed(message: string, errorCode: unknown): string {
  const short = message.slice(0, MAX_MESSAGE);
  const text =
    typeof errorCode === 'string' && QUOTES_VALUES.test(errorCode)
      ? short.replaceAll(/"[^"]*"/gu, HIDDEN_VALUE)
      : short;
  return [EMAIL, PHONE, CREDENTIAL, TOKEN].reduce((rest, pattern) => rest.replaceAll(pattern, HIDDEN_VALUE), text);
}
