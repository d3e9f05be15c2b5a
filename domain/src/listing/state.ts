import type { Aggregate } from '../aggregate.ts';
import type { EventOf } from '../event-definition.ts';
import { listingEvents, type AdHidden, type AdPosted, type ListingEvent } from './events.ts';
import { isAbout } from './holds.ts';

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

/** A case that holds what this account shows out of sight. It outlives the ad: what is posted in its place may be held, too. */
export interface Hold {
  readonly caseId: string;
  /** Who has said so last. */
  readonly by: 'report' | 'moderator' | 'rule';
  /** The ad as it was hidden. */
  readonly hidden: HiddenAd;
}

/** What tells that another ad is the same again. */
export type HiddenAd = Pick<Ad, 'adId' | 'title' | 'description' | 'photos'>;

/** A provider's single ad slot: "one active ad per owner" is this aggregate's own invariant. Null while it is free. */
export interface ListingState {
  readonly ad: Ad | null;
  /** Ads this slot held before, so that a late command on one of them is refused as gone, not as somebody else's. */
  readonly deletedAdIds: readonly string[];
  /** The cases that have not let go yet. Of a picture's case also while the ad does not show it. */
  readonly holds: readonly Hold[];
}

function evolve(state: ListingState, event: ListingEvent, at: string): ListingState {
  switch (event.type) {
    case 'AdPosted': {
      const { accountId: _owner, ...ad } = event.data;
      return {
        ...state,
        ad: { ...ad, lastBumpedAt: at, reviews: [], reviewers: [], isFeatured: false, heldBy: [], isCleared: false },
      };
    }
    case 'AdUpdated': {
      const { accountId: _owner, ...changes } = event.data;
      return { ...state, ad: state.ad && { ...state.ad, ...definedOnly(changes), isCleared: false } };
    }
    case 'AdBumped':
      return { ...state, ad: state.ad && { ...state.ad, lastBumpedAt: at } };
    case 'AdDeleted':
      return { ...state, ad: null, deletedAdIds: [...state.deletedAdIds, event.data.adId] };
    case 'AdReviewed': {
      const { reviewId, reviewerId } = event.data;
      const { ad } = state;
      return {
        ...state,
        ad: ad && {
          ...ad,
          reviews: [...ad.reviews, reviewId],
          reviewers: reviewerId === null ? ad.reviewers : [...ad.reviewers, reviewerId],
        },
      };
    }
    case 'AdFeatured':
      return { ...state, ad: state.ad && { ...state.ad, isFeatured: event.data.isFeatured } };
    case 'AdHidden':
      return hidden(state, event.data);
    case 'AdHoldLifted':
    case 'AdRestored':
      return letGo(state, event.data.caseId);
  }
}

function hidden(state: ListingState, { adId, by, caseId }: EventOf<typeof AdHidden>['data']): ListingState {
  const { ad } = state;
  const what = state.holds.find((hold) => hold.caseId === caseId)?.hidden ?? ad;
  const holds = what ? [...withoutCase(state.holds, caseId), { caseId, by, hidden: what }] : state.holds;
  const isNew = ad !== null && ad.adId === adId && !ad.heldBy.includes(caseId);
  return { ...state, holds, ad: isNew ? { ...ad, heldBy: [...ad.heldBy, caseId], isCleared: false } : ad };
}

function letGo(state: ListingState, caseId: string): ListingState {
  const { ad } = state;
  if (!ad?.heldBy.includes(caseId)) return { ...state, holds: withoutCase(state.holds, caseId) };
  const heldBy = ad.heldBy.filter((one) => one !== caseId);
  // The picture was taken out of the ad: nobody has let it stand, and it is held again once it is back.
  if (!isAbout(caseId, ad)) return { ...state, ad: { ...ad, heldBy } };
  return { ...state, holds: withoutCase(state.holds, caseId), ad: { ...ad, heldBy, isCleared: true } };
}

const withoutCase = (holds: readonly Hold[], caseId: string) => holds.filter((hold) => hold.caseId !== caseId);

/** The fields that are present: an absent field of an update leaves what was there. */
export function definedOnly<T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}

export const listing: Aggregate<ListingState, ListingEvent> = {
  name: 'listing',
  initial: { ad: null, deletedAdIds: [], holds: [] },
  evolve,
  definitions: listingEvents,
};
