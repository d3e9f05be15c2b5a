import { definedOnly, isHousePicture, PRICE_LAST, priceAmountOf, slugOf } from '@alpenglow/domain';
import { defineProjection, type Tally } from '../projection.ts';
import { adWords, descriptionWordsIn, descriptionWordsOf, lexemesOf, type SearchableTexts } from './ad-words.ts';

/** An ad as lists show it and as it is searched for. One row per ad slot, so per provider. */
export type AdCardRow = {
  readonly account_id: string;
  readonly ad_id: string;
  readonly revision: number;
  readonly title: string;
  readonly name: string;
  readonly category: string;
  readonly state: string;
  readonly city: string;
  readonly city_slug: string;
  /** State and city as one: of two columns Postgres guesses how many ads both hold, of one it learns it. */
  readonly place: string;
  readonly price: string | null;
  readonly price_amount: number | null;
  readonly photos: readonly string[];
  /** Whether one of them is the poster's own, not a picture of the house. */
  readonly has_photos: boolean;
  readonly video: string | null;
  readonly is_featured: boolean;
  readonly is_demo: boolean;
  /** Cases hold it out of sight: it is in no list, no count and no search. */
  readonly is_hidden: boolean;
  readonly bump_count: number;
  readonly rating_sum: number;
  readonly review_count: number;
  readonly created_at: string;
  /** When the owner last posted, edited or bumped it. */
  readonly updated_at: string;
  readonly last_bumped_at: string;
  readonly words: string;
};

/** Ads by place and category, without those that cases hold. Which ads are never listed is configured, so whoever reads takes those off. */
const adTallies: Tally<AdCardRow> = {
  name: 'ad_tallies',
  columns: ['state', 'city_slug', 'category', 'is_hidden'],
  keysOf: ({ state, city_slug, category, is_hidden }) => (is_hidden ? [] : [`${state}|${city_slug}|${category}`]),
  indexes: () => [],
};

/** The vocabulary of all ads: which words there are, for mistyped ones, and how many ads have each. */
const adVocabulary: Tally<AdCardRow> = {
  name: 'ad_words',
  columns: ['words', 'is_hidden'],
  keysOf: ({ words, is_hidden }) => (is_hidden ? [] : lexemesOf(words)),
  indexes: (table) => [`create index on ${table} using gin (key gin_trgm_ops)`],
};

export const adCards = defineProjection<AdCardRow>({
  name: 'ad_cards',
  version: 4,
  columns: {
    account_id: 'text primary key',
    ad_id: 'text not null unique',
    revision: 'integer not null',
    title: 'text not null',
    name: 'text not null',
    category: 'text not null',
    state: 'text not null',
    city: 'text not null',
    city_slug: 'text not null',
    place: 'text not null',
    price: 'text',
    price_amount: 'integer',
    photos: 'jsonb not null',
    has_photos: 'boolean not null',
    video: 'text',
    is_featured: 'boolean not null',
    is_demo: 'boolean not null',
    is_hidden: 'boolean not null',
    bump_count: 'integer not null',
    rating_sum: 'integer not null',
    review_count: 'integer not null',
    created_at: 'timestamptz not null',
    updated_at: 'timestamptz not null',
    last_bumped_at: 'timestamptz not null',
    words: 'tsvector not null',
  },
  // Each list is found in one index alone, which holds what it may be filtered and sorted by: only the ads of the page itself are fetched. What cases hold is passed over in the index as well.
  indexes: (table) => [
    `create index on ${table} (last_bumped_at desc, ad_id desc) include (account_id, state, category, price_amount, updated_at, is_hidden)`,
    `create index on ${table} (place, last_bumped_at desc, ad_id desc) include (account_id, category, price_amount, created_at, updated_at, has_photos, is_featured, is_hidden)`,
    `create index on ${table} (state, category, last_bumped_at desc, ad_id desc) include (account_id, price_amount, updated_at, is_hidden)`,
    `create index on ${table} (created_at desc, ad_id desc) include (account_id, state, category, price_amount, updated_at, is_hidden)`,
    // An ad without a price comes last, whichever way the prices go.
    `create index on ${table} (coalesce(price_amount, ${PRICE_LAST.price}), ad_id) include (account_id, state, category, price_amount, updated_at, is_hidden)`,
    `create index on ${table} (coalesce(price_amount, ${PRICE_LAST.price_desc}) desc, ad_id desc) include (account_id, state, category, price_amount, updated_at, is_hidden)`,
    `create index on ${table} (last_bumped_at desc, ad_id desc) where has_photos and not is_hidden`,
    `create index on ${table} (last_bumped_at desc, ad_id desc) where is_featured and not is_hidden`,
    `create index on ${table} (updated_at) include (account_id, ad_id, state, category, price_amount, created_at, last_bumped_at, is_hidden)`,
    // What waits to be sorted into the index is looked through by every search, so it is kept short.
    `create index on ${table} using gin (words) with (gin_pending_list_limit = 256)`,
  ],
  keyOf: (event) => ('adId' in event.data ? event.data.accountId : null),
  tallies: [adTallies, adVocabulary],
  leaves: { columns: ['words'], on: ['AdBumped', 'AdReviewed', 'AdFeatured'] },
  on: {
    AdPosted: ({ data, meta, revision }) => ({
      account_id: data.accountId,
      ad_id: data.adId,
      revision,
      title: data.title,
      name: data.name,
      category: data.category,
      state: data.state,
      city: data.city,
      ...placeOf(data),
      price: data.price,
      price_amount: priceAmountOf(data.price),
      photos: data.photos,
      has_photos: hasOwnPhoto(data.photos),
      video: data.video,
      is_featured: false,
      is_demo: data.isDemo,
      is_hidden: false,
      bump_count: 0,
      rating_sum: 0,
      review_count: 0,
      created_at: meta.at,
      updated_at: meta.at,
      last_bumped_at: meta.at,
      words: adWords(data, descriptionWordsOf(data.description)),
    }),
    AdUpdated: ({ data, meta, revision }, row) => {
      if (!row) return null;
      const { title, name, category, state, city, price, photos, video, description } = data;
      const changed = {
        ...row,
        ...definedOnly({ title, name, category, state, city, price, photos, video }),
        revision,
        updated_at: meta.at,
      };
      return {
        ...changed,
        ...placeOf(changed),
        price_amount: priceAmountOf(changed.price),
        has_photos: hasOwnPhoto(changed.photos),
        words: hasNewWords(data)
          ? adWords(
              changed,
              description === undefined ? descriptionWordsIn(row.words) : descriptionWordsOf(description),
            )
          : row.words,
      };
    },
    AdBumped: ({ meta, revision }, row) =>
      row && { ...row, revision, bump_count: row.bump_count + 1, last_bumped_at: meta.at, updated_at: meta.at },
    AdDeleted: () => null,
    AdReviewed: ({ data, revision }, row) =>
      row && { ...row, revision, rating_sum: row.rating_sum + data.rating, review_count: row.review_count + 1 },
    AdFeatured: ({ data, revision }, row) => row && { ...row, revision, is_featured: data.isFeatured },
    AdHidden: ({ revision }, row) => row && { ...row, revision, is_hidden: true },
    AdHoldLifted: ({ revision }, row) => row && { ...row, revision },
    AdRestored: ({ revision }, row) => row && { ...row, revision, is_hidden: false },
  },
});

function placeOf({
  state,
  city,
}: {
  readonly state: string;
  readonly city: string;
}): Pick<AdCardRow, 'city_slug' | 'place'> {
  const slug = slugOf(city);
  return { city_slug: slug, place: `${state}/${slug}` };
}

/** Whether an edit is of anything that can be searched for: taking words out of texts is most of the work of an edit. */
function hasNewWords({
  title,
  name,
  city,
  state,
  category,
  description,
}: { readonly [Field in keyof SearchableTexts | 'description']?: string | undefined }): boolean {
  return [title, name, city, state, category, description].some((text) => text !== undefined);
}

function hasOwnPhoto(photos: readonly string[]): boolean {
  return !photos.every(isHousePicture);
}
