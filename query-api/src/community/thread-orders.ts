import { DomainError, THREAD_ID } from '@alpenglow/domain';

/** Orders a list of threads may have. Each has an index that ends in the thread's id, so that every thread has one place. */
export const THREAD_SORTS = ['latest', 'active', 'newest'] as const;
export type ThreadSort = (typeof THREAD_SORTS)[number];

export interface ThreadOrder {
  /** The column it goes by, from the highest down. */
  readonly by: 'last_post_at' | 'activity' | 'started_at';
  readonly type: 'timestamptz' | 'double precision';
}

export const THREAD_ORDERS: Readonly<Record<ThreadSort, ThreadOrder>> = {
  latest: { by: 'last_post_at', type: 'timestamptz' },
  active: { by: 'activity', type: 'double precision' },
  newest: { by: 'started_at', type: 'timestamptz' },
};

/** The thread after which a page begins. */
export interface ThreadCursor {
  /** Null in a list that puts pinned threads nowhere else than others. */
  readonly isPinned: boolean | null;
  /** What it is sorted by: an ISO time or a number, as text. */
  readonly value: string;
  readonly threadId: string;
}

/** A cursor as it stands in an address. It says of what order it is: in another one it would name another place. */
export function encodeThreadCursor(sort: ThreadSort, { isPinned, value, threadId }: ThreadCursor): string {
  return Buffer.from(
    [sort, ...(isPinned === null ? [] : [isPinned ? 'pinned' : 'others']), value, threadId].join(' '),
  ).toString('base64url');
}

const PARTS = /^(?<sort>[a-z]+)(?: (?<place>pinned|others))? (?<value>\S+) (?<threadId>\S+)$/u;
/** Of a year that Postgres and JavaScript both can read. */
const TIME = /^2\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u;
const NUMBER = /^-?\d{1,9}(?:\.\d{1,20})?(?:e-\d{1,2})?$/u;

/** Reads a cursor of a list in this order, of one that puts pinned threads first or of one that does not. Throws INVALID_FIELDS. */
export function decodeThreadCursor(text: string, sort: ThreadSort, pinnedFirst: boolean): ThreadCursor {
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
    !isValueOf(THREAD_ORDERS[sort].type, value)
  )
    throw badCursor();
  return { isPinned: place === undefined ? null : place === 'pinned', value, threadId };
}

function isValueOf(type: ThreadOrder['type'], value: string): boolean {
  if (type === 'timestamptz') return TIME.test(value) && new Date(value).toJSON() === value;
  return NUMBER.test(value);
}

const BAD_CURSOR = 'This cursor is not one of this list';

/** What a cursor is refused with that no page of this list has given. */
export function badCursor(): DomainError {
  return new DomainError('INVALID_FIELDS', { reason: BAD_CURSOR }, null, { cursor: BAD_CURSOR });
}
