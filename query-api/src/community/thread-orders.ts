import { THREAD_ID, type ThreadSort } from '@alpenglow/domain';
import { createCursorError } from '../query-fields.ts';

export interface ThreadOrder {
  /** The sort column. The order is descending. */
  readonly by: 'last_post_at' | 'activity' | 'started_at';
  readonly type: 'timestamptz' | 'double precision';
}

/**
 * The sort orders of threads. The last column of every index is the thread id, so that threads with the same sort key
 * have a fixed order, too.
 */
export const THREAD_ORDERS: Readonly<Record<ThreadSort, ThreadOrder>> = {
  latest: { by: 'last_post_at', type: 'timestamptz' },
  active: { by: 'activity', type: 'double precision' },
  newest: { by: 'started_at', type: 'timestamptz' },
};

/** The position in a list of threads after which a page starts. */
export type ThreadCursor = ReturnType<typeof decodeThreadCursor>;

/**
 * Creates a page cursor for a URL. The cursor contains the name of the sort order, because it is valid only for this
 * sort order.
 */
export function encodeThreadCursor(sort: ThreadSort, { isPinned, value, threadId }: ThreadCursor): string {
  return Buffer.from(
    [sort, ...(isPinned === null ? [] : [isPinned ? 'pinned' : 'others']), value, threadId].join(' '),
  ).toString('base64url');
}

const PARTS = /^(?<sort>[a-z]+)(?: (?<place>pinned|others))? (?<value>\S+) (?<threadId>\S+)$/u;
/** Matches a time in ISO 8601 format. The year is limited to values that both Postgres and JavaScript support. */
const TIME = /^2\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u;
const NUMBER = /^-?\d{1,9}(?:\.\d{1,20})?(?:e-\d{1,2})?$/u;

/**
 * Decodes the cursor of a list of threads. `pinnedFirst` is true if pinned threads come first in the list. Throws
 * INVALID_FIELDS if the cursor was created for another sort order or for another value of `pinnedFirst`.
 */
export function decodeThreadCursor(text: string, sort: ThreadSort, pinnedFirst: boolean) {
  const {
    sort: of,
    place,
    value = '',
    threadId = '',
  } = PARTS.exec(Buffer.from(text, 'base64url').toString('utf8'))?.groups ?? {};
  if (
    of !== sort ||
    (place !== undefined) !== pinnedFirst ||
    !THREAD_ID.test(threadId) ||
    !isValidValue(THREAD_ORDERS[sort].type, value)
  )
    throw createCursorError();
  return {
    /** True if the thread is pinned. Null in lists in which pinned threads do not come first. */
    isPinned: place === undefined ? null : place === 'pinned',
    /** The sort key as text, which is an ISO time or a number. */
    value,
    threadId,
  };
}

function isValidValue(type: ThreadOrder['type'], value: string): boolean {
  if (type === 'timestamptz') return TIME.test(value) && new Date(value).toJSON() === value;
  return NUMBER.test(value);
}
