import { POSTS_PAGE_SIZE, THREAD_SORTS } from '@alpenglow/domain';
import { parseInput } from '@alpenglow/infra';
import * as z from 'zod/mini';
import { choice, filterUpTo, limitUpTo, listLimit, NOT_SINGLE } from '../query-fields.ts';
import { parseThreadPlace } from './place-query.ts';
import { decodeRepliesCursor, type RepliesRequest } from './replies-page.ts';
import { decodeThreadCursor } from './thread-orders.ts';

/** The query parameters of `GET /community/threads`. */
export type ThreadListQuery = ReturnType<typeof parseThreadListQuery>;

/** The query parameters of `GET /community/threads/{id}`. */
export interface RepliesQuery {
  /** The requested page. Null for the first page. */
  readonly requested: RepliesRequest | null;
  readonly limit: number;
}

const listQuery = z.object({
  country: filterUpTo(40),
  state: filterUpTo(40),
  city: filterUpTo(80),
  sort: choice('sort', THREAD_SORTS),
  cursor: filterUpTo(200),
  limit: listLimit,
});

const BAD_POST = 'post must be the number of a post, or last';
const repliesQuery = z.object({
  cursor: filterUpTo(200),
  limit: limitUpTo(POSTS_PAGE_SIZE.max, POSTS_PAGE_SIZE.default),
  post: z.optional(z.string(NOT_SINGLE).check(z.trim(), z.regex(/^(?:[0-9]{1,7}|last)?$/u, BAD_POST))),
});

/** Parses the query string of `GET /community/threads`. Throws INVALID_FIELDS. */
export function parseThreadListQuery(input: unknown) {
  const fields = parseInput(listQuery, input);
  const place = parseThreadPlace(fields);
  const sort = fields.sort || 'latest';
  const pinnedFirst = place.state !== null && place.city !== null;
  const cursor = fields.cursor ? decodeThreadCursor(fields.cursor, sort, pinnedFirst) : null;
  return {
    place,
    sort,
    /**
     * True if pinned threads come first. This is so only in the list of a city, because a thread is pinned within its
     * city.
     */
    pinnedFirst,
    cursor,
    limit: fields.limit,
  };
}

/**
 * Parses the query string of `GET /community/threads/{id}`. `code` is the short code of the thread. It is part of every
 * page cursor of the thread. Throws INVALID_FIELDS.
 */
export function parseRepliesQuery(input: unknown, code: string): RepliesQuery {
  const { cursor, limit, post } = parseInput(repliesQuery, input);
  const parseRequested = (): RepliesRequest | null => {
    if (cursor) return decodeRepliesCursor(cursor, code);
    return post ? { kind: 'with', number: post === 'last' ? Infinity : Number(post) } : null;
  };
  return { requested: parseRequested(), limit };
}
