import { MISSING_PRICE_SORT_VALUES, type AdSort } from '@alpenglow/domain';
import type { Order } from '../paging.ts';

/**
 * The sort orders of ads. A sort key is written exactly as in the index, so that Postgres uses the index. The last
 * column of every index is the ad id, so that ads with the same sort key have a fixed order.
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

/**
 * The part of a search result that an ad belongs to: all matches, the matches with a word in the title or the name, or
 * the rest of the matches.
 */
export type ResultPart = 'all' | 'titles' | 'rest';

/** The rank of an ad in a search by relevance (record 0081). */
export type Rank =
  /** All ads of the part are sorted by their score. `weights` are the weights of the search terms for this list. */
  | {
      readonly kind: 'scored';
      readonly part: 'all' | 'titles';
      readonly score: number;
      readonly weights: readonly number[];
    }
  /** The ads of the part are sorted by their last bump only, because there are too many for scores. */
  | { readonly kind: 'recent'; readonly part: 'titles' | 'rest' };

/** The ad after which a page starts. `value` is its sort key as text, which is an ISO time or an integer. */
export interface Cursor {
  readonly value: string;
  readonly adId: string;
  /** Null if the list is not sorted by relevance. */
  readonly rank: Rank | null;
}

/**
 * Returns an SQL condition for the rows of a CTE after a cursor, in a list by score with the last bump first among
 * equal scores. The arguments are SQL expressions for the values of the cursor.
 */
export function afterScoredCondition({ type }: Order, score: string, value: string, adId: string): string {
  return `(score, sorted_by, ad_id) < (${score}::int, ${value}::${type}, ${adId})`;
}
