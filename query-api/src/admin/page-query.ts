import { parseInput } from '@alpenglow/infra';
import * as z from 'zod/mini';
import { cutPage } from '../cut-page.ts';
import { BAD_CURSOR, createFieldError, filterUpTo, listLimit } from '../query-fields.ts';

/** The requested page of a list for admins. */
export interface PageQuery {
  readonly after: PagePosition | null;
  readonly limit: number;
}

/** The time and the id of the last entry of a page. Lists are sorted by time, the newest first, and then by id. */
export interface PagePosition {
  /** Time in ISO 8601 format, in UTC. */
  readonly at: string;
  readonly id: string;
}

const query = z.object({
  cursor: filterUpTo(200),
  limit: listLimit,
});

/** Parses the query string of a request for a list. Throws INVALID_FIELDS. */
export function parsePageQuery(input: unknown): PageQuery {
  const { cursor, limit } = parseInput(query, input);
  return { after: cursor ? parseCursor(cursor) : null, limit };
}

/**
 * Returns the first `limit` rows as a page, and the cursor of the next page. `rows` must contain one additional row if
 * a next page exists.
 */
export function createPage<Row extends object>(
  rows: readonly Row[],
  limit: number,
  placeAt: (row: Row) => PagePosition,
) {
  return cutPage(rows, limit, (last) => createCursor(placeAt(last)));
}

function createCursor({ at, id }: PagePosition): string {
  return Buffer.from(`${at} ${id}`).toString('base64url');
}

/**
 * Matches the decoded text of a page cursor, which contains a time and an id. The year is limited to values that both
 * Postgres and JavaScript support.
 */
const PLACE = /^(?<at>[12]\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z) (?<id>[\w-]{1,120})$/u;

function parseCursor(cursor: string): PagePosition {
  const { at, id } = PLACE.exec(Buffer.from(cursor, 'base64url').toString('utf8'))?.groups ?? {};
  if (at === undefined || id === undefined || Number.isNaN(Date.parse(at)))
    throw createFieldError('cursor', BAD_CURSOR);
  return { at: new Date(at).toISOString(), id };
}
