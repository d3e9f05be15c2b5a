import { DomainError, LIST_LIMIT_DEFAULT, LIST_LIMIT_MAX } from '@alpenglow/domain';
import { parseInput } from '@alpenglow/infra';
import * as z from 'zod/mini';

/** Which part of an admin's list was asked for. */
export interface PageQuery {
  /** Words to look for; null for everything. */
  readonly q: string | null;
  readonly after: Place | null;
  readonly limit: number;
}

/** Where a page ended: lists go from the newest to the oldest, by id where times are equal. */
export interface Place {
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly id: string;
}

const BAD_LIMIT = `limit must be a whole number from 1 to ${LIST_LIMIT_MAX}`;
const BAD_CURSOR = 'This cursor is not one of ours';
const once = () => z.string('A filter may be given once').check(z.trim(), z.maxLength(200, 'This filter is too long'));

const query = z.object({
  q: z.optional(
    once().check(
      z.maxLength(100, 'This filter is too long'),
      z.regex(/^[^\p{Cc}\p{Cs}]*$/u, 'The search has characters that cannot be searched for'),
    ),
  ),
  cursor: z.optional(once()),
  limit: z.optional(
    z.string(BAD_LIMIT).check(
      z.regex(/^[0-9]{1,3}$/u, BAD_LIMIT),
      z.refine((text) => Number(text) >= 1 && Number(text) <= LIST_LIMIT_MAX, BAD_LIMIT),
    ),
  ),
});

/** Reads the query string of an admin's list. Throws INVALID_FIELDS. */
export function parsePageQuery(input: unknown): PageQuery {
  const { q, cursor, limit } = parseInput(query, input);
  return {
    q: q || null,
    after: cursor ? placeOf(cursor) : null,
    limit: limit === undefined ? LIST_LIMIT_DEFAULT : Number(limit),
  };
}

/** One page of `rows`, of which one more than a page has was read, and the cursor of the next one. */
export function pageOf<Row>(
  rows: readonly Row[],
  limit: number,
  placeAt: (row: Row) => Place,
): { readonly rows: readonly Row[]; readonly nextCursor: string | null } {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return { rows: shown, nextCursor: rows.length > limit && last ? cursorOf(placeAt(last)) : null };
}

function cursorOf({ at, id }: Place): string {
  return Buffer.from(`${at} ${id}`).toString('base64url');
}

/** A year Postgres and JavaScript both can read. */
const PLACE = /^(?<at>[12]\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z) (?<id>[\w-]{1,120})$/u;

function placeOf(cursor: string): Place {
  const { at, id } = PLACE.exec(Buffer.from(cursor, 'base64url').toString('utf8'))?.groups ?? {};
  if (at === undefined || id === undefined || Number.isNaN(Date.parse(at))) {
    throw new DomainError('INVALID_FIELDS', { reason: BAD_CURSOR }, null, { cursor: BAD_CURSOR });
  }
  return { at: new Date(at).toISOString(), id };
}
