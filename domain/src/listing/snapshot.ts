import type { HistoryReducer } from '../history/history-reducer.ts';
import { findChanges } from '../history/changes.ts';
import type { RecordedDomainEvent } from '../events.ts';
import { AD_FIELD_NAMES, pick } from './ad-fields.ts';
import type { ListingEvent } from './events.ts';
import type { NewAdFields } from './fields.ts';
import { sumRatings, toAverageRating } from './review-weight.ts';
import type { Ad, ListingState } from './slot.ts';
import { listing } from './state.ts';

/** A review that the ad shows. Its texts are empty after the personal data of its author is erased. */
interface ReviewAsOf {
  readonly id: string;
  readonly name: string;
  readonly comment: string;
  readonly rating: number;
  readonly at: string;
}

/** The complete state of an ad at one moment. Times are ISO 8601 in UTC. */
export interface AdSnapshot extends Omit<NewAdFields, 'photos'> {
  /** The status is `hidden` while a moderation case hides the ad. */
  readonly status: 'active' | 'hidden' | 'deleted';
  readonly isDemo: boolean;
  readonly isFeatured: boolean;
  /** Media ids, the cover first. */
  readonly photos: readonly string[];
  readonly bumpCount: number;
  readonly lastBumpedAt: string;
  /** The average rating by weight with one decimal, 0 without reviews. */
  readonly rating: number;
  readonly reviewCount: number;
  readonly reviews: readonly ReviewAsOf[];
  readonly postedAt: string;
  /** Time at which the owner last posted, edited or bumped the ad. */
  readonly updatedAt: string;
  readonly deletedAt: string | null;
  /** True if the personal data of the owner is erased. The title is then empty. */
  readonly isErased: boolean;
}

/**
 * The state from which the history of an ad is computed. It contains the state that the deciders use, and additional
 * fields that only the history shows.
 */
export interface AdHistoryState {
  /**
   * The state of the ad that the deciders use. After the ad is deleted, its last state. Null before the ad is posted.
   */
  readonly ad: Ad | null;
  readonly listing: ListingState;
  readonly postedAt: string;
  readonly updatedAt: string;
  readonly deletedAt: string | null;
  readonly bumpCount: number;
}

const INITIAL: AdHistoryState = {
  ad: null,
  listing: listing.initial,
  postedAt: '',
  updatedAt: '',
  deletedAt: null,
  bumpCount: 0,
};

/**
 * Returns the reducer that computes the history of one ad from the events of its stream (T-10). The stream also has
 * the events of the owner's other ads. They are not part of the history, but they change the state, because a repost
 * continues an earlier ad.
 */
export function createAdHistoryReducer(adId: string): HistoryReducer<AdHistoryState> {
  return {
    initial: INITIAL,
    evolve(state, recorded) {
      const event = recorded as RecordedDomainEvent<ListingEvent>;
      const { at } = event.meta;
      const slot = listing.evolve(state.listing, event, at);
      if (!isEventOfAd(event, adId)) return { ...state, listing: slot };
      // The stream may have an event about a deleted ad while the owner has a later ad.
      const ad = slot.ad?.adId === adId ? slot.ad : state.ad;
      return { ...state, ...readerFieldsAfter(state, event, at), listing: slot, ad };
    },
    findChanges: (before, after) => findChanges(toAdSnapshot(before), toAdSnapshot(after)),
  };
}

function readerFieldsAfter(state: AdHistoryState, event: ListingEvent, at: string): Partial<AdHistoryState> {
  switch (event.type) {
    case 'AdPosted':
      return { postedAt: at, updatedAt: at };
    case 'AdUpdated':
      return { updatedAt: at };
    case 'AdBumped':
      return { updatedAt: at, bumpCount: state.bumpCount + 1 };
    case 'AdDeleted':
      return { deletedAt: at };
    default:
      return {};
  }
}

/**
 * Checks whether an event is about the ad with this id. The stream of an account also contains events of its earlier
 * ads.
 */
export function isEventOfAd(event: RecordedDomainEvent, adId: string): boolean {
  return 'adId' in event.data && event.data.adId === adId;
}

/** Returns the snapshot of an ad, or null before the ad is posted. */
export function toAdSnapshot({ ad, postedAt, updatedAt, deletedAt, bumpCount }: AdHistoryState): AdSnapshot | null {
  if (!ad) return null;
  const { title, name, ...otherFields } = pick(ad, AD_FIELD_NAMES);
  const visible = ad.reviews.filter(({ status }) => status === 'visible');
  const { ratingSum, weightSum } = sumRatings(visible);
  return {
    status: deletedAt !== null ? 'deleted' : ad.holdingCaseIds.length > 0 ? 'hidden' : 'active',
    title,
    name,
    ...otherFields,
    isDemo: ad.isDemo,
    isFeatured: ad.isFeatured,
    bumpCount,
    lastBumpedAt: ad.lastBumpedAt,
    rating: toAverageRating(ratingSum, weightSum),
    reviewCount: visible.length,
    reviews: visible.map(({ reviewId: id, name, comment, rating, writtenAt: at }) => ({
      id,
      name,
      comment,
      rating,
      at,
    })),
    postedAt,
    updatedAt,
    deletedAt,
    isErased: ad.title === '',
  };
}
