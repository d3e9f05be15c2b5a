import {
  AD_FIELDS,
  CARD_TEXTS,
  PAGE_TEXTS,
  SIGNATURE_bits,
  type AdPlace,
  type AdText,
  type Category,
  type SocialMedia,
  type TextValues,
} from '@alpenglow/domain';
import { defineReadModel, defineTally, optional, required } from './define-read-model.ts';

type TextColumns<Name extends AdText> = {
  readonly [N in Name]: null extends TextValues<Name>[N] ? 'text' : 'text not null';
};

/** Returns the columns with the texts of an ad. The columns have the names of the texts. */
function textColumnsOf<Name extends AdText>(names: readonly Name[]): TextColumns<Name> {
  return Object.fromEntries(
    names.map((name) => [name, AD_FIELDS[name].empty === null ? 'text' : 'text not null']),
  ) as TextColumns<Name>;
}

const { title, name, price, ...otherTexts } = textColumnsOf(CARD_TEXTS);

/**
 * The number of ads by place and category, without hidden ads. The setting `HIDDEN_AD_IDS` hides more ads, which
 * readers of the counts must subtract.
 */
export const AD_TALLIES = defineTally('ad_tallies');

/**
 * For each word, the number of visible ads that contain the word. A word with the prefix `TITLE_WORD` counts the ads
 * with this word in the title or the name. The search uses these numbers to choose a method, and uses the words to
 * correct typing errors.
 */
export const AD_WORDS = defineTally('ad_words');

/** An ad as lists and search results show it. There is one row per provider, because a provider has at most one ad. */
export const AD_CARDS = defineReadModel({
  name: 'ad_cards',
  version: 14,
  isShardable: true,
  tallies: [AD_TALLIES, AD_WORDS],
})({
  account_id: 'text primary key',
  ad_id: 'text not null unique',
  revision: 'integer not null',
  title,
  name,
  category: required<Category>('text'),
  state: 'text not null',
  city: 'text not null',
  city_slug: 'text not null',
  /** State and city in one column. Postgres estimates the number of matching ads better for one column than for two. */
  place: 'text not null',
  price,
  ...otherTexts,
  price_amount: 'integer',
  photos: required<readonly string[]>('jsonb'),
  /** True if the provider has uploaded a photo. The stock pictures of demo ads do not count. */
  has_photos: 'boolean not null',
  video: 'text',
  is_featured: 'boolean not null',
  is_demo: 'boolean not null',
  /** True while a moderation case hides the ad. The ad is then in no list, count or search result. */
  is_hidden: 'boolean not null',
  bump_count: 'integer not null',
  /** The sum of the ratings, each multiplied by the weight of its review, and the sum of the weights. */
  rating_sum: 'integer not null',
  weight_sum: 'integer not null',
  review_count: 'integer not null',
  created_at: 'timestamptz not null',
  /** The time at which the owner last posted, edited or bumped the ad. */
  updated_at: 'timestamptz not null',
  last_bumped_at: 'timestamptz not null',
  /**
   * The searchable words of the ad, in the text format of the Postgres type `tsvector` that `formatAdSearchVector`
   * returns.
   */
  words: 'tsvector not null',
  /**
   * The signature of all words. The indexes of lists contain it, so that a search in list order excludes most other
   * ads without reading them.
   */
  signature: `bit(${SIGNATURE_bits}) not null`,
});

/** A review of an ad in the column `written_reviews`. Times are ISO 8601 in UTC. */
export interface StoredReview {
  readonly id: string;
  /** The account of the author. Null for demo reviews. The API does not return it. */
  readonly reviewerId: string | null;
  readonly name: string;
  readonly comment: string;
  readonly rating: number;
  readonly createdAt: string;
  readonly editedAt: string | null;
  /** True if a moderator has removed the review. Only its author learns of it. */
  readonly isRemoved: boolean;
  /** True if the review was written about an earlier ad. Absent otherwise. */
  readonly isOfEarlierAd?: true;
}

/** The part of an ad that only the page of the ad shows. The other part, which lists also show, is `AD_CARDS`. */
export const AD_DETAILS = defineReadModel({ name: 'ad_details', version: 3, isShardable: true })({
  account_id: 'text primary key',
  ad_id: 'text not null unique',
  ...textColumnsOf(PAGE_TEXTS),
  phone: 'text',
  social_media: optional<SocialMedia>('jsonb'),
  written_reviews: required<readonly StoredReview[]>('jsonb'),
});

/**
 * The owner and the places of every ad, including deleted ads. The owner is needed to find the events of an ad, because
 * these events are in an event stream of the owner's account. The places decide which clients of the live channel
 * receive a message about the ad.
 */
export const AD_OWNERS = defineReadModel({ name: 'ad_owners', version: 2, isShardable: true })({
  ad_id: 'text primary key',
  account_id: 'text not null',
  posted_at: 'timestamptz not null',
  /** All places and categories in which the ad was listed so far, the first one first. */
  places: required<readonly AdPlace[]>("jsonb default '[]'"),
});

/**
 * The change that one event makes to the position of an ad in lists. A column is null if the event does not change it.
 * The rows are stored permanently, so the order of a list can be computed for any past time (decision 0040).
 */
export const AD_STANDINGS = defineReadModel({ name: 'ad_standings', version: 2, isShardable: true })({
  event_id: 'text primary key',
  ad_id: 'text not null',
  event_type: 'text not null',
  revision: 'integer not null',
  at: 'timestamptz not null',
  state: 'text',
  city_slug: 'text',
  category: 'text',
  is_featured: 'boolean',
  /** True if lists show the ad from this event on. False if this event hides or deletes the ad. */
  is_shown: 'boolean',
  /**
   * True if this event moves the ad up in lists. Lists are sorted by the time of the last event that moved the ad up.
   */
  moves_up: 'boolean not null',
  /** The time by which lists sort the ad from this event on. Null if the event does not change it. */
  sorted_at: 'timestamptz',
});

/**
 * The phone number of each ad in a normalized format. Moderators use the phone number to find ads of different accounts
 * that belong together (T-5). They also compare photos, whose hashes are in `MEDIA_ITEMS`.
 */
export const AD_LINKS = defineReadModel({ name: 'ad_links', version: 1, isShardable: true })({
  account_id: 'text primary key',
  ad_id: 'text not null',
  /** The digits of the phone number. Null if the ad has no phone number, or if the number is too short. */
  phone_digits: 'text',
});

/** The ads that an account has saved as favorites. */
export const FAVORITES = defineReadModel({ name: 'favorites', version: 1, isShardable: true })({
  account_id: 'text primary key',
  /** The ids of the ads, the newest favorite first. Deleted ads remain in the list until the account removes them. */
  ad_ids: required<readonly string[]>('jsonb'),
});
