import { SOCIAL_NETWORKS, type AdCard, type AdCountsAnswer, type AdView, type SocialMedia } from '@alpenglow/domain';
import type { Pool } from '@alpenglow/infra';
import { readAdCounts } from './ad-counts.ts';
import { CARD_COLUMNS, cardOf, type CardRow } from './card-view.ts';
import { listAds, type AdPage } from './list-ads.ts';
import type { ListQuery, PlaceQuery } from './list-query.ts';

/** An ad with what only the server may know of it. */
export interface FoundAd {
  readonly ad: Omit<AdView, 'email' | 'isOwner'>;
  readonly accountId: string;
  readonly email: string | null;
  readonly revision: number;
}

export interface AdReader {
  list(query: ListQuery): Promise<AdPage>;
  /** How many ads there are by place and category. */
  counts(place: PlaceQuery): Promise<AdCountsAnswer['data']>;
  /** An ad in full, as the account `askerId` may see it, null for a visitor: one that a case holds is there for its owner alone. */
  find(adId: string, askerId: string | null): Promise<FoundAd | null>;
  /** The ads of one account, newest first. */
  ofAccount(accountId: string): Promise<readonly AdCard[]>;
}

/** Columns of `rm.ad_details` that are answered as they are. */
const DETAILS = ['description', 'body', 'phone', 'reviews'] as const satisfies readonly (keyof AdView)[];

interface DetailRow extends CardRow, Pick<AdView, (typeof DETAILS)[number]> {
  readonly account_id: string;
  readonly revision: number;
  readonly social_media: SocialMedia | null;
  readonly email: string | null;
}

/** Reads ads from the read models. The hidden ones are in no list and no count. */
export function createAdReader({
  pool,
  hiddenAdIds,
}: {
  readonly pool: Pool;
  readonly hiddenAdIds: readonly string[];
}): AdReader {
  return {
    list: (query) => listAds(pool, query, hiddenAdIds),

    async counts(place) {
      return (await readAdCounts(pool, hiddenAdIds)).facets(place);
    },

    async find(adId, askerId) {
      const { rows } = await pool.query<DetailRow>({
        name: 'ad-find',
        text: `select ${CARD_COLUMNS}, c.account_id, c.revision, ${DETAILS.map((column) => `d.${column}`).join(', ')}, d.social_media, a.email
               from rm.ad_cards c join rm.ad_details d using (account_id) left join rm.accounts a using (account_id)
               where c.ad_id = $1 and d.ad_id = $1 and (not c.is_hidden or c.account_id = $2)`,
        values: [adId, askerId],
      });
      const row = rows[0];
      if (!row) return null;
      const { account_id: accountId, revision, email } = row;
      const details = Object.fromEntries(DETAILS.map((column) => [column, row[column]])) as Pick<
        DetailRow,
        (typeof DETAILS)[number]
      >;
      return {
        ad: { ...cardOf(row, accountId === askerId), ...details, socialMedia: row.social_media ?? NO_SOCIAL_MEDIA },
        accountId,
        email,
        revision,
      };
    },

    async ofAccount(accountId) {
      const { rows } = await pool.query<CardRow>({
        name: 'ads-of-account',
        text: `select ${CARD_COLUMNS} from rm.ad_cards c where c.account_id = $1 order by c.created_at desc`,
        values: [accountId],
      });
      return rows.map((row) => cardOf(row, true));
    },
  };
}

const NO_SOCIAL_MEDIA = Object.fromEntries(SOCIAL_NETWORKS.map((network) => [network, null])) as SocialMedia;
