import type { AdminAdSort, UserSort } from '@alpenglow/domain';
import { afterCondition, cutPage, decodeCursor, encodeCursor, type Order, type RowPosition } from '../paging.ts';

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

const CURSOR = /^(?<list>[a-z]{1,10}) (?<id>[\w.:-]{1,80}) (?<key>.*)$/su;

/** Returns the position after which a page starts, or null. Throws INVALID_FIELDS. */
export function toSortPosition(
  { cursor, sort }: { readonly cursor: string | null; readonly sort: string },
  { type }: Order,
): RowPosition | null {
  return cursor === null ? null : decodeCursor<'id'>(cursor, CURSOR, { list: sort, type });
}

/**
 * Returns an SQL condition for the rows after a page cursor. `key` and `id` are SQL expressions for the values of the
 * cursor. If `key` is null, the condition is true for all rows.
 */
export function afterCursor(order: Order, idColumn: string, key: string, id: string): string {
  return `(${key}::text is null or ${afterCondition(order, idColumn, key, id)})`;
}

/**
 * Returns a page of a list, see `cutPage`. A cursor contains the name of the sort order, because it is valid only for
 * this sort order.
 */
export function createSortedPage<Row extends { readonly sort_key: Date | string }>(
  rows: readonly Row[],
  { sort, limit }: { readonly sort: string; readonly limit: number },
  idOf: (row: Row) => string,
) {
  return cutPage(rows, limit, (last) => {
    const { sort_key: key } = last;
    return encodeCursor(sort, idOf(last), typeof key === 'string' ? key : key.toISOString());
  });
}
