import { SOCIAL_NETWORKS, type AdCard, type AdCountsResponse, type AdView, type SocialMedia } from '@alpenglow/domain';
import type { Dependencies } from '../dependencies.ts';
import { readAdCounts } from './ad-counts.ts';
import { CARD_COLUMNS, createAdCard, type CardRow } from './card-view.ts';
import { listAds, type AdPage } from './list-ads.ts';
import type { ListQuery, PlaceQuery } from './list-query.ts';

export type AdReader = ReturnType<typeof createAdReader>;

/** The columns of `rm.ad_details` that the API returns unchanged. */
const DETAILS = ['description', 'body', 'phone', 'reviews'] as const satisfies readonly (keyof AdView)[];

interface DetailRow extends CardRow, Pick<AdView, (typeof DETAILS)[number]> {
  readonly account_id: string;
  readonly revision: number;
  readonly social_media: SocialMedia | null;
  readonly email: string | null;
}

/** Creates an object that reads ads. Its public lists and counts do not contain hidden ads. */
export function createAdReader({ pool, hiddenAdIds }: Dependencies<'pool' | 'hiddenAdIds'>) {
  return {
    list: (query: ListQuery): Promise<AdPage> => listAds(pool, query, hiddenAdIds),

    /** Returns the numbers of ads by place and category. */
    async readCounts(place: PlaceQuery): Promise<AdCountsResponse['data']> {
      return (await readAdCounts(pool, hiddenAdIds)).createFacets(place);
    },

    /**
     * Finds an ad with all details. `callerId` is the account that requests the ad, or null for a visitor. Only the
     * owner receives a hidden ad.
     */
    async find(adId: string, callerId: string | null) {
      const { rows } = await pool.query<DetailRow>({
        name: 'ad-find',
        text: `select ${CARD_COLUMNS}, c.account_id, c.revision,
                      ${DETAILS.map((column) => `d.${column}`).join(', ')}, d.social_media, a.email
               from rm.ad_cards c join rm.ad_details d using (account_id) left join rm.accounts a using (account_id)
               where c.ad_id = $1 and d.ad_id = $1 and (not c.is_hidden or c.account_id = $2)`,
        values: [adId, callerId],
      });
      const row = rows[0];
      if (!row) return null;
      const { account_id: accountId, revision, email } = row;
      const details = Object.fromEntries(DETAILS.map((column) => [column, row[column]])) as Pick<
        DetailRow,
        (typeof DETAILS)[number]
      >;
      return {
        ad: {
          ...createAdCard(row, accountId === callerId),
          ...details,
          socialMedia: row.social_media ?? NO_SOCIAL_MEDIA,
        },
        accountId,
        email,
        revision,
      };
    },

    /** Lists the ads of one account, the newest first. */
    async listByAccount(accountId: string): Promise<readonly AdCard[]> {
      const { rows } = await pool.query<CardRow>({
        name: 'ads-of-account',
        text: `select ${CARD_COLUMNS} from rm.ad_cards c where c.account_id = $1 order by c.created_at desc`,
        values: [accountId],
      });
      return rows.map((row) => createAdCard(row, true));
    },
  };
}

const NO_SOCIAL_MEDIA = Object.fromEntries(SOCIAL_NETWORKS.map((network) => [network, null])) as SocialMedia;
