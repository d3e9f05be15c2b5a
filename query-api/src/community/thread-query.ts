import { LIST_LIMIT_DEFAULT, LIST_LIMIT_MAX, POSTS_PAGE } from '@alpenglow/domain';
import { parseInput } from '@alpenglow/infra';
import * as z from 'zod/mini';
import { placeOf, type ThreadPlaceQuery } from './place-query.ts';
import { decodeRepliesCursor, type RepliesAsked } from './replies-page.ts';
import { decodeThreadCursor, THREAD_SORTS, type ThreadCursor, type ThreadSort } from './thread-orders.ts';

/** What `GET /community/threads` was asked for. */
export interface ThreadListQuery {
  readonly place: ThreadPlaceQuery;
  readonly sort: ThreadSort;
  /** Only in a city: elsewhere a thread that is pinned in its city is one of many. */
  readonly pinnedFirst: boolean;
  readonly cursor: ThreadCursor | null;
  readonly limit: number;
}

/** What part of a thread `GET /community/threads/{id}` was asked for. */
export interface RepliesQuery {
  /** Null where nothing was said: the first page. */
  readonly asked: RepliesAsked | null;
  readonly limit: number;
}

const ONCE = 'A filter may be given once';
const one = (max: number) => z.optional(z.string(ONCE).check(z.trim(), z.maxLength(max, 'This filter is too long')));

function limitUpTo(max: number) {
  const reason = `limit must be a whole number from 1 to ${max}`;
  return z.optional(
    z.string(reason).check(
      z.regex(/^[0-9]{1,3}$/u, reason),
      z.refine((text) => Number(text) >= 1 && Number(text) <= max, reason),
    ),
  );
}

const listQuery = z.object({
  country: one(40),
  state: one(40),
  city: one(80),
  sort: z.optional(z.union([z.literal(''), z.enum(THREAD_SORTS)], `sort must be one of ${THREAD_SORTS.join(', ')}`)),
  cursor: one(200),
  limit: limitUpTo(LIST_LIMIT_MAX),
});

const BAD_POST = 'post must be the number of a post, or last';
const repliesQuery = z.object({
  cursor: one(200),
  limit: limitUpTo(POSTS_PAGE.max),
  post: z.optional(z.string(ONCE).check(z.trim(), z.regex(/^(?:[0-9]{1,7}|last)?$/u, BAD_POST))),
});

/** Reads the query string of `GET /community/threads`. Throws INVALID_FIELDS. */
export function parseThreadListQuery(input: unknown): ThreadListQuery {
  const given = parseInput(listQuery, input);
  const place = placeOf(given);
  const sort = given.sort || 'latest';
  const pinnedFirst = place.state !== null && place.city !== null;
  const cursor = given.cursor ? decodeThreadCursor(given.cursor, sort, pinnedFirst) : null;
  return {
    place,
    sort,
    pinnedFirst,
    cursor,
    limit: given.limit === undefined ? LIST_LIMIT_DEFAULT : Number(given.limit),
  };
}

/** Reads the query string of `GET /community/threads/{id}`; `code` is the thread's, which its cursors name. Throws INVALID_FIELDS. */
export function parseRepliesQuery(input: unknown, code: string): RepliesQuery {
  const { cursor, limit, post } = parseInput(repliesQuery, input);
  const asked = (): RepliesAsked | null => {
    if (cursor) return decodeRepliesCursor(cursor, code);
    return post ? { kind: 'with', number: post === 'last' ? Infinity : Number(post) } : null;
  };
  return { asked: asked(), limit: limit === undefined ? POSTS_PAGE.default : Number(limit) };
}
