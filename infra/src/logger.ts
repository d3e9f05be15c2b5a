import { pino, type Logger } from 'pino';

export type { Logger };

const HIDDEN = ['password', 'passwordHash', 'token', 'authorization', 'cookie', 'code', 'email', 'phone', 'verificationCode'];

/** JSON logs on standard error, so that standard output stays the product's own line. Secrets and personal data are cut out by name, wherever they turn up. */
export function createLogger(level: string): Logger {
  return pino(
    {
      level,
      base: null,
      redact: { paths: HIDDEN.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '[hidden]' },
      serializers: { err: describeError },
    },
    process.stderr,
  );
}

/** What a log may say of an error. Drivers hang whole connections, statements and row values onto theirs; those stay out. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, message, stack, cause } = error;
  const errorCode = (error as { code?: unknown }).code;
  return {
    name,
    message,
    ...(typeof errorCode === 'string' && { errorCode }),
    stack,
    ...(cause !== undefined && { cause: describeError(cause) }),
  };
}
