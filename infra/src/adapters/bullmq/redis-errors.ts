import { SOCKET_ERRORS } from '../socket-errors.ts';

/**
 * Matches error replies of a Redis server that temporarily accepts no jobs. For example, the server is starting, is
 * full, cannot write, or is not the primary.
 */
const TRANSIENT_REPLIES =
  /(?:^|-)(?:LOADING|READONLY|OOM|MISCONF|MASTERDOWN|CLUSTERDOWN|NOREPLICAS|TRYAGAIN|BUSY)\b|max number of clients/u;
const LOGIN_REJECTIONS = /^(?:NOAUTH|WRONGPASS|NOPERM)\b|^ERR invalid password/u;
/** Matches messages of errors that the Redis client itself creates. These errors have no error code. */
const BROKEN_CONNECTION = new RegExp(
  `^(?:${[
    'Connection is closed\\.',
    "Stream isn't writeable",
    'Command timed out',
    'Command aborted due to connection close',
    'Socket timeout\\.',
    'Reached the max retries per request limit',
  ].join('|')})`,
  'u',
);

/**
 * Returns true if Redis cannot be reached or accepts no commands now. Returns false if the command itself was
 * invalid.
 */
export function isRedisOutage(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.length > 0 && error.errors.every(isRedisOutage);
  if (!(error instanceof Error)) return false;
  if (isReply(error)) return TRANSIENT_REPLIES.test(error.message);
  const { code } = error as NodeJS.ErrnoException;
  return (code !== undefined && SOCKET_ERRORS.has(code)) || BROKEN_CONNECTION.test(error.message);
}

/**
 * Returns true if the server rejects the login or the user lacks a permission. Only a change of the configuration can
 * fix such an error.
 */
export function isLoginRejection(error: unknown): error is Error {
  return error instanceof Error && isReply(error) && LOGIN_REJECTIONS.test(error.message);
}

function isReply(error: Error): boolean {
  return error.name === 'ReplyError';
}
