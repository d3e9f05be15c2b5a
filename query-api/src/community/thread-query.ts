import type { QueryOf } from '@alpenglow/domain/api';
import { parseThreadPlace } from './place-query.ts';
import { decodeRepliesCursor, type RepliesRequest } from './replies-page.ts';
import { decodeThreadCursor } from './thread-orders.ts';

/** The requested page of `GET /community/threads`. */
export type ThreadListQuery = ReturnType<typeof toThreadListQuery>;

/** Returns the requested page of a list of threads. Throws INVALID_FIELDS. */
export function toThreadListQuery({ sort, cursor, limit, ...placeInput }: QueryOf<'listThreads'>) {
  const place = parseThreadPlace(placeInput);
  const pinnedFirst = place.state !== null && place.city !== null;
  return {
    place,
    sort,
    /**
     * True if pinned threads come first. This is so only in the list of a city, because a thread is pinned within its
     * city.
     */
    pinnedFirst,
    cursor: cursor === null ? null : decodeThreadCursor(cursor, sort, pinnedFirst),
    limit,
  };
}

/**
 * Returns the requested page of replies, or null for the first page. `code` is the short code of the thread, which is
 * part of every page cursor of the thread. Throws INVALID_FIELDS.
 */
export function toRepliesRequest({ cursor, post }: QueryOf<'getThread'>, code: string): RepliesRequest | null {
  if (cursor !== null) return decodeRepliesCursor(cursor, code);
  return post === null ? null : { kind: 'with', number: post === 'last' ? Infinity : Number(post) };
}
