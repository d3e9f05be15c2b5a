import { parseInput } from '@alpenglow/infra';
import * as z from 'zod/mini';
import { BAD_CURSOR, NOT_SINGLE, createFieldError, listLimit } from '../../query-fields.ts';

/** The requested part of a history. */
export type HistoryQuery = ReturnType<typeof parseHistoryQuery>;

/** The requested time and an optional second time in a history, in ISO 8601 format and UTC. */
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

/** Parses the query string of a history. Throws INVALID_FIELDS. */
export function parseHistoryQuery(input: unknown) {
  const { cursor, limit, type, format } = parseInput(history, input);
  return {
    /** The page contains only events before this revision. Null for the first page with the newest events. */
    before: cursor ? parseCursor(cursor) : null,
    limit,
    /** The type of the events, or null for all types. */
    type: type || null,
    /** The format of a file with the whole history, or null for one page. */
    format: format ?? null,
  };
}

/** Parses the requested times. The default of the first time is `now`. Throws INVALID_FIELDS. */
export function parseTimeQuery(input: unknown, now: string): TimeQuery {
  const { at, and } = parseInput(moments, input);
  return { at: at ?? now, and: and ?? null };
}

/** Parses the number of the first requested post of a thread. Throws INVALID_FIELDS. */
export function parsePostNumber(input: unknown): number {
  return Number(parseInput(post, input).post ?? 0);
}

/** Returns the cursor of the page with the events before this revision. */
export function createCursorBefore(revision: number): string {
  return Buffer.from(`revision ${revision}`).toString('base64url');
}

function parseCursor(cursor: string): number {
  const [, revision] = /^revision (\d{1,9})$/u.exec(Buffer.from(cursor, 'base64url').toString('utf8')) ?? [];
  if (revision === undefined) throw createFieldError('cursor', BAD_CURSOR);
  return Number(revision);
}
