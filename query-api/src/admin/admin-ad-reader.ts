import type { AdCard, AdminAdView } from '@alpenglow/domain';
import type { QueryOf } from '@alpenglow/domain/api';
import { ACCOUNTS, AD_CARDS, type Nullable, type SelectedRow } from '@alpenglow/infra';
import type { Dependencies } from '../dependencies.ts';
import { readCards } from '../ads/cards-by-id.ts';
import { findTerms, createTsquery } from '../ads/search-terms.ts';
import { createLikePattern } from './like-pattern.ts';
import { orderBy } from '../paging.ts';
import { AD_ORDERS, afterCursor, createSortedPage, toSortPosition } from './sorted-query.ts';

export type AdminAdReader = ReturnType<typeof createAdminAdReader>;

const AD = AD_CARDS.select(['ad_id', 'account_id'], 'c');
const OWNER = ACCOUNTS.select(['email'], 'a');
type OwnedAd = SelectedRow<typeof AD> & Nullable<SelectedRow<typeof OWNER>> & { readonly is_hidden: boolean };
type SortedAd = OwnedAd & { readonly sort_key: Date | string };

/**
 * The SQL condition for ads that are hidden by a moderation case or by the configuration. `$1` contains the ad ids from
 * the configuration.
 */
const IS_HIDDEN = '(c.is_hidden or c.ad_id = any($1::text[]))';
const FILTERS = `($2::boolean is null or ${IS_HIDDEN} = $2) and ($3::boolean is null or c.is_featured = $3)`;
/**
 * The SQL query that finds the accounts whose ad, name or e-mail address matches the search text. The query uses a
 * union, because Postgres does not use both indexes for an `or` condition.
 */
const MATCHING_ACCOUNTS = `select account_id from ${AD_CARDS.table} where words @@ $4::tsquery
  union select account_id from ${ACCOUNTS.table} a where lower(a.email || ' ' || a.display_name) like lower($5)`;

/** Creates an object that reads ads for admins, including hidden ads. */
export function createAdminAdReader({ pool, hiddenAdIds }: Dependencies<'pool' | 'hiddenAdIds'>) {
  /**
   * Returns the SQL `from` clause for the matching ads, and the values of the SQL parameters that the clause and the
   * filters use.
   */
  async function createSource({
    q,
    hidden,
    featured,
  }: QueryOf<'listAdsAsAdmin'>): Promise<{ readonly from: string; readonly values: readonly unknown[] }> {
    const filters = [hiddenAdIds, hidden, featured];
    if (q === null) return { from: `${AD_CARDS.table} c`, values: filters };
    const terms = await findTerms(pool, q);
    return {
      from: `(${MATCHING_ACCOUNTS}) f join ${AD_CARDS.table} c using (account_id)`,
      values: [...filters, terms && createTsquery(terms), createLikePattern(q)],
    };
  }

  return {
    /**
     * Lists ads in the requested order, including hidden ads. The search text `q` matches words of the ad, or any part
     * of the owner's e-mail address or name.
     */
    async list(query: QueryOf<'listAdsAsAdmin'>) {
      const { sort, limit } = query;
      const order = AD_ORDERS[sort];
      const after = toSortPosition(query, order);
      const { from, values } = await createSource(query);
      const [key = '', id = '', rowsMax = ''] = [1, 2, 3].map((n) => `$${values.length + n}`);
      const counting = pool.query<{ total: number }>(`select count(*)::int as total from ${from} where ${FILTERS}`, [
        ...values,
      ]);
      const reading = pool.query<SortedAd>(
        `select ${AD}, ${OWNER}, ${IS_HIDDEN} as is_hidden, ${order.by} as sort_key
           from ${from} left join ${ACCOUNTS.table} a using (account_id)
          where ${FILTERS} and ${afterCursor(order, 'c.ad_id', key, id)}
          order by ${orderBy(order, 'c.ad_id')} limit ${rowsMax}`,
        [...values, after?.key ?? null, after?.id ?? null, limit + 1],
      );
      const [{ rows: counts }, { rows }] = await Promise.all([counting, reading]);
      const page = createSortedPage(rows, query, (row) => row.ad_id);
      const cards = await readCards(
        pool,
        page.rows.map(({ ad_id }) => ad_id),
        { asOwner: true },
      );
      const views = page.rows.flatMap((row) => createViews(row, cards.get(row.ad_id)));
      return { ads: views, nextCursor: page.nextCursor, total: counts[0]?.total ?? 0 };
    },
    /** Returns the current ad of an account, or null if the account has no ad. */
    async findByOwner(accountId: string): Promise<AdminAdView | null> {
      const { rows } = await pool.query<OwnedAd>({
        name: 'admin-ad-of-owner',
        text: `select ${AD}, ${OWNER}, ${IS_HIDDEN} as is_hidden
                 from ${AD_CARDS.table} c left join ${ACCOUNTS.table} a using (account_id)
                where c.account_id = $2`,
        values: [hiddenAdIds, accountId],
      });
      const cards = await readCards(
        pool,
        rows.map(({ ad_id }) => ad_id),
        { asOwner: true },
      );
      return rows.flatMap((row) => createViews(row, cards.get(row.ad_id)))[0] ?? null;
    },
  };
}

/**
 * Converts an ad to the API format. The returned list contains this single ad. The list is empty if the ad was deleted
 * after its row was read and before its card was read.
 */
function createViews({ account_id, email, is_hidden }: OwnedAd, card: AdCard | undefined): readonly AdminAdView[] {
  return card ? [{ ...card, status: is_hidden ? 'hidden' : card.status, email, ownerId: account_id }] : [];
}
