import { MISSING_PRICE_SORT_VALUES, type AdSort } from '@alpenglow/domain';

export interface Order {
  /** The SQL expression of the sort key. It is written exactly as in the index, so that Postgres uses the index. */
  readonly by: string;
  readonly type: 'timestamptz' | 'integer';
  readonly direction: 'asc' | 'desc';
}

/**
 * The sort orders of ads. The last column of every index is the ad id, so that ads with the same sort key have a fixed
 * order, too.
 */
export const ORDERS: Readonly<Record<AdSort, Order>> = {
  bumped: { by: 'c.last_bumped_at', type: 'timestamptz', direction: 'desc' },
  newest: { by: 'c.created_at', type: 'timestamptz', direction: 'desc' },
  price: { by: `coalesce(c.price_amount, ${MISSING_PRICE_SORT_VALUES.price})`, type: 'integer', direction: 'asc' },
  price_desc: {
    by: `coalesce(c.price_amount, ${MISSING_PRICE_SORT_VALUES.price_desc})`,
    type: 'integer',
    direction: 'desc',
  },
};

/** The ad after which a page starts. `value` is its sort key as text, which is an ISO time or an integer. */
export interface Cursor {
  readonly value: string;
  readonly adId: string;
  /**
   * True if the title or the name of this ad matches the search, so that only the rest of these ads and all others
   * follow. Null if the list does not list such ads first.
   */
  readonly isTitleMatch: boolean | null;
}

/** Returns the SQL `order by` expressions of a list. */
export function orderBy({ by, direction }: Order): string {
  return `${by} ${direction}, c.ad_id ${direction}`;
}

/**
 * Returns an SQL condition for the ads after a page cursor. `value` and `adId` are SQL expressions for the values of
 * the cursor. If `of` is `found`, the condition applies to the rows of the CTE `found`.
 */
export function afterCondition(
  { by, type, direction }: Order,
  value: string,
  adId: string,
  of: 'ad_cards' | 'found' = 'ad_cards',
): string {
  const columns = of === 'found' ? 'sorted_by, ad_id' : `${by}, c.ad_id`;
  return `(${columns}) ${direction === 'asc' ? '>' : '<'} (${value}::${type}, ${adId})`;
}

/**
 * Returns an SQL condition for the rows of the CTE `found` after a cursor, in a list with title matches first. The
 * arguments are SQL expressions for the values of the cursor.
 */
export function afterRankedCondition(
  { type, direction }: Order,
  isTitleMatch: string,
  value: string,
  adId: string,
): string {
  const isAfter = direction === 'asc' ? '>' : '<';
  return `(in_title < ${isTitleMatch}::boolean
    or in_title = ${isTitleMatch}::boolean and (sorted_by, ad_id) ${isAfter} (${value}::${type}, ${adId}))`;
}

/** Returns an SQL condition for the ads up to and including the sort key `value`. */
export function upToCondition({ by, type, direction }: Order, value: string): string {
  return `${by} ${direction === 'asc' ? '<=' : '>='} ${value}::${type}`;
}
