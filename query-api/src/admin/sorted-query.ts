import {
  ADMIN_AD_SORTS,
  DomainError,
  LIST_LIMIT_DEFAULT,
  LIST_LIMIT_MAX,
  USER_ROLES,
  USER_SORTS,
  USER_TYPES,
  type AdminAdSort,
  type UserSort,
} from '@alpenglow/domain';
import { parseInput } from '@alpenglow/infra';
import * as z from 'zod/mini';

/** What an order goes by: SQL, its type there, and which way it goes. Rows with equal keys go by id, the same way. */
export interface Order {
  readonly by: string;
  readonly type: 'timestamptz' | 'text';
  readonly direction: 'asc' | 'desc';
}

/** Where a page ended: the key of its last row in the order of the list, a time or a text, and its id. */
export interface Place {
  readonly key: string;
  readonly id: string;
}

interface SortedQuery<Sort extends string> {
  /** Words to look for; null for everything. */
  readonly q: string | null;
  readonly sort: Sort;
  readonly after: Place | null;
  readonly limit: number;
}

/** What `GET /admin/users` was asked for; a filter that is null lets everything through. */
export interface UserQuery extends SortedQuery<UserSort> {
  readonly type: (typeof USER_TYPES)[number] | null;
  readonly role: (typeof USER_ROLES)[number] | null;
  readonly verified: boolean | null;
}

/** What `GET /admin/ads` was asked for. */
export interface AdQuery extends SortedQuery<AdminAdSort> {
  readonly hidden: boolean | null;
  readonly featured: boolean | null;
}

/** Names are compared as people of any language expect, titles as well. */
const BY_WORDS = (column: string) => `lower(${column}) collate "und-x-icu"`;
const NO_AD = `'epoch'::timestamptz`;

export const USER_ORDERS: Readonly<Record<UserSort, Order>> = {
  newest: { by: 'a.registered_at', type: 'timestamptz', direction: 'desc' },
  oldest: { by: 'a.registered_at', type: 'timestamptz', direction: 'asc' },
  name: { by: BY_WORDS('a.display_name'), type: 'text', direction: 'asc' },
  ads: { by: `coalesce(c.created_at, ${NO_AD})`, type: 'timestamptz', direction: 'desc' },
};

export const AD_ORDERS: Readonly<Record<AdminAdSort, Order>> = {
  newest: { by: 'c.created_at', type: 'timestamptz', direction: 'desc' },
  oldest: { by: 'c.created_at', type: 'timestamptz', direction: 'asc' },
  bumped: { by: 'c.last_bumped_at', type: 'timestamptz', direction: 'desc' },
  title: { by: BY_WORDS('c.title'), type: 'text', direction: 'asc' },
};

const ONCE = 'A filter may be given once';
const TOO_LONG = 'This filter is too long';
const BAD_LIMIT = `limit must be a whole number from 1 to ${LIST_LIMIT_MAX}`;
const BAD_CURSOR = 'This cursor is not one of this list';
/** A title or a name of the greatest length, each character of four bytes, and an id. */
const CURSOR_MAX = 1_000;
const choice = <T extends string>(name: string, allowed: readonly T[]) =>
  z.optional(z.union([z.literal(''), z.enum(allowed)], `${name} must be one of ${allowed.join(', ')}`));
const flag = (name: string) =>
  z.optional(z.union([z.literal(''), z.enum(['true', '1', 'false', '0'])], `${name} must be true or 1`));

const page = {
  q: z.optional(
    z
      .string(ONCE)
      .check(
        z.trim(),
        z.maxLength(100, TOO_LONG),
        z.regex(/^[^\p{Cc}\p{Cs}]*$/u, 'The search has characters that cannot be searched for'),
      ),
  ),
  cursor: z.optional(z.string(ONCE).check(z.trim(), z.maxLength(CURSOR_MAX, TOO_LONG))),
  limit: z.optional(
    z.string(BAD_LIMIT).check(
      z.regex(/^[0-9]{1,3}$/u, BAD_LIMIT),
      z.refine((text) => Number(text) >= 1 && Number(text) <= LIST_LIMIT_MAX, BAD_LIMIT),
    ),
  ),
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

/** Reads the query string of `GET /admin/users`. Throws INVALID_FIELDS. */
export function parseUserQuery(input: unknown): UserQuery {
  const given = parseInput(users, input);
  const sort = given.sort || 'newest';
  return {
    ...pageAsked(given, sort, USER_ORDERS[sort]),
    type: given.type || null,
    role: given.role || null,
    verified: flagOf(given.verified),
  };
}

/** Reads the query string of `GET /admin/ads`. Throws INVALID_FIELDS. */
export function parseAdQuery(input: unknown): AdQuery {
  const given = parseInput(ads, input);
  const sort = given.sort || 'newest';
  return { ...pageAsked(given, sort, AD_ORDERS[sort]), hidden: flagOf(given.hidden), featured: flagOf(given.featured) };
}

interface PageAsked {
  readonly q?: string | undefined;
  readonly cursor?: string | undefined;
  readonly limit?: string | undefined;
}

function pageAsked<Sort extends string>({ q, cursor, limit }: PageAsked, sort: Sort, order: Order): SortedQuery<Sort> {
  return {
    q: q || null,
    sort,
    after: cursor ? placeOf(cursor, sort, order) : null,
    limit: limit === undefined ? LIST_LIMIT_DEFAULT : Number(limit),
  };
}

function flagOf(text: string | undefined): boolean | null {
  return text ? text === 'true' || text === '1' : null;
}

/** SQL that is true behind a place of the order, or of everything where `key` is null; `key` and `id` are SQL, as is the column of ids. */
export function isBehind({ by, type, direction }: Order, idColumn: string, key: string, id: string): string {
  return `(${key}::text is null or (${by}, ${idColumn}) ${direction === 'asc' ? '>' : '<'} (${key}::${type}, ${id}))`;
}

/** The `order by` of a list. */
export function orderBy({ by, direction }: Order, idColumn: string): string {
  return `${by} ${direction}, ${idColumn} ${direction}`;
}

/** The key of a row as it was read, as a cursor has it. */
export function keyText(key: Date | string): string {
  return typeof key === 'string' ? key : key.toISOString();
}

/** One page of `rows`, of which one more than a page has was read, and the cursor of the next one. */
export function sortedPage<Row>(
  rows: readonly Row[],
  { sort, limit }: Pick<SortedQuery<string>, 'sort' | 'limit'>,
  placeAt: (row: Row) => Place,
): { readonly rows: readonly Row[]; readonly nextCursor: string | null } {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return { rows: shown, nextCursor: rows.length > limit && last ? cursorOf(sort, placeAt(last)) : null };
}

/** It says of what order it is: in another one it would name another place. */
function cursorOf(sort: string, { key, id }: Place): string {
  return Buffer.from([sort, id, key].join(' ')).toString('base64url');
}

const CURSOR = /^(?<of>[a-z]{1,10}) (?<id>[\w.:-]{1,80}) (?<key>[^\u0000\p{Cs}]*)$/u;
/** Of a year that Postgres and JavaScript both can read. */
const TIME = /^(?:2\d{3}|1970)-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u;

function placeOf(cursor: string, sort: string, { type }: Order): Place {
  const { of, id, key } = CURSOR.exec(Buffer.from(cursor, 'base64url').toString('utf8'))?.groups ?? {};
  const isOurs =
    of === sort &&
    id !== undefined &&
    key !== undefined &&
    (type === 'text' || (TIME.test(key) && new Date(key).toJSON() === key));
  if (!isOurs) throw new DomainError('INVALID_FIELDS', { reason: BAD_CURSOR }, null, { cursor: BAD_CURSOR });
  return { key, id };
}
