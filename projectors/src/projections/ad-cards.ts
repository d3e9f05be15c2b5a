import {
  CARD_TEXTS,
  createSignature,
  DEFAULT_WEIGHT,
  omitUndefined,
  MISSING_PRICE_SORT_VALUES,
  parsePriceAmount,
  pick,
  slugify,
  TITLE_WORD,
  type AdPosted,
  type EventFromDefinition,
} from '@alpenglow/domain';
import { AD_CARDS, AD_TALLIES, AD_WORDS, type JsonRowOf } from '@alpenglow/infra';
import { defineProjection, type Tally } from '../projection.ts';
import {
  formatAdSearchVector,
  parseDescriptionWords,
  extractDescriptionWords,
  parseLexemes,
} from './ad-search-vector.ts';

/** The texts besides those that have their own place in the order of the columns. */
const OTHER_TEXTS = CARD_TEXTS.filter((text) => text !== 'title' && text !== 'name' && text !== 'price');

export type AdCardRow = JsonRowOf<typeof AD_CARDS>;

const adTallies: Tally<AdCardRow> = {
  name: AD_TALLIES.name,
  columns: ['state', 'city_slug', 'category', 'is_hidden'],
  keysOf: ({ state, city_slug, category, is_hidden }) => (is_hidden ? [] : [`${state}|${city_slug}|${category}`]),
};

const adVocabulary: Tally<AdCardRow> = {
  name: AD_WORDS.name,
  columns: ['words', 'is_hidden'],
  keysOf: ({ words, is_hidden }) => (is_hidden ? [] : parseLexemes(words)),
  indexes: (table) => [`create index on ${table} using gin (key gin_trgm_ops) where key not like '${TITLE_WORD}%'`],
};

/** The columns by which lists are filtered, and the id of the account. */
const LISTED = `account_id, state, place, city_slug, category, price_amount, updated_at, has_photos, is_featured,
  is_hidden, signature`;

export const adCards = defineProjection(AD_CARDS)({
  // The index of a list contains all columns by which the list is filtered and sorted. Postgres therefore skips hidden
  // and other unwanted ads within the index, and fetches only the rows of the requested page.
  indexes: (table) => [
    `create index on ${table} (last_bumped_at desc, ad_id desc) include (${LISTED})`,
    `create index on ${table} (place, last_bumped_at desc, ad_id desc) include (created_at, ${LISTED})`,
    `create index on ${table} (state, last_bumped_at desc, ad_id desc) include (${LISTED})`,
    `create index on ${table} (created_at desc, ad_id desc) include (${LISTED})`,
    // Ads without a price come last in both sort directions.
    `create index on ${table} (coalesce(price_amount, ${MISSING_PRICE_SORT_VALUES.price}), ad_id) include (${LISTED})`,
    `create index on ${table} (coalesce(price_amount, ${MISSING_PRICE_SORT_VALUES.price_desc}) desc, ad_id desc)
       include (${LISTED})`,
    `create index on ${table} (last_bumped_at desc, ad_id desc) where has_photos and not is_hidden`,
    `create index on ${table} (last_bumped_at desc, ad_id desc) where is_featured and not is_hidden`,
    `create index on ${table} (updated_at)
       include (account_id, ad_id, state, category, price_amount, created_at, last_bumped_at, is_hidden)`,
    // New entries of this index collect in a pending list. Every search scans this list, so its size is limited to 256
    // KB.
    `create index on ${table} using gin (words) with (gin_pending_list_limit = 256)`,
  ],
  keyOf: (event) => ('adId' in event.data ? event.data.accountId : null),
  tallies: [adTallies, adVocabulary],
  lazyColumns: {
    columns: [...CARD_TEXTS, 'place', 'photos', 'video', 'words', 'signature'],
    on: ['AdBumped', 'AdReviewed', 'AdReviewEdited', 'AdReviewDeleted', 'AdReviewRemoved', 'AdFeatured'],
  },
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
      ...pick(data, OTHER_TEXTS),
      price_amount: parsePriceAmount(data.price),
      photos: data.photos,
      has_photos: hasUploadedPhoto(data.photos, data.isDemo),
      video: data.video,
      is_featured: false,
      is_demo: data.isDemo,
      is_hidden: false,
      bump_count: 0,
      // An ad that is posted again keeps its rank and its ratings.
      ...sumsOf(data.earlier),
      review_count: data.earlier?.reviewCount ?? 0,
      created_at: data.earlier?.createdAt ?? meta.at,
      updated_at: meta.at,
      last_bumped_at: data.earlier?.lastBumpedAt ?? meta.at,
      ...createWords(formatAdSearchVector(data, extractDescriptionWords(data.description))),
    }),
    AdUpdated: ({ data, meta, revision }, row) => {
      if (!row) return null;
      const { category, state, city, photos, video, description } = data;
      const changed = {
        ...row,
        ...omitUndefined({ ...pick(data, CARD_TEXTS), category, state, city, photos, video }),
        revision,
        updated_at: meta.at,
      };
      return {
        ...changed,
        ...placeOf(changed),
        price_amount: parsePriceAmount(changed.price),
        has_photos: hasUploadedPhoto(changed.photos, row.is_demo),
        ...(changesWords(data) &&
          createWords(
            formatAdSearchVector(
              changed,
              description === undefined ? parseDescriptionWords(row.words) : extractDescriptionWords(description),
            ),
          )),
      };
    },
    AdBumped: ({ meta, revision }, row) =>
      row && { ...row, revision, bump_count: row.bump_count + 1, last_bumped_at: meta.at, updated_at: meta.at },
    AdDeleted: () => null,
    AdReviewed: ({ data, revision }, row) => row && withReview({ ...row, revision }, data, 1),
    AdReviewEdited: ({ data, revision }, row) =>
      row && {
        ...row,
        revision,
        rating_sum: row.rating_sum + (data.rating - data.previousRating) * (data.weight ?? DEFAULT_WEIGHT),
      },
    AdReviewDeleted: ({ data, revision }, row) => row && withReview({ ...row, revision }, data, -1),
    AdReviewRemoved: ({ data, revision }, row) =>
      row &&
      (data.rating === null
        ? { ...row, revision }
        : withReview({ ...row, revision }, { ...data, rating: data.rating }, -1)),
    AdFeatured: ({ data, revision }, row) => row && { ...row, revision, is_featured: data.isFeatured },
    AdHidden: ({ revision }, row) => row && { ...row, revision, is_hidden: true },
    AdHoldLifted: ({ revision }, row) => row && { ...row, revision },
    AdRestored: ({ revision }, row) => row && { ...row, revision, is_hidden: false },
  },
});

function createWords(words: string): Pick<AdCardRow, 'words' | 'signature'> {
  return { words, signature: createSignature(parseLexemes(words)) };
}

/** Adds a review to the sums (`by` is 1), or subtracts it (-1). */
function withReview(
  row: AdCardRow,
  { rating, weight = DEFAULT_WEIGHT }: { readonly rating: number; readonly weight?: number | undefined },
  by: 1 | -1,
): AdCardRow {
  return {
    ...row,
    rating_sum: row.rating_sum + by * rating * weight,
    weight_sum: row.weight_sum + by * weight,
    review_count: row.review_count + by,
  };
}

/** Returns the sums of the reviews of an earlier ad. Reviews of older events have the default weight. */
function sumsOf(
  earlier: EventFromDefinition<typeof AdPosted>['data']['earlier'],
): Pick<AdCardRow, 'rating_sum' | 'weight_sum'> {
  const { ratingSum, weightSum } = earlier?.weighed ?? {
    ratingSum: (earlier?.ratingSum ?? 0) * DEFAULT_WEIGHT,
    weightSum: (earlier?.reviewCount ?? 0) * DEFAULT_WEIGHT,
  };
  return { rating_sum: ratingSum, weight_sum: weightSum };
}

function placeOf({ state, city }: Pick<AdCardRow, 'state' | 'city'>): Pick<AdCardRow, 'city_slug' | 'place'> {
  const slug = slugify(city);
  return { city_slug: slug, place: `${state}/${slug}` };
}

const SEARCHED = ['title', 'name', 'city', 'state', 'category', 'description'] as const;

/**
 * Returns true if an edit changes a searchable text. After other edits, the words are not extracted again, because the
 * extraction is most of the work of an edit.
 */
function changesWords(changes: { readonly [Field in (typeof SEARCHED)[number]]?: string | undefined }): boolean {
  return SEARCHED.some((field) => changes[field] !== undefined);
}

function hasUploadedPhoto(photos: readonly string[], isDemo: boolean): boolean {
  return !isDemo && photos.length > 0;
}
