import { DatabaseError } from 'pg';

export const UNIQUE_VIOLATION = '23505';

/**
 * SQLSTATEs that say nothing against the query: connection failure, lost races, lack of resources, shutdown or cancellation
 * (a statement timeout too), faults of the machine, and a standby that takes no writes yet.
 */
const PASSING = /^(?:08|40|53|57|58|25006|55P03)/u;
/** SQLSTATEs with which the server closes a connection. */
const CLOSED = /^57P/u;

/** What the system says of a connection, and in which calls it does: the same codes from a file are no outage of Postgres. */
const CONNECTION_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ENOENT',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);
const CONNECTION_CALLS = new Set(['connect', 'read', 'write', 'getaddrinfo']);

/** The driver's own words, which carry no code. The last is Node's, for a write after the server has hung up. */
const BROKEN_WORDS =
  /^(?:Connection terminated(?: unexpectedly)?|Client (?:has encountered a connection error|was closed) and is not queryable|Cannot use a pool after calling end on the pool|This socket has been ended by the other party)$/u;
const TIMEOUT_WORDS =
  /^(?:Query read timeout|timeout expired|timeout exceeded when trying to connect|Connection terminated due to connection timeout)$/u;

/** The SQLSTATE the server gave, or null when the error is not the server's. */
export function sqlStateOf(error: unknown): string | null {
  return error instanceof DatabaseError ? (error.code ?? null) : null;
}

/**
 * Whether this error says that Postgres cannot be asked now, rather than that it was asked something wrong or that the fault
 * lies elsewhere: a missing file or a mistake in a program is no outage.
 */
export function isOutage(error: unknown): boolean {
  if (error instanceof DatabaseError) return PASSING.test(error.code ?? '');
  return isConnectionFault(error, () => true) || isWorded(error, TIMEOUT_WORDS);
}

/**
 * Whether the connection ended under a query: the server closed it, or it broke. Whether the query took effect is unknown. One
 * that merely took too long is not broken.
 */
export function isBrokenConnection(error: unknown): boolean {
  if (error instanceof DatabaseError) return CLOSED.test(error.code ?? '');
  return isConnectionFault(error, (code) => code !== 'ETIMEDOUT');
}

function isConnectionFault(error: unknown, accepts: (code: string) => boolean): boolean {
  // Every address of a host was tried.
  if (error instanceof AggregateError)
    return error.errors.length > 0 && error.errors.every((one) => isConnectionFault(one, accepts));
  if (!(error instanceof Error)) return false;
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (code === undefined || syscall === undefined) return isWorded(error, BROKEN_WORDS);
  if (code === 'ENOENT' && syscall !== 'connect') return false;
  return CONNECTION_CODES.has(code) && CONNECTION_CALLS.has(syscall) && accepts(code);
}

function isWorded(error: unknown, words: RegExp): boolean {
  return error instanceof Error && words.test(error.message);
}
