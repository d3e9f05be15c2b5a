import { THREAD_ID, type ThreadSort } from '@alpenglow/domain';
import { createCursorError, decodeCursor, encodeCursor } from '../paging.ts';

export interface ThreadOrder {
  /** The sort column. The order is descending. */
  readonly by: 'last_post_at' | 'activity' | 'started_at';
  readonly type: 'timestamptz' | 'float8';
}

/**
 * The sort orders of threads. The last column of every index is the thread id, so that threads with the same sort key
 * have a fixed order, too.
 */
export const THREAD_ORDERS: Readonly<Record<ThreadSort, ThreadOrder>> = {
  latest: { by: 'last_post_at', type: 'timestamptz' },
  active: { by: 'activity', type: 'float8' },
  newest: { by: 'started_at', type: 'timestamptz' },
};

/** The position in a list of threads after which a page starts. */
export type ThreadCursor = ReturnType<typeof decodeThreadCursor>;

/**
 * Creates a page cursor for a URL. The cursor contains the name of the sort order, because it is valid only for this
 * sort order.
 */
export function encodeThreadCursor(sort: ThreadSort, { isPinned, value, threadId }: ThreadCursor): string {
  return encodeCursor(sort, ...(isPinned === null ? [] : [isPinned ? 'pinned' : 'others']), value, threadId);
}

const PARTS = /^(?<list>[a-z]+)(?: (?<place>pinned|others))? (?<key>\S+) (?<threadId>\S+)$/u;

/**
 * Decodes the cursor of a list of threads. `pinnedFirst` is true if pinned threads come first in the list. Throws
 * INVALID_FIELDS if the cursor was created for another sort order or for another value of `pinnedFirst`.
 */
export function decodeThreadCursor(text: string, sort: ThreadSort, pinnedFirst: boolean) {
  const cursor = decodeCursor<'threadId', 'place'>(text, PARTS, { list: sort, type: THREAD_ORDERS[sort].type });
  const { place, key: value, threadId } = cursor;
  if ((place !== undefined) !== pinnedFirst || !THREAD_ID.test(threadId)) throw createCursorError();
  return {
    /** True if the thread is pinned. Null in lists in which pinned threads do not come first. */
    isPinned: place === undefined ? null : place === 'pinned',
    /** The sort key as text, which is an ISO time or a number. */
    value,
    threadId,
  };
}
