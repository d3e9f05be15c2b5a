import type { Aggregate } from '../aggregate.ts';
import type { EventOf } from '../event-definition.ts';
import { listingEvents, type AdPosted, type ListingEvent } from './events.ts';

type PostedFields = Omit<EventOf<typeof AdPosted>['data'], 'accountId'>;

/** The ad as posted and changed since. */
export interface Ad extends PostedFields {
  readonly lastBumpedAt: string;
  /** Review ids, so that a review is counted once. */
  readonly reviews: readonly string[];
  /** Accounts that have reviewed it. */
  readonly reviewers: readonly string[];
  readonly isFeatured: boolean;
  /** The cases that hold it out of sight; it is to be seen while there is none. */
  readonly heldBy: readonly string[];
  /** A moderator has let it stand as it is now: a report hides it no more. */
  readonly isCleared: boolean;
}

/** A provider's single ad slot: "one active ad per owner" is this aggregate's own invariant. Null while it is free. */
export interface ListingState {
  readonly ad: Ad | null;
  /** Ads this slot held before, so that a late command on one of them is refused as gone, not as somebody else's. */
  readonly deletedAdIds: readonly string[];
}

function evolve(state: ListingState, event: ListingEvent, at: string): ListingState {
  switch (event.type) {
    case 'AdPosted': {
      const { accountId: _owner, ...ad } = event.data;
      return { ...state, ad: { ...ad, lastBumpedAt: at, reviews: [], reviewers: [], isFeatured: false, heldBy: [], isCleared: false } };
    }
    case 'AdUpdated': {
      const { accountId: _owner, ...changes } = event.data;
      return { ...state, ad: state.ad && { ...state.ad, ...definedOnly(changes), isCleared: false } };
    }
    case 'AdBumped':
      return { ...state, ad: state.ad && { ...state.ad, lastBumpedAt: at } };
    case 'AdDeleted':
      return { ad: null, deletedAdIds: [...state.deletedAdIds, event.data.adId] };
    case 'AdReviewed': {
      const { reviewId, reviewerId } = event.data;
      const { ad } = state;
      return { ...state, ad: ad && { ...ad, reviews: [...ad.reviews, reviewId], reviewers: reviewerId === null ? ad.reviewers : [...ad.reviewers, reviewerId] } };
    }
    case 'AdFeatured':
      return { ...state, ad: state.ad && { ...state.ad, isFeatured: event.data.isFeatured } };
    case 'AdHidden':
      return { ...state, ad: state.ad && { ...state.ad, heldBy: [...state.ad.heldBy, event.data.caseId], isCleared: false } };
    case 'AdHoldLifted':
    case 'AdRestored': {
      const { ad } = state;
      return { ...state, ad: ad && { ...ad, heldBy: ad.heldBy.filter((one) => one !== event.data.caseId), isCleared: true } };
    }
  }
}

/** The fields that are present: an absent field of an update leaves what was there. */
export function definedOnly<T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as { [K in keyof T]: Exclude<T[K], undefined> };
}

export const listing: Aggregate<ListingState, ListingEvent> = {
  name: 'listing',
  initial: { ad: null, deletedAdIds: [] },
  evolve,
  definitions: listingEvents,
};
