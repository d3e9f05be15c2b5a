import type { QueryOf } from '@alpenglow/domain/api';
import { decodeCursor, encodeCursor } from '../../paging.ts';

/** The requested events of the history of an ad, an account or a thread. */
export type HistoryQuery = ReturnType<typeof toHistoryQuery>;

/**
 * The time of the requested past state, and an optional second time for a comparison. Times are in ISO 8601 format and
 * UTC.
 */
export interface TimeQuery {
  readonly at: string;
  readonly and: string | null;
}

/** Returns the requested events of a history. Throws INVALID_FIELDS. */
export function toHistoryQuery({ cursor, limit, type, format }: QueryOf<'listAdHistory'>) {
  return {
    /**
     * The page contains only events before the event with this revision number. Null for the first page, which contains
     * the newest events.
     */
    before: cursor === null ? null : Number(decodeCursor(cursor, CURSOR, { type: 'integer' }).key),
    limit,
    /** The type of the requested events, or null for all types. */
    type,
    /** The file format if the whole history is requested as a file. Null if one page is requested. */
    format: format ?? null,
  };
}

/** Returns the times of the requested past states. The first time defaults to now. */
export function toTimeQuery({ at, and }: Pick<QueryOf<'getAdAsOf'>, 'at'> & Partial<QueryOf<'getAdAsOf'>>): TimeQuery {
  return { at: at ?? new Date().toISOString(), and: and ?? null };
}

/** Returns the cursor of the page that contains the events before the event with this revision number. */
export function createCursorBefore(revision: number): string {
  return encodeCursor('revision', revision);
}

const CURSOR = /^revision (?<key>\d{1,9})$/u;
