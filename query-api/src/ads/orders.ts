import { PRICE_LAST } from '@alpenglow/domain';

/** Orders a list may have. Each has an index that ends in the ad's id, so that every ad has one place. */
export const SORTS = ['bumped', 'newest', 'price', 'price_desc'] as const;
export type Sort = (typeof SORTS)[number];

export interface Order {
  /** SQL of what it goes by, as its index says it. */
  readonly by: string;
  readonly type: 'timestamptz' | 'integer';
  readonly direction: 'asc' | 'desc';
}

export const ORDERS: Readonly<Record<Sort, Order>> = {
  bumped: { by: 'c.last_bumped_at', type: 'timestamptz', direction: 'desc' },
  newest: { by: 'c.created_at', type: 'timestamptz', direction: 'desc' },
  price: { by: `coalesce(c.price_amount, ${PRICE_LAST.price})`, type: 'integer', direction: 'asc' },
  price_desc: { by: `coalesce(c.price_amount, ${PRICE_LAST.price_desc})`, type: 'integer', direction: 'desc' },
};

/** The ad after which a page begins: what it is sorted by (an ISO time or a whole number, as text), and its id. */
export interface Cursor {
  readonly value: string;
  readonly adId: string;
}

/** The `order by` of a list. */
export function orderBy({ by, direction }: Order): string {
  return `${by} ${direction}, c.ad_id ${direction}`;
}

/** SQL that is true behind a place in the order; its parts are SQL as well. `found` asks it of rows that were found already. */
export function isBehind(
  { by, type, direction }: Order,
  value: string,
  adId: string,
  of: 'ad_cards' | 'found' = 'ad_cards',
): string {
  return `(${of === 'found' ? 'sorted_by, ad_id' : `${by}, c.ad_id`}) ${direction === 'asc' ? '>' : '<'} (${value}::${type}, ${adId})`;
}

/** SQL that is true up to a value, that value included. */
export function isUpTo({ by, type, direction }: Order, value: string): string {
  return `${by} ${direction === 'asc' ? '<=' : '>='} ${value}::${type}`;
}
