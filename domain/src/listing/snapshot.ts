import type { HistoryReducer } from '../history/history-reducer.ts';
import { findChanges } from '../history/changes.ts';
import type { RecordedDomainEvent } from '../events.ts';
import type { ListingEvent } from './events.ts';
import type { NewAdFields } from './fields.ts';
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
  /** The mean rating with one decimal, 0 without reviews. */
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
  readonly reviews: readonly ReviewAsOf[];
}

const INITIAL: AdHistoryState = {
  ad: null,
  listing: listing.initial,
  postedAt: '',
  updatedAt: '',
  deletedAt: null,
  bumpCount: 0,
  reviews: [],
};

/**
 * Computes the history of one ad from the events of this ad (T-10). The stream of an account may also contain events of
 * earlier ads, which the caller leaves out.
 */
export const adHistoryReducer: HistoryReducer<AdHistoryState> = {
  initial: INITIAL,
  evolve(state, recorded) {
    const event = recorded as RecordedDomainEvent<ListingEvent>;
    const { at } = event.meta;
    const slot = listing.evolve(state.listing, event, at);
    return { ...state, ...readerFieldsAfter(state, event, at), listing: slot, ad: slot.ad ?? state.ad };
  },
  findChanges: (before, after) => findChanges(toAdSnapshot(before), toAdSnapshot(after)),
};

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
    case 'AdReviewed': {
      const { reviewId, name, comment, rating } = event.data;
      return { reviews: [...state.reviews, { id: reviewId, name, comment, rating, at }] };
    }
    case 'AdReviewEdited': {
      const { reviewId, name, comment, rating } = event.data;
      return {
        reviews: state.reviews.map((review) =>
          review.id === reviewId ? { ...review, name, comment, rating } : review,
        ),
      };
    }
    case 'AdReviewDeleted':
    case 'AdReviewRemoved':
      return { reviews: state.reviews.filter(({ id }) => id !== event.data.reviewId) };
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
export function toAdSnapshot({
  ad,
  postedAt,
  updatedAt,
  deletedAt,
  bumpCount,
  reviews,
}: AdHistoryState): AdSnapshot | null {
  if (!ad) return null;
  const sum = reviews.reduce((total, { rating }) => total + rating, 0);
  return {
    status: deletedAt !== null ? 'deleted' : ad.holdingCaseIds.length > 0 ? 'hidden' : 'active',
    title: ad.title,
    name: ad.name,
    category: ad.category,
    state: ad.state,
    city: ad.city,
    description: ad.description,
    price: ad.price,
    body: ad.body,
    phone: ad.phone,
    socialMedia: ad.socialMedia,
    photos: ad.photos,
    video: ad.video,
    isDemo: ad.isDemo,
    isFeatured: ad.isFeatured,
    bumpCount,
    lastBumpedAt: ad.lastBumpedAt,
    rating: reviews.length === 0 ? 0 : Math.round((sum / reviews.length) * 10) / 10,
    reviewCount: reviews.length,
    reviews,
    postedAt,
    updatedAt,
    deletedAt,
    isErased: ad.title === '',
  };
}
