import {
  CARD_TEXTS,
  emptyTexts,
  formatPhone,
  hideContactDetailsInAd,
  hideContactDetailsInReview,
  isReviewBy,
  listNearbyCities,
  PAGE_TEXTS,
  pick,
  slugify,
  SOCIAL_NETWORKS,
  type AdCard,
  type ResponseOf,
  type AdPlace,
  type AdView,
  type ContactDetails,
  type RegisteredAccount,
  type ReviewView,
  type SocialMedia,
} from '@alpenglow/domain';
import {
  ACCOUNTS,
  AD_CARDS,
  AD_DETAILS,
  AD_OWNERS,
  type ReadPool,
  type Nullable,
  type RowOf,
  type SelectedRow,
  type StoredReview,
} from '@alpenglow/infra';
import type { Dependencies } from '../dependencies.ts';
import { readAdCounts } from './ad-counts.ts';
import { nearbyStatement } from './ad-statements.ts';
import { CARD_COLUMNS, createAdCard, type CardRow } from './card-view.ts';
import { countAds, listAds, type AdPage } from './list-ads.ts';
import type { AdFilterQuery, ListQuery, NearbyQuery } from './list-query.ts';
import { readSearchMatches } from './search-matches.ts';

export type AdReader = ReturnType<typeof createAdReader>;

const DETAILS = AD_DETAILS.select([...PAGE_TEXTS, 'phone', 'social_media', 'written_reviews'], 'd');
const ENTRY = AD_DETAILS.select(['ad_id', ...PAGE_TEXTS, 'written_reviews'], 'd');

type Caller = Pick<RegisteredAccount, 'accountId' | 'registeredAt'>;

const AD = AD_CARDS.select(['account_id', 'revision'], 'c');
const OWNER = ACCOUNTS.select(['email'], 'a');
type DetailRow = CardRow & SelectedRow<typeof AD> & SelectedRow<typeof DETAILS> & Nullable<SelectedRow<typeof OWNER>>;

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
     * . Reads only the nearest places that have enough ads for the page.
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

    /** Returns the numbers of ads by place and category, and the numbers of ads that match all filters. */
    readCounts: (query: AdFilterQuery): Promise<ResponseOf<'countAds'>['data']> => countAds(reads, query, hiddenAdIds),

    /**
     * Finds an ad with all details. Only `contact` has the phone number, the links and, except for the owner, texts
     * with contact details. `caller` is the account that requests the ad, or null for a visitor. Only the owner
     * receives a hidden ad.
     */
    async find(adId: string, caller: Caller | null) {
      const server: ReadPool = caller ? pool : reads;
      const { rows } = await server.query<DetailRow>({
        name: 'ad-find',
        text: `select ${CARD_COLUMNS}, ${AD}, ${DETAILS}, ${OWNER}
               from ${AD_CARDS.table} c join ${AD_DETAILS.table} d using (account_id)
                 left join ${ACCOUNTS.table} a using (account_id)
               where c.ad_id = $1 and d.ad_id = $1 and (not c.is_hidden or c.account_id = $2)`,
        values: [adId, caller?.accountId ?? null],
      });
      const row = rows[0];
      if (!row) return null;
      const { account_id: accountId, revision, email } = row;
      const details = pick(row, PAGE_TEXTS);
      const isOwner = accountId === caller?.accountId;
      const ownReview = caller && findOwnReview(row.written_reviews, caller);
      const reviews = shown(row.written_reviews);
      const texts = { ...pick(row, CARD_TEXTS), ...details, reviews };
      return {
        ad: {
          ...createAdCard(row, isOwner),
          ...(isOwner ? details : hideContactDetailsInAd(details)),
          // Authors need their complete text to edit it.
          reviews: isOwner
            ? reviews
            : reviews.map((review) => (review.id === ownReview?.id ? review : hideContactDetailsInReview(review))),
          ownReview,
        },
        contact: {
          phone: row.phone,
          phoneDisplay: row.phone === null ? null : formatPhone(row.phone),
          socialMedia: row.social_media ?? NO_CONTACT.socialMedia,
          texts,
        },
        accountId,
        email,
        revision,
      };
    },

    /**
     * Returns the last place of an ad that was posted, also if it is deleted or hidden now. Returns
     * null if there was no such ad, or if its owner has no account any more.
     */
    findFormer: (adId: string): Promise<AdPlace | null> => findFormerAd(reads, adId),

    /** Returns the account id of the owner of an ad that visitors can open. Returns null if there is no such ad. */
    async findOwner(adId: string): Promise<string | null> {
      const { rows } = await reads.query<Pick<RowOf<typeof AD_CARDS>, 'account_id'>>({
        name: 'ad-owner',
        text: `select account_id from ${AD_CARDS.table} where ad_id = $1 and not is_hidden`,
        values: [adId],
      });
      return rows[0]?.account_id ?? null;
    },

    /**
     * Adds the long texts to the ads of a list. `isOwner` is true if the ads belong to the caller. Otherwise,
     * the texts contain no contact details.
     */
    async withDetails(cards: readonly AdCard[], { isOwner = false } = {}): Promise<ResponseOf<'listAds'>['data']> {
      if (cards.length === 0) return [];
      const server: ReadPool = isOwner ? pool : reads;
      const { rows } = await server.query<SelectedRow<typeof ENTRY>>({
        name: 'ad-details-of-list',
        text: `select ${ENTRY}
               from ${AD_DETAILS.table} d where d.ad_id = any($1)`,
        values: [cards.map(({ id }) => id)],
      });
      const details = new Map(
        rows.map(({ ad_id, written_reviews: reviews, ...texts }) => {
          const found = { ...texts, reviews: shown(reviews) };
          return [ad_id, isOwner ? found : hideContactDetailsInAd(found)];
        }),
      );
      // The two read models may have different ads for a moment.
      return cards.map((card) => ({ ...card, ...(details.get(card.id) ?? NO_DETAILS) }));
    },

    /** Lists the ads of one account, the newest first. */
    async listByAccount(accountId: string): Promise<readonly AdCard[]> {
      const { rows } = await pool.query<CardRow>({
        name: 'ads-of-account',
        text: `select ${CARD_COLUMNS} from ${AD_CARDS.table} c where c.account_id = $1 order by c.created_at desc`,
        values: [accountId],
      });
      return rows.map((row) => createAdCard(row, true));
    },
  };
}

/** Reads the last place of an ad, which a read model keeps after the ad was deleted. */
export async function findFormerAd(reads: ReadPool, adId: string): Promise<AdPlace | null> {
  const { rows } = await reads.query<{ place: AdPlace | null }>({
    name: 'ad-former',
    // An account that signs up again with the address of an erased one has the same id.
    text: `select o.places -> -1 as place from ${AD_OWNERS.table} o join ${ACCOUNTS.table} a using (account_id)
            where o.ad_id = $1 and o.posted_at >= a.registered_at`,
    values: [adId],
  });
  return rows[0]?.place ?? null;
}

const NO_DETAILS = { ...emptyTexts(PAGE_TEXTS), reviews: [] };

/** The contact details of an ad without any. */
const NO_CONTACT: Omit<ContactDetails, 'texts'> = {
  phone: null,
  phoneDisplay: null,
  socialMedia: Object.fromEntries(SOCIAL_NETWORKS.map((network) => [network, null])) as SocialMedia,
};

/** Creates the view of an ad for visitors. It contains neither contact details nor the token that requests them. */
export function createVisitorView({ ad, contact }: FoundAd): AdView {
  return { ...ad, ...NO_CONTACT, hasContact: hasContact(contact), contactToken: null, email: null, isOwner: false };
}

type FoundAd = NonNullable<Awaited<ReturnType<AdReader['find']>>>;

/** Returns true if an ad has a phone number or a link, or contact details in its texts. */
function hasContact({ phone, socialMedia, texts }: ContactDetails): boolean {
  return (
    [phone, ...Object.values(socialMedia)].some((value) => value !== null && value !== '') ||
    JSON.stringify(hideContactDetailsInAd(texts)) !== JSON.stringify(texts)
  );
}

/** Returns the reviews that a moderator has not removed. */
function shown(reviews: readonly StoredReview[]): ReviewView[] {
  return reviews.filter(({ isRemoved }) => !isRemoved).map(createReviewView);
}

function createReviewView({ id, name, comment, rating, createdAt, editedAt, isOfEarlierAd }: StoredReview): ReviewView {
  return { id, name, comment, rating, createdAt, editedAt, isOfEarlierAd: isOfEarlierAd === true };
}

/** Finds the shown review of the caller, or a review of the caller that a moderator has removed. */
function findOwnReview(reviews: readonly StoredReview[], caller: Caller): AdView['ownReview'] {
  const own = reviews.filter(({ reviewerId, createdAt }) => isReviewBy({ reviewerId, writtenAt: createdAt }, caller));
  const review = own.find(({ isRemoved }) => !isRemoved) ?? own[0];
  if (!review) return null;
  const { id, isRemoved, name, comment } = review;
  const visible = hideContactDetailsInReview({ name, comment });
  return { id, isRemoved, hasContactDetails: visible.name !== name || visible.comment !== comment };
}
