import type { RegisteredAccount } from '../account/state.ts';
import type { Aggregate } from '../aggregate.ts';
import type { EventFromDefinition } from '../event-definition.ts';
import type { CaseId } from '../moderation/subject.ts';
import { listingEvents, type AdHidden, type ListingEvent } from './events.ts';
import { isAdAffected } from './holds.ts';
import type { Ad, AdReview, Hold, ListingState, ShownMedia } from './slot.ts';

function evolve(state: ListingState, event: ListingEvent, at: string): ListingState {
  const next = evolveCounted({ ...state, revision: state.revision + 1 }, event, at);
  // Most events, such as bumps and reviews, change neither photos nor video.
  const isSame = next.ad?.photos === state.ad?.photos && next.ad?.video === state.ad?.video;
  return isSame ? next : { ...next, shownMedia: recordShownMedia(next, at) };
}

/**
 * Ends the times of photos and videos that the ad no longer shows, and starts those of new ones. The pictures of a demo
 * ad are not recorded, because they belong to the site and not to the provider.
 */
function recordShownMedia({ ad, shownMedia }: ListingState, at: string): readonly ShownMedia[] {
  const shown = new Set(ad && !ad.isDemo ? [...ad.photos, ...(ad.video === null ? [] : [ad.video])] : []);
  const current = new Set(shownMedia.flatMap(({ mediaId, until }) => (until === null ? [mediaId] : [])));
  const started = [...shown].filter((mediaId) => !current.has(mediaId));
  const hasEnded = [...current].some((mediaId) => !shown.has(mediaId));
  if (started.length === 0 && !hasEnded) return shownMedia;
  return [
    ...shownMedia.map((one) => (one.until === null && !shown.has(one.mediaId) ? { ...one, until: at } : one)),
    ...started.map((mediaId) => ({ mediaId, from: at, until: null })),
  ];
}

function evolveCounted(state: ListingState, event: ListingEvent, at: string): ListingState {
  switch (event.type) {
    case 'AdPosted': {
      const { accountId: _owner, earlier, ...ad } = event.data;
      const continued = earlier && state.earlierAd?.adId === earlier.adId ? state.earlierAd : null;
      return {
        ...state,
        ad: {
          ...ad,
          postedAt: at,
          createdAt: earlier?.createdAt ?? at,
          earlierAdIds: continued ? [...continued.earlierAdIds, continued.adId] : [],
          lastBumpedAt: earlier?.lastBumpedAt ?? at,
          reviews: continued ? continued.reviews.map((review) => ({ ...review, isOfEarlierAd: true })) : [],
          isFeatured: false,
          holdingCaseIds: [],
          contentRevision: state.revision,
        },
      };
    }
    case 'AdUpdated': {
      const { accountId: _owner, ...changes } = event.data;
      const ad = state.ad && { ...state.ad, ...omitUndefined(changes), contentRevision: state.revision };
      return { ...state, ad };
    }
    case 'AdBumped':
      return { ...state, ad: state.ad && { ...state.ad, lastBumpedAt: at } };
    case 'AdDeleted':
      return { ...state, ad: null, earlierAd: state.ad, deletedAdIds: [...state.deletedAdIds, event.data.adId] };
    case 'AdReviewed': {
      const { accountId: _owner, adId: _ad, wave: _wave, ...fields } = event.data;
      const { ad } = state;
      const review: AdReview = { ...fields, writtenAt: at, editedAt: null, status: 'visible', isOfEarlierAd: false };
      return { ...state, ad: ad && { ...ad, reviews: [...ad.reviews, review] } };
    }
    case 'AdReviewEdited': {
      const { reviewId, name, comment, rating } = event.data;
      return withReview(state, reviewId, { name, comment, rating, editedAt: at });
    }
    case 'AdReviewDeleted':
      return withReview(state, event.data.reviewId, { name: '', comment: '', status: 'deleted' });
    case 'AdReviewRemoved':
      return withReview(state, event.data.reviewId, { name: '', comment: '', status: 'removed' });
    case 'AdFeatured':
      return { ...state, ad: state.ad && { ...state.ad, isFeatured: event.data.isFeatured } };
    case 'AdHidden':
      return withHold(state, event.data);
    case 'AdHoldLifted':
    case 'AdRestored':
      return withoutHold(state, event.data.caseId);
  }
}

function withReview(state: ListingState, reviewId: string, changes: Partial<AdReview>): ListingState {
  const { ad } = state;
  const reviews = ad?.reviews.map((review) => (review.reviewId === reviewId ? { ...review, ...changes } : review));
  return reviews && ad ? { ...state, ad: { ...ad, reviews } } : state;
}

function withHold(
  state: ListingState,
  { adId, by, caseId }: EventFromDefinition<typeof AdHidden>['data'],
): ListingState {
  const { ad, earlierAd } = state;
  // A moderator may decide after the ad was deleted.
  const current = ad ?? (earlierAd?.adId === adId ? earlierAd : null);
  const content = state.holds.find((hold) => hold.caseId === caseId)?.hiddenAd ?? current;
  const holds = content ? [...withoutCase(state.holds, caseId), { caseId, by, hiddenAd: content }] : state.holds;
  const isNew = ad !== null && ad.adId === adId && !ad.holdingCaseIds.includes(caseId);
  return {
    ...state,
    holds,
    ad: isNew ? { ...ad, holdingCaseIds: [...ad.holdingCaseIds, caseId] } : ad,
  };
}

function withoutHold(state: ListingState, caseId: CaseId): ListingState {
  const { ad } = state;
  if (!ad?.holdingCaseIds.includes(caseId)) return { ...state, holds: withoutCase(state.holds, caseId) };
  const heldBy = ad.holdingCaseIds.filter((heldCaseId) => heldCaseId !== caseId);
  // The case stops hiding the ad because the picture was removed from the ad. No moderator has approved the picture, so
  // the case remains in `holds` and hides the ad again if the picture is added again.
  if (!isAdAffected(caseId, ad)) return { ...state, ad: { ...ad, holdingCaseIds: heldBy } };
  return { ...state, holds: withoutCase(state.holds, caseId), ad: { ...ad, holdingCaseIds: heldBy } };
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
  initial: { revision: -1, ad: null, earlierAd: null, deletedAdIds: [], holds: [], shownMedia: [] },
  evolve,
  eventDefinitions: listingEvents,
};

/** Checks whether a moderation case hides the ad. Only the owner and moderators can view a hidden ad. */
export function isAdHidden({ holdingCaseIds }: Pick<Ad, 'holdingCaseIds'>): boolean {
  return holdingCaseIds.length > 0;
}

/** Checks whether the id is that of the ad or of a deleted ad that it continues. */
export function isContinued(adId: string, ad: Pick<Ad, 'adId' | 'earlierAdIds'>): boolean {
  return ad.adId === adId || ad.earlierAdIds.includes(adId);
}

/**
 * Checks whether the account has written the review. After an account is closed, a new account with the same
 * e-mail address has the same id. The reviews of the closed account do not belong to the new account.
 */
export function isReviewBy(
  { reviewerId, writtenAt }: Pick<AdReview, 'reviewerId' | 'writtenAt'>,
  { accountId, registeredAt }: Pick<RegisteredAccount, 'accountId' | 'registeredAt'>,
): boolean {
  return reviewerId === accountId && writtenAt >= registeredAt;
}
