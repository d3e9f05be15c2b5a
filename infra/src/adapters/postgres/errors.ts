import { DatabaseError } from 'pg';

export const UNIQUE_VIOLATION = '23505';

/** SQLSTATE classes that pass by themselves: connection failure, lost races, lack of resources, shutdown or cancellation. */
const PASSING = /^(?:08|40|53|57|55P03)/u;

/** The SQLSTATE the server gave, or null when the error is not the server's. */
export function sqlStateOf(error: unknown): string | null {
  return error instanceof DatabaseError ? (error.code ?? null) : null;
}

/**
 * Whether this error of a query says that Postgres cannot be asked now, rather than that it was asked something wrong.
 * All that the server itself says is a `DatabaseError`; what else the driver throws is about the connection.
 */
export function isOutage(error: unknown): boolean {
  return error instanceof DatabaseError ? PASSING.test(error.code ?? '') : true;
}

/** Whether the connection ended under a query: the server closed it, or it broke. Whether the query took effect is unknown. */
export function isBrokenConnection(error: unknown): boolean {
  return isOutage(error) && (sqlStateOf(error)?.startsWith('57P') ?? true);
}
