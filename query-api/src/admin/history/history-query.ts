import { parseInput } from '@alpenglow/infra';
import * as z from 'zod/mini';
import { BAD_CURSOR, NOT_SINGLE, createFieldError, listLimit } from '../../query-fields.ts';

/** The query parameters of a request for the history of an ad, an account or a thread. */
export type HistoryQuery = ReturnType<typeof parseHistoryQuery>;

/**
 * The time of the requested past state, and an optional second time for a comparison. Times are in ISO 8601 format and
 * UTC.
 */
export interface TimeQuery {
  readonly at: string;
  readonly and: string | null;
}

const BAD_TIME = 'This is not a time as ISO 8601 has it';
const text = () => z.string(NOT_SINGLE);

const history = z.object({
  cursor: z.optional(text().check(z.maxLength(200, 'This filter is too long'))),
  limit: listLimit,
  type: z.optional(text().check(z.regex(/^(?:[A-Z][A-Za-z]{2,59})?$/u, 'This is no type of event'))),
  format: z.optional(z.enum(['json', 'csv'], 'A history is exported as json or csv')),
});
const moment = z.pipe(
  z.iso.datetime({ offset: true, error: BAD_TIME }),
  z.transform((given) => new Date(given).toISOString()),
);
const moments = z.object({ at: z.optional(moment), and: z.optional(moment) });
const post = z.object({ post: z.optional(text().check(z.regex(/^[0-9]{0,7}$/u, 'A post has a number'))) });

/** Parses the query string of a request for a history. Throws INVALID_FIELDS. */
export function parseHistoryQuery(input: unknown) {
  const { cursor, limit, type, format } = parseInput(history, input);
  return {
    /**
     * The page contains only events before the event with this revision number. Null for the first page, which contains
     * the newest events.
     */
    before: cursor ? parseCursor(cursor) : null,
    limit,
    /** The type of the requested events, or null for all types. */
    type: type || null,
    /** The file format if the whole history is requested as a file. Null if one page is requested. */
    format: format ?? null,
  };
}

/** Parses the times of the requested past states. The first time defaults to `now`. Throws INVALID_FIELDS. */
export function parseTimeQuery(input: unknown, now: string): TimeQuery {
  const { at, and } = parseInput(moments, input);
  return { at: at ?? now, and: and ?? null };
}

/**
 * Parses the number of the first post to return from a thread. The default is 0, the post that opens the thread. Throws
 * INVALID_FIELDS.
 */
export function parsePostNumber(input: unknown): number {
  return Number(parseInput(post, input).post ?? 0);
}

/** Returns the cursor of the page that contains the events before the event with this revision number. */
export function createCursorBefore(revision: number): string {
  return Buffer.from(`revision ${revision}`).toString('base64url');
}

function parseCursor(cursor: string): number {
  const [, revision] = /^revision (\d{1,9})$/u.exec(Buffer.from(cursor, 'base64url').toString('utf8')) ?? [];
  if (revision === undefined) throw createFieldError('cursor', BAD_CURSOR);
  return Number(revision);
}
