import {
  isReviewBy,
  listNearbyCities,
  slugify,
  SOCIAL_NETWORKS,
  type AdCard,
  type AdCountsResponse,
  type AdView,
  type ContactDetails,
  type RegisteredAccount,
  type ReviewView,
  type SocialMedia,
} from '@alpenglow/domain';
import type { ReadPool } from '@alpenglow/infra';
import type { Dependencies } from '../dependencies.ts';
import { readAdCounts } from './ad-counts.ts';
import { nearbyStatement } from './ad-statements.ts';
import { CARD_COLUMNS, createAdCard, type CardRow } from './card-view.ts';
import { listAds, type AdPage } from './list-ads.ts';
import type { ListQuery, NearbyQuery, PlaceQuery } from './list-query.ts';
import { readSearchMatches } from './search-matches.ts';

export type AdReader = ReturnType<typeof createAdReader>;

/** The columns of `rm.ad_details` that the API returns unchanged. */
const DETAILS = ['description', 'body'] as const satisfies readonly (keyof AdView)[];

/** A review in the column `reviews` of `rm.ad_details`. */
interface ReviewRow extends ReviewView {
  readonly reviewerId: string | null;
  readonly isRemoved: boolean;
}

type Caller = Pick<RegisteredAccount, 'accountId' | 'registeredAt'>;

interface DetailRow extends CardRow, Pick<AdView, (typeof DETAILS)[number]> {
  readonly account_id: string;
  readonly revision: number;
  readonly phone: string | null;
  readonly social_media: SocialMedia | null;
  readonly reviews: readonly ReviewRow[];
  readonly email: string | null;
}

/**
 * Creates an object that reads ads. Its public lists and counts do not contain hidden ads. Read replicas may run the
 * statements for visitors.
 */
export function createAdReader({ pool, reads, hiddenAdIds }: Dependencies<'pool' | 'reads' | 'hiddenAdIds'>) {
  return {
    list: (query: ListQuery): Promise<AdPage> => listAds(reads, query, hiddenAdIds),

    /** Returns the words and passages that a list highlights. `cards` are the ads of a page, and `terms` its terms. */
    readMatches: ({ cards, terms }: AdPage) => readSearchMatches(reads, cards, terms),

    /**
     * Lists ads of a city and of the cities nearby, the nearest city first, and the last bump first within a city
     * (R-17.11). Reads only the nearest places that have enough ads for the page.
     */
    async listNearby({ center, limit }: NearbyQuery): Promise<readonly AdCard[]> {
      if (!center) return [];
      const counts = await readAdCounts(reads, hiddenAdIds);
      const places: string[] = [];
      let adCount = 0;
      for (const { state, city } of listNearbyCities(center.state, center.city)) {
        if (adCount >= limit) break;
        const citySlug = slugify(city);
        const count = counts.count({ state, citySlug, category: null });
        if (count > 0) places.push(`${state}/${citySlug}`);
        adCount += count;
      }
      if (places.length === 0) return [];
      const { text, values } = nearbyStatement(places, hiddenAdIds, limit);
      const { rows } = await reads.query<CardRow>({ name: 'ads-nearby', text, values: [...values] });
      return rows.map((row) => createAdCard(row));
    },

    /** Returns the numbers of ads by place and category. */
    async readCounts(place: PlaceQuery): Promise<AdCountsResponse['data']> {
      return (await readAdCounts(reads, hiddenAdIds)).createFacets(place);
    },

    /**
     * Finds an ad with all details. Only `contact` has the phone number and the links. `caller` is the account that
     * requests the ad, or null for a visitor. Only the owner receives a hidden ad.
     */
    async find(adId: string, caller: Caller | null) {
      const server: ReadPool = caller ? pool : reads;
      const { rows } = await server.query<DetailRow>({
        name: 'ad-find',
        text: `select ${CARD_COLUMNS}, c.account_id, c.revision,
                      ${DETAILS.map((column) => `d.${column}`).join(', ')},
                      d.phone, d.social_media, d.written_reviews as reviews, a.email
               from rm.ad_cards c join rm.ad_details d using (account_id) left join rm.accounts a using (account_id)
               where c.ad_id = $1 and d.ad_id = $1 and (not c.is_hidden or c.account_id = $2)`,
        values: [adId, caller?.accountId ?? null],
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
          ...createAdCard(row, accountId === caller?.accountId),
          ...details,
          reviews: row.reviews.filter(({ isRemoved }) => !isRemoved).map(createReviewView),
          ownReview: caller && findOwnReview(row.reviews, caller),
        },
        contact: { phone: row.phone, socialMedia: row.social_media ?? NO_CONTACT.socialMedia },
        accountId,
        email,
        revision,
      };
    },

    /** Returns the account id of the owner of an ad that visitors can open. Returns null if there is no such ad. */
    async findOwner(adId: string): Promise<string | null> {
      const { rows } = await reads.query<Pick<DetailRow, 'account_id'>>({
        name: 'ad-owner',
        text: 'select account_id from rm.ad_cards where ad_id = $1 and not is_hidden',
        values: [adId],
      });
      return rows[0]?.account_id ?? null;
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

/** The contact details of an ad without any. */
const NO_CONTACT: ContactDetails = {
  phone: null,
  socialMedia: Object.fromEntries(SOCIAL_NETWORKS.map((network) => [network, null])) as SocialMedia,
};

/** Creates the view of an ad for visitors. It contains neither contact details nor the token that requests them. */
export function createVisitorView({ ad, contact }: FoundAd): AdView {
  return { ...ad, ...NO_CONTACT, hasContact: hasContact(contact), contactToken: null, email: null, isOwner: false };
}

type FoundAd = NonNullable<Awaited<ReturnType<AdReader['find']>>>;

/** Returns true if an ad has a phone number or a link. */
function hasContact({ phone, socialMedia }: ContactDetails): boolean {
  return [phone, ...Object.values(socialMedia)].some((value) => value !== null && value !== '');
}
function createReviewView({ id, name, comment, rating, createdAt, editedAt }: ReviewRow): ReviewView {
  return { id, name, comment, rating, createdAt, editedAt };
}

/** Finds the shown review of the caller, or a review of the caller that a moderator has removed. */
function findOwnReview(reviews: readonly ReviewRow[], caller: Caller): AdView['ownReview'] {
  const own = reviews.filter(({ reviewerId, createdAt }) => isReviewBy({ reviewerId, writtenAt: createdAt }, caller));
  const review = own.find(({ isRemoved }) => !isRemoved) ?? own[0];
  return review ? { id: review.id, isRemoved: review.isRemoved } : null;
}
