import type { LogEntry } from '../../audit/moderation-log.ts';

/** The number of rows of one read of the tables in the schema `audit`. */
export const PAGE = 500;
/**
 * A number below the number of every valid row. Reads start at this number, so that a row whose number was manipulated
 * is also read.
 */
export const LOWEST_NUMBER = '-9223372036854775808';
/** The columns of `audit.log_entries`, in the order of the parameters of the insert statement. */
export const ENTRY_COLUMNS = ['number', 'eventId', 'day', 'type', 'actorId', 'entry', 'hash'] as const;
/** The column with the day of a row, as text. */
export const DAY = `to_char(day, 'YYYY-MM-DD') as day`;

/** A row of the moderation log. */
export interface EntryRow {
  readonly entry: LogEntry;
  readonly hash: Buffer;
}
