import type { AdCard, AdminAdView } from '@alpenglow/domain';
import type { Pool } from '@alpenglow/infra';
import { readCards } from '../ads/cards-by-id.ts';
import { termsOf, tsqueryOf } from '../ads/search-terms.ts';
import { containing } from './containing.ts';
import { AD_ORDERS, isBehind, keyText, orderBy, sortedPage, type AdQuery } from './sorted-query.ts';

export interface AdminAdPage {
  readonly ads: readonly AdminAdView[];
  readonly nextCursor: string | null;
  readonly total: number;
}

export interface AdminAdReader {
  /** Ads in the order asked for, the hidden ones as well; `q` is what a visitor would search for, or any part of the owner's address or name. */
  list(query: AdQuery): Promise<AdminAdPage>;
  /** The ad an account has up; null without one. */
  ofOwner(accountId: string): Promise<AdminAdView | null>;
}

interface OwnedAd {
  readonly ad_id: string;
  readonly account_id: string;
  readonly email: string | null;
  readonly is_hidden: boolean;
}
type SortedAd = OwnedAd & { readonly sort_key: Date | string };

/** Hidden by a case or by configuration (`$1`): no list of visitors has it. */
const IS_HIDDEN = '(c.is_hidden or c.ad_id = any($1::text[]))';
const MEANT = `($2::boolean is null or ${IS_HIDDEN} = $2) and ($3::boolean is null or c.is_featured = $3)`;
/** Both halves have an index of their own, which one condition with "or" would keep from being used. */
const FOUND = `select account_id from rm.ad_cards where words @@ $4::tsquery
  union select account_id from rm.accounts a where lower(a.email || ' ' || a.display_name) like lower($5)`;

/** Reads ads as admins see them. */
export function createAdminAdReader({
  pool,
  hiddenAdIds,
}: {
  readonly pool: Pool;
  readonly hiddenAdIds: readonly string[];
}): AdminAdReader {
  /** SQL of the ads meant, and its first parameters. */
  async function meant({
    q,
    hidden,
    featured,
  }: AdQuery): Promise<{ readonly from: string; readonly values: readonly unknown[] }> {
    const filters = [hiddenAdIds, hidden, featured];
    if (q === null) return { from: 'rm.ad_cards c', values: filters };
    const terms = await termsOf(pool, q);
    return {
      from: `(${FOUND}) f join rm.ad_cards c using (account_id)`,
      values: [...filters, terms && tsqueryOf(terms), containing(q)],
    };
  }

  return {
    async list(query) {
      const { sort, after, limit } = query;
      const order = AD_ORDERS[sort];
      const { from, values } = await meant(query);
      const [key = '', id = '', rowsMax = ''] = [1, 2, 3].map((n) => `$${values.length + n}`);
      const counted = pool.query<{ total: number }>(`select count(*)::int as total from ${from} where ${MEANT}`, [
        ...values,
      ]);
      const found = pool.query<SortedAd>(
        `select c.ad_id, c.account_id, a.email, ${IS_HIDDEN} as is_hidden, ${order.by} as sort_key from ${from} left join rm.accounts a using (account_id)
         where ${MEANT} and ${isBehind(order, 'c.ad_id', key, id)} order by ${orderBy(order, 'c.ad_id')} limit ${rowsMax}`,
        [...values, after?.key ?? null, after?.id ?? null, limit + 1],
      );
      const [{ rows: counts }, { rows }] = await Promise.all([counted, found]);
      const page = sortedPage(rows, query, (row) => ({ key: keyText(row.sort_key), id: row.ad_id }));
      const cards = await readCards(
        pool,
        page.rows.map(({ ad_id }) => ad_id),
        { asOwner: true },
      );
      const views = page.rows.flatMap((row) => viewsOf(row, cards.get(row.ad_id)));
      return { ads: views, nextCursor: page.nextCursor, total: counts[0]?.total ?? 0 };
    },
    async ofOwner(accountId) {
      const { rows } = await pool.query<OwnedAd>({
        name: 'admin-ad-of-owner',
        text: `select c.ad_id, c.account_id, a.email, ${IS_HIDDEN} as is_hidden from rm.ad_cards c left join rm.accounts a using (account_id) where c.account_id = $2`,
        values: [hiddenAdIds, accountId],
      });
      const cards = await readCards(
        pool,
        rows.map(({ ad_id }) => ad_id),
        { asOwner: true },
      );
      return rows.flatMap((row) => viewsOf(row, cards.get(row.ad_id)))[0] ?? null;
    },
  };
}

/** None where the ad was taken down between the two reads. */
function viewsOf({ account_id, email, is_hidden }: OwnedAd, card: AdCard | undefined): readonly AdminAdView[] {
  return card ? [{ ...card, status: is_hidden ? 'hidden' : card.status, email, ownerId: account_id }] : [];
}
