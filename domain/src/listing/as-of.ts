import type { Telling } from '../history/as-of.ts';
import { changesBetween } from '../history/changes.ts';
import type { Recorded } from '../events.ts';
import type { ListingEvent } from './events.ts';
import type { NewAdFields } from './fields.ts';
import { listing, type Ad, type ListingState } from './state.ts';

/** A review as it was written. Its author's words are empty once the author is erased. */
export interface ReviewAsOf {
  readonly id: string;
  readonly name: string;
  readonly comment: string;
  readonly rating: number;
  readonly at: string;
}

/** The whole of an ad as it stood at some moment. Times are ISO 8601, UTC. */
export interface AdAsOf extends Omit<NewAdFields, 'photos'> {
  /** Hidden: a case of moderation holds it out of sight. */
  readonly status: 'active' | 'hidden' | 'deleted';
  readonly isDemo: boolean;
  readonly isFeatured: boolean;
  /** Media ids, the cover first. */
  readonly photos: readonly string[];
  readonly bumpCount: number;
  readonly lastBumpedAt: string;
  /** The mean of its reviews with one decimal, 0 without any. */
  readonly rating: number;
  readonly reviewCount: number;
  readonly reviews: readonly ReviewAsOf[];
  readonly postedAt: string;
  /** When its owner last posted, edited or bumped it. */
  readonly updatedAt: string;
  readonly deletedAt: string | null;
  /** Whether its owner's words are gone for good: an ad is never without a title otherwise. */
  readonly isErased: boolean;
}

/** An ad told from its events: what the rules know of it, and what only readers want to know. */
export interface AdTold {
  /** As the rules have it; what it was last, once it is deleted. Null before it is posted. */
  readonly ad: Ad | null;
  readonly slot: ListingState;
  readonly postedAt: string;
  readonly updatedAt: string;
  readonly deletedAt: string | null;
  readonly bumpCount: number;
  readonly reviews: readonly ReviewAsOf[];
}

const UNTOLD: AdTold = {
  ad: null,
  slot: listing.initial,
  postedAt: '',
  updatedAt: '',
  deletedAt: null,
  bumpCount: 0,
  reviews: [],
};

/** Tells one ad from the events of its slot that are about it (design, trust and privacy: "the audit view shows any ad as it stood"). */
export const adTelling: Telling<AdTold> = {
  initial: UNTOLD,
  evolve(told, recorded) {
    const event = recorded as Recorded<ListingEvent>;
    const { at } = event.meta;
    const slot = listing.evolve(told.slot, event, at);
    return { ...told, ...whatReadersKnow(told, event, at), slot, ad: slot.ad ?? told.ad };
  },
  changes: (before, after) => changesBetween(adAsOf(before), adAsOf(after)),
};

function whatReadersKnow(told: AdTold, event: ListingEvent, at: string): Partial<AdTold> {
  switch (event.type) {
    case 'AdPosted':
      return { postedAt: at, updatedAt: at };
    case 'AdUpdated':
      return { updatedAt: at };
    case 'AdBumped':
      return { updatedAt: at, bumpCount: told.bumpCount + 1 };
    case 'AdDeleted':
      return { deletedAt: at };
    case 'AdReviewed': {
      const { reviewId, name, comment, rating } = event.data;
      return { reviews: [...told.reviews, { id: reviewId, name, comment, rating, at }] };
    }
    default:
      return {};
  }
}

/** Whether an event of a slot is about this ad: a slot holds one ad after the other. */
export function isOfAd(event: Recorded, adId: string): boolean {
  return 'adId' in event.data && event.data.adId === adId;
}

/** The ad as it stood, as it is shown; null before it was posted. */
export function adAsOf({ ad, postedAt, updatedAt, deletedAt, bumpCount, reviews }: AdTold): AdAsOf | null {
  if (!ad) return null;
  const {
    name,
    title,
    category,
    state,
    city,
    description,
    price,
    body,
    phone,
    socialMedia,
    photos,
    video,
    isDemo,
    isFeatured,
    heldBy,
    lastBumpedAt,
  } = ad;
  const sum = reviews.reduce((total, { rating }) => total + rating, 0);
  return {
    status: deletedAt !== null ? 'deleted' : heldBy.length > 0 ? 'hidden' : 'active',
    title,
    name,
    category,
    state,
    city,
    description,
    price,
    body,
    phone,
    socialMedia,
    photos,
    video,
    isDemo,
    isFeatured,
    bumpCount,
    lastBumpedAt,
    rating: reviews.length === 0 ? 0 : Math.round((sum / reviews.length) * 10) / 10,
    reviewCount: reviews.length,
    reviews,
    postedAt,
    updatedAt,
    deletedAt,
    isErased: title === '',
  };
}
