import type { AdminAdView } from '@alpenglow/domain';
import type { Pool } from '@alpenglow/infra';
import { readCards } from '../ads/cards-by-id.ts';
import { termsOf, tsqueryOf } from '../ads/search-terms.ts';
import { containing } from './containing.ts';
import { pageOf, type PageQuery } from './page-query.ts';

export interface AdminAdPage {
  readonly ads: readonly AdminAdView[];
  readonly nextCursor: string | null;
  readonly total: number;
}

export interface AdminAdReader {
  /** Ads from the newest to the oldest, the hidden ones as well; `q` is what a visitor would search for, or any part of the owner's address or name. */
  list(query: PageQuery): Promise<AdminAdPage>;
}

interface OwnedAd {
  readonly ad_id: string;
  readonly account_id: string;
  readonly email: string | null;
  readonly created_at: Date;
}

/** Both halves have an index of their own, which one condition with "or" would keep from being used. */
const FOUND = `select account_id from rm.ad_cards where words @@ $1::tsquery
  union select account_id from rm.accounts a where lower(a.email || ' ' || a.display_name) like lower($2)`;

/** Reads ads as admins see them. */
export function createAdminAdReader({ pool, hiddenAdIds }: { readonly pool: Pool; readonly hiddenAdIds: readonly string[] }): AdminAdReader {
  /** SQL of the ads meant, and its first parameters. */
  async function meant(q: string | null): Promise<{ readonly from: string; readonly values: readonly unknown[] }> {
    if (q === null) return { from: 'rm.ad_cards c', values: [] };
    const terms = await termsOf(pool, q);
    return { from: `(${FOUND}) f join rm.ad_cards c using (account_id)`, values: [terms && tsqueryOf(terms), containing(q)] };
  }

  return {
    async list({ q, after, limit }) {
      const { from, values } = await meant(q);
      const [at, id, rowsMax] = [1, 2, 3].map((n) => `$${values.length + n}`);
      const counted = pool.query<{ total: number }>(`select count(*)::int as total from ${from}`, [...values]);
      const found = pool.query<OwnedAd>(
        `select c.ad_id, c.account_id, a.email, c.created_at from ${from} left join rm.accounts a using (account_id)
         where ${at}::timestamptz is null or (c.created_at, c.ad_id) < (${at}, ${id})
         order by c.created_at desc, c.ad_id desc limit ${rowsMax}`,
        [...values, after?.at ?? null, after?.id ?? null, limit + 1],
      );
      const [{ rows: counts }, { rows }] = await Promise.all([counted, found]);
      const page = pageOf(rows, limit, (row) => ({ at: row.created_at.toISOString(), id: row.ad_id }));
      const cards = await readCards(pool, page.rows.map(({ ad_id }) => ad_id), { asOwner: true });
      const views = page.rows.flatMap(({ ad_id, account_id, email }): readonly AdminAdView[] => {
        const card = cards.get(ad_id);
        return card ? [{ ...card, status: hiddenAdIds.includes(ad_id) ? 'hidden' : card.status, email, ownerId: account_id }] : [];
      });
      return { ads: views, nextCursor: page.nextCursor, total: counts[0]?.total ?? 0 };
    },
  };
}
