import { ADMIN_AD_SORTS, USER_ROLES, USER_SORTS, USER_TYPES, type AdminAdSort, type UserSort } from '@alpenglow/domain';
import { parseInput } from '@alpenglow/infra';
import * as z from 'zod/mini';
import { cutPage } from '../cut-page.ts';
import { choice, createCursorError, filterUpTo, flag, listLimit, wordsUpTo } from '../query-fields.ts';

/** A sort order of a list. `by` is the SQL expression of the sort key. Rows with equal sort keys are sorted by id. */
export interface Order {
  readonly by: string;
  readonly type: 'timestamptz' | 'text';
  readonly direction: 'asc' | 'desc';
}

/** The sort key and the id of the last row of a page. The sort key is a time or a text. */
export interface SortPosition {
  readonly key: string;
  readonly id: string;
}

interface SortedQuery<Sort extends string> {
  /** The search text, or null for all rows. */
  readonly q: string | null;
  readonly sort: Sort;
  readonly after: SortPosition | null;
  readonly limit: number;
}

/** The query parameters of `GET /admin/users`. A filter that is null accepts all users. */
export interface UserQuery extends SortedQuery<UserSort> {
  readonly type: (typeof USER_TYPES)[number] | null;
  readonly role: (typeof USER_ROLES)[number] | null;
  readonly verified: boolean | null;
}

/** The query parameters of `GET /admin/ads`. */
export interface AdQuery extends SortedQuery<AdminAdSort> {
  readonly hidden: boolean | null;
  readonly featured: boolean | null;
}

/** Returns an SQL expression that sorts a text column by the Unicode collation, regardless of upper and lower case. */
const collated = (column: string) => `lower(${column}) collate "und-x-icu"`;
const NO_AD = `'epoch'::timestamptz`;

export const USER_ORDERS: Readonly<Record<UserSort, Order>> = {
  newest: { by: 'a.registered_at', type: 'timestamptz', direction: 'desc' },
  oldest: { by: 'a.registered_at', type: 'timestamptz', direction: 'asc' },
  name: { by: collated('a.display_name'), type: 'text', direction: 'asc' },
  ads: { by: `coalesce(c.created_at, ${NO_AD})`, type: 'timestamptz', direction: 'desc' },
};

export const AD_ORDERS: Readonly<Record<AdminAdSort, Order>> = {
  newest: { by: 'c.created_at', type: 'timestamptz', direction: 'desc' },
  oldest: { by: 'c.created_at', type: 'timestamptz', direction: 'asc' },
  bumped: { by: 'c.last_bumped_at', type: 'timestamptz', direction: 'desc' },
  title: { by: collated('c.title'), type: 'text', direction: 'asc' },
};

/**
 * The maximum length of a page cursor. A cursor contains an id and a sort key. This length is sufficient for the
 * longest name or title in UTF-8.
 */
const CURSOR_MAX = 1_000;

const page = {
  q: wordsUpTo(100, /^[^\p{Cc}\p{Cs}]*$/u),
  cursor: filterUpTo(CURSOR_MAX),
  limit: listLimit,
};
const users = z.object({
  ...page,
  sort: choice('sort', USER_SORTS),
  type: choice('type', USER_TYPES),
  role: choice('role', USER_ROLES),
  verified: flag('verified'),
});
const ads = z.object({
  ...page,
  sort: choice('sort', ADMIN_AD_SORTS),
  hidden: flag('hidden'),
  featured: flag('featured'),
});

/** Parses the query string of `GET /admin/users`. Throws INVALID_FIELDS. */
export function parseUserQuery(input: unknown): UserQuery {
  const fields = parseInput(users, input);
  const sort = fields.sort || 'newest';
  return {
    ...createQuery(fields, sort, USER_ORDERS[sort]),
    type: fields.type || null,
    role: fields.role || null,
    verified: parseFlag(fields.verified),
  };
}

/** Parses the query string of `GET /admin/ads`. Throws INVALID_FIELDS. */
export function parseAdQuery(input: unknown): AdQuery {
  const fields = parseInput(ads, input);
  const sort = fields.sort || 'newest';
  return {
    ...createQuery(fields, sort, AD_ORDERS[sort]),
    hidden: parseFlag(fields.hidden),
    featured: parseFlag(fields.featured),
  };
}

interface PageInput {
  readonly q?: string | undefined;
  readonly cursor?: string | undefined;
  readonly limit: number;
}

function createQuery<Sort extends string>(
  { q, cursor, limit }: PageInput,
  sort: Sort,
  order: Order,
): SortedQuery<Sort> {
  return { q: q || null, sort, after: cursor ? parseCursor(cursor, sort, order) : null, limit };
}

function parseFlag(text: string | undefined): boolean | null {
  return text ? text === 'true' || text === '1' : null;
}

/**
 * Returns an SQL condition for the rows after a page cursor. `key` and `id` are SQL expressions for the values of the
 * cursor. If `key` is null, the condition is true for all rows.
 */
export function afterCondition({ by, type, direction }: Order, idColumn: string, key: string, id: string): string {
  return `(${key}::text is null or (${by}, ${idColumn}) ${direction === 'asc' ? '>' : '<'} (${key}::${type}, ${id}))`;
}

/** Returns the SQL `order by` expressions of a list. */
export function orderBy({ by, direction }: Order, idColumn: string): string {
  return `${by} ${direction}, ${idColumn} ${direction}`;
}

/** Converts the sort key of a row to the text that a cursor contains. */
export function toCursorKey(key: Date | string): string {
  return typeof key === 'string' ? key : key.toISOString();
}

/**
 * Returns the first `limit` rows as a page, and the cursor of the next page. `rows` must contain one additional row if
 * a next page exists.
 */
export function createSortedPage<Row extends object>(
  rows: readonly Row[],
  { sort, limit }: Pick<SortedQuery<string>, 'sort' | 'limit'>,
  placeAt: (row: Row) => SortPosition,
) {
  return cutPage(rows, limit, (last) => createCursor(sort, placeAt(last)));
}

/**
 * Creates a page cursor for a URL. The cursor contains the name of the sort order, because it is valid only for this
 * sort order.
 */
function createCursor(sort: string, { key, id }: SortPosition): string {
  return Buffer.from([sort, id, key].join(' ')).toString('base64url');
}

const CURSOR = /^(?<of>[a-z]{1,10}) (?<id>[\w.:-]{1,80}) (?<key>[^\u0000\p{Cs}]*)$/u;
/** Matches a time in ISO 8601 format. The year is limited to values that both Postgres and JavaScript support. */
const TIME = /^(?:2\d{3}|1970)-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u;

function parseCursor(cursor: string, sort: string, { type }: Order): SortPosition {
  const { of, id, key } = CURSOR.exec(Buffer.from(cursor, 'base64url').toString('utf8'))?.groups ?? {};
  const isValid =
    of === sort &&
    id !== undefined &&
    key !== undefined &&
    (type === 'text' || (TIME.test(key) && new Date(key).toJSON() === key));
  if (!isValid) throw createCursorError();
  return { key, id };
}
