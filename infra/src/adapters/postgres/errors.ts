import { DatabaseError } from 'pg';
import { SOCKET_ERRORS } from '../socket-errors.ts';

export const UNIQUE_VIOLATION = '23505';

/**
 * Matches the SQLSTATE codes of transient errors. These are connection failures, conflicts between transactions, lack
 * of resources, a shutdown, a canceled statement, and system errors. Writes to a standby server that accepts no writes
 * yet also fail with a transient error.
 */
const TRANSIENT = /^(?:08|40|53|57|58|25006|55P03)/u;
/** Matches the SQLSTATE codes with which the server closes a connection. */
const CLOSED = /^57P/u;

/**
 * Error codes of the operating system for broken connections, and the system calls that return them. The system call is
 * also checked, because a file operation can return the same code while Postgres is available.
 */
const CONNECTION_CODES = new Set([...SOCKET_ERRORS, 'ENOENT']);
const CONNECTION_CALLS = new Set(['connect', 'read', 'write', 'getaddrinfo']);

/**
 * Matches messages of errors that the Postgres driver itself creates. These errors have no error code. The last message
 * is from Node.js, for a write after the server closed the connection.
 */
const BROKEN_MESSAGES = oneOf(
  'Connection terminated(?: unexpectedly)?',
  'Client (?:has encountered a connection error|was closed) and is not queryable',
  'Cannot use a pool after calling end on the pool',
  'This socket has been ended by the other party',
);
const TIMEOUT_MESSAGES = oneOf(
  'Query read timeout',
  'timeout expired',
  'timeout exceeded when trying to connect',
  'Connection terminated due to connection timeout',
);

function oneOf(...messages: readonly string[]): RegExp {
  return new RegExp(`^(?:${messages.join('|')})$`, 'u');
}

/** Returns the SQLSTATE of a server error, or null for other errors. */
export function sqlStateOf(error: unknown): string | null {
  return error instanceof DatabaseError ? (error.code ?? null) : null;
}

/**
 * Returns true if Postgres cannot be reached now. Returns false for other errors, such as a wrong query, a missing file
 * or a program error.
 */
export function isOutage(error: unknown): boolean {
  if (error instanceof DatabaseError) return TRANSIENT.test(error.code ?? '');
  return isConnectionError(error, () => true) || hasMessage(error, TIMEOUT_MESSAGES);
}

/**
 * Returns true if the connection broke during a query, or if the server closed it. In this case, it is unknown whether
 * the query has taken effect. A timeout does not count as a broken connection.
 */
export function isBrokenConnection(error: unknown): boolean {
  if (error instanceof DatabaseError) return CLOSED.test(error.code ?? '');
  return isConnectionError(error, (code) => code !== 'ETIMEDOUT');
}

function isConnectionError(error: unknown, accepts: (code: string) => boolean): boolean {
  // An `AggregateError` contains one error for each IP address of the host.
  if (error instanceof AggregateError)
    return error.errors.length > 0 && error.errors.every((one) => isConnectionError(one, accepts));
  if (!(error instanceof Error)) return false;
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (code === undefined || syscall === undefined) return hasMessage(error, BROKEN_MESSAGES);
  if (code === 'ENOENT' && syscall !== 'connect') return false;
  return CONNECTION_CODES.has(code) && CONNECTION_CALLS.has(syscall) && accepts(code);
}

function hasMessage(error: unknown, pattern: RegExp): boolean {
  return error instanceof Error && pattern.test(error.message);
}

/** Checks whether a query failed because its table does not exist. The projectors create read models at their start. */
export const isMissingTable = (error: unknown): boolean => sqlStateOf(error) === '42P01';
