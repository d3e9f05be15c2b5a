import type { Aggregate } from '../aggregate.ts';
import type { EventFromDefinition } from '../event-definition.ts';
import type { CaseId } from '../moderation/subject.ts';
import { listingEvents, type AdHidden, type ListingEvent } from './events.ts';
import { isAdAffected } from './holds.ts';
import type { Ad, Hold, ListingState } from './slot.ts';

function evolve(state: ListingState, event: ListingEvent, at: string): ListingState {
  switch (event.type) {
    case 'AdPosted': {
      const { accountId: _owner, ...ad } = event.data;
      return {
        ...state,
        ad: {
          ...ad,
          lastBumpedAt: at,
          reviewIds: [],
          reviewerIds: [],
          isFeatured: false,
          holdingCaseIds: [],
          isApproved: false,
        },
      };
    }
    case 'AdUpdated': {
      const { accountId: _owner, ...changes } = event.data;
      return { ...state, ad: state.ad && { ...state.ad, ...omitUndefined(changes), isApproved: false } };
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
          reviewIds: [...ad.reviewIds, reviewId],
          reviewerIds: reviewerId === null ? ad.reviewerIds : [...ad.reviewerIds, reviewerId],
        },
      };
    }
    case 'AdFeatured':
      return { ...state, ad: state.ad && { ...state.ad, isFeatured: event.data.isFeatured } };
    case 'AdHidden':
      return withHold(state, event.data);
    case 'AdHoldLifted':
    case 'AdRestored':
      return withoutHold(state, event.data.caseId);
  }
}

function withHold(
  state: ListingState,
  { adId, by, caseId }: EventFromDefinition<typeof AdHidden>['data'],
): ListingState {
  const { ad } = state;
  const content = state.holds.find((hold) => hold.caseId === caseId)?.hiddenAd ?? ad;
  const holds = content ? [...withoutCase(state.holds, caseId), { caseId, by, hiddenAd: content }] : state.holds;
  const isNew = ad !== null && ad.adId === adId && !ad.holdingCaseIds.includes(caseId);
  return {
    ...state,
    holds,
    ad: isNew ? { ...ad, holdingCaseIds: [...ad.holdingCaseIds, caseId], isApproved: false } : ad,
  };
}

function withoutHold(state: ListingState, caseId: CaseId): ListingState {
  const { ad } = state;
  if (!ad?.holdingCaseIds.includes(caseId)) return { ...state, holds: withoutCase(state.holds, caseId) };
  const heldBy = ad.holdingCaseIds.filter((heldCaseId) => heldCaseId !== caseId);
  // The case stops hiding the ad because the picture was removed from the ad. No moderator has approved the picture, so
  // the case remains in `holds` and hides the ad again if the picture is added again.
  if (!isAdAffected(caseId, ad)) return { ...state, ad: { ...ad, holdingCaseIds: heldBy } };
  return { ...state, holds: withoutCase(state.holds, caseId), ad: { ...ad, holdingCaseIds: heldBy, isApproved: true } };
}

const withoutCase = (holds: readonly Hold[], caseId: CaseId) => holds.filter((hold) => hold.caseId !== caseId);

/** Returns the fields that are not undefined, so that absent fields of an update keep their values. */
export function omitUndefined<T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}

export const listing: Aggregate<ListingState, ListingEvent> = {
  name: 'listing',
  initial: { ad: null, deletedAdIds: [], holds: [] },
  evolve,
  eventDefinitions: listingEvents,
};

/** Checks whether a moderation case hides the ad. Only the owner and moderators can view a hidden ad. */
export function isAdHidden({ holdingCaseIds }: Pick<Ad, 'holdingCaseIds'>): boolean {
  return holdingCaseIds.length > 0;
}

/** Checks whether a report or a hiding rule may hide the ad. The ad must be visible and not approved by a moderator. */
export function canAdBeHidden({ ad }: ListingState): boolean {
  return ad !== null && !isAdHidden(ad) && !ad.isApproved;
}
