import { DomainError, LIST_LIMIT_DEFAULT, LIST_LIMIT_MAX } from '@alpenglow/domain';
import { parseInput } from '@alpenglow/infra';
import * as z from 'zod/mini';

/** Which events of a history were asked for. */
export interface HistoryQuery {
  /** The revision after the last one wanted: a page goes back from there. Null: from the last event on. */
  readonly before: number | null;
  readonly limit: number;
  /** Null: of every type. */
  readonly type: string | null;
  /** Null: one page as an answer; else the whole history as a file. */
  readonly format: 'json' | 'csv' | null;
}

/** Which moments of a history were asked for: ISO 8601, UTC. */
export interface MomentQuery {
  readonly at: string;
  readonly and: string | null;
}

const BAD_TIME = 'This is not a time as ISO 8601 has it';
const BAD_CURSOR = 'This cursor is not one of ours';
const BAD_LIMIT = `limit must be a whole number from 1 to ${LIST_LIMIT_MAX}`;
const text = () => z.string('A filter may be given once');

const history = z.object({
  cursor: z.optional(text().check(z.maxLength(200, 'This filter is too long'))),
  limit: z.optional(
    z.string(BAD_LIMIT).check(
      z.regex(/^[0-9]{1,3}$/u, BAD_LIMIT),
      z.refine((given) => Number(given) >= 1 && Number(given) <= LIST_LIMIT_MAX, BAD_LIMIT),
    ),
  ),
  type: z.optional(text().check(z.regex(/^(?:[A-Z][A-Za-z]{2,59})?$/u, 'This is no type of event'))),
  format: z.optional(z.enum(['json', 'csv'], 'A history is exported as json or csv')),
});
const moment = z.pipe(
  z.iso.datetime({ offset: true, error: BAD_TIME }),
  z.transform((given) => new Date(given).toISOString()),
);
const moments = z.object({ at: z.optional(moment), and: z.optional(moment) });
const post = z.object({ post: z.optional(text().check(z.regex(/^[0-9]{0,7}$/u, 'A post has a number'))) });

/** Reads the query string of a history. Throws INVALID_FIELDS. */
export function parseHistoryQuery(input: unknown): HistoryQuery {
  const { cursor, limit, type, format } = parseInput(history, input);
  return {
    before: cursor ? revisionOf(cursor) : null,
    limit: limit === undefined ? LIST_LIMIT_DEFAULT : Number(limit),
    type: type || null,
    format: format ?? null,
  };
}

/** Reads which moments are meant; without one, it is `now`. Throws INVALID_FIELDS. */
export function parseMoments(input: unknown, now: string): MomentQuery {
  const { at, and } = parseInput(moments, input);
  return { at: at ?? now, and: and ?? null };
}

/** Reads from which post on a thread is wanted. Throws INVALID_FIELDS. */
export function parsePostNumber(input: unknown): number {
  return Number(parseInput(post, input).post ?? 0);
}

/** The cursor of the page that ends before an event of this revision. */
export function cursorBefore(revision: number): string {
  return Buffer.from(`revision ${revision}`).toString('base64url');
}

function revisionOf(cursor: string): number {
  const [, revision] = /^revision (\d{1,9})$/u.exec(Buffer.from(cursor, 'base64url').toString('utf8')) ?? [];
  if (revision === undefined)
    throw new DomainError('INVALID_FIELDS', { reason: BAD_CURSOR }, null, { cursor: BAD_CURSOR });
  return Number(revision);
}
