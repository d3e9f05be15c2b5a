import { pino, type Logger } from 'pino';

export type { Logger };

/** JSON logs on standard error, so that standard output stays the product's own line. Secrets and personal data are cut out by name, wherever they turn up. */
export function createLogger(level: string): Logger {
  const hidden = ['password', 'passwordHash', 'token', 'authorization', 'cookie', 'code', 'email', 'phone', 'verificationCode'];
  return pino(
    { level, base: null, redact: { paths: hidden.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '[hidden]' } },
    process.stderr,
  );
}
