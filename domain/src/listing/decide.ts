import type { Decider } from '../aggregate.ts';
import { BUMP_COOLDOWN_ms } from '../constants.ts';
import { parsePhone } from '../contact-details/parse-phone.ts';
import { DomainError } from '../error-catalogue.ts';
import type { EventFromDefinition } from '../event-definition.ts';
import { isCityInState } from '../places/places.ts';
import type {
  DeleteReview,
  EditReview,
  FeatureAd,
  HideAd,
  OwnAdCommand,
  ReleaseAd,
  NewReviewer,
  Poster,
  PostAd,
  RemoveAdByAdmin,
  RemoveReview,
  ReviewAd,
  UpdateAd,
} from './commands.ts';
import { completeContent } from './ad-fields.ts';
import { requireEndOfWait } from '../account/end-of-wait.ts';
import type { AdPosted, ListingEvent } from './events.ts';
import { BAD_PHONE_MESSAGE, UNKNOWN_PLACE_MESSAGE } from './fields.ts';
import { hidesNextAd, isAdAffected, isAdCase, isMediaCase } from './holds.ts';
import { computeReviewWeight, findReviewWave, LEAST_WEIGHT, sumRatings } from './review-weight.ts';
import type { Ad, AdReview, Hold, ListingState } from './slot.ts';
import { isAdHidden, isContinued, isReviewBy } from './state.ts';

/**
 * Posts the ad of a provider, who may have only one ad at a time. An existing demo ad of the provider is
 * deleted and replaced. A repeated request has the same `clientId` and causes no event. The ad continues the last
 * deleted ad of the provider. Throws ONLY_PROVIDERS_POST, VERIFICATION_REQUIRED, ONE_ACTIVE_AD, and
 * INVALID_FIELDS if no phone number has these digits.
 */
export const postAd: Decider<PostAd, ListingState, ListingEvent> = (command, state, { newId }) => {
  const { poster, clientId, fields, photos, video, isDemo } = command;
  if (!poster.isProvider) throw new DomainError('ONLY_PROVIDERS_POST');
  if (!poster.emailVerified) throw new DomainError('VERIFICATION_REQUIRED');
  if (state.ad && clientId !== null && state.ad.clientId === clientId) return [];
  const isReplaceable = state.ad?.isDemo === true && !isDemo;
  if (state.ad && !isReplaceable) throw new DomainError('ONE_ACTIVE_AD');
  const content = completeContent(fields);
  const posted: EventFromDefinition<typeof AdPosted> = {
    type: 'AdPosted',
    data: {
      accountId: poster.accountId,
      adId: newId(),
      clientId,
      ...content,
      phone: requirePhone(content.phone),
      photos: [...photos],
      video,
      isDemo,
      ...findContinuedAd(command, state),
    },
  };
  const hidden = state.holds
    .filter((hold) => hidesNextAd(hold, posted.data))
    .map((hold) => adHiddenEvent(hold, posted.data));
  const deleted: readonly ListingEvent[] = state.ad
    ? [{ type: 'AdDeleted', data: { accountId: poster.accountId, adId: state.ad.adId, reason: null } }]
    : [];
  return [...deleted, posted, ...hidden];
};

/** Returns the deleted ad that a new ad continues, as a field of the event. Returns no field without such an ad. */
function findContinuedAd(
  { isDemo, registeredAt }: PostAd,
  { earlierAd }: ListingState,
): Pick<EventFromDefinition<typeof AdPosted>['data'], 'earlier'> {
  if (!earlierAd || earlierAd.isDemo || isDemo || registeredAt === undefined || earlierAd.postedAt < registeredAt)
    return {};
  const { adId, createdAt, lastBumpedAt, reviews } = earlierAd;
  const visible = reviews.filter(({ status }) => status === 'visible');
  const ratingSum = visible.reduce((sum, { rating }) => sum + rating, 0);
  const counts = { ratingSum, reviewCount: visible.length, weighed: sumRatings(visible) };
  return { earlier: { adId, createdAt, lastBumpedAt, ...counts } };
}

/**
 * Changes fields of the ad. Only the fields that differ are recorded. An edit never moves the ad up in a list. Throws
 * ONLY_OWNER, AD_NOT_FOUND, and INVALID_FIELDS if the city is not in the state or no phone number has these digits.
 */
export const updateAd: Decider<UpdateAd, ListingState, ListingEvent> = (command, state) => {
  const ad = requireOwnAd(command, state);
  const { changes, photos, video } = command;
  const { phone: newPhone } = changes;
  // A number that an earlier version has stored is not checked until it changes.
  const phone = newPhone === undefined || newPhone === ad.phone ? {} : { phone: requirePhone(newPhone) };
  const requested = { ...changes, ...phone, photos: photos && [...photos], video };
  const changed = Object.fromEntries(
    Object.entries(requested).filter(
      ([field, value]) => value !== undefined && !sameValue(value, ad[field as keyof Ad]),
    ),
  );
  if (Object.keys(changed).length === 0) return [];
  if (!isCityInState(changes.state ?? ad.state, changes.city ?? ad.city)) {
    throw new DomainError('INVALID_FIELDS', { reason: UNKNOWN_PLACE_MESSAGE }, null, { city: UNKNOWN_PLACE_MESSAGE });
  }
  const { accountId } = command.poster;
  return [
    { type: 'AdUpdated', data: { accountId, adId: ad.adId, ...changed } },
    ...pictureHoldEvents(accountId, state.holds, ad, { ...ad, ...changed }),
  ];
};

/** Returns a phone number in the format E.164. Throws INVALID_FIELDS. */
function requirePhone(text: string | null): string | null {
  const phone = text === null ? null : parsePhone(text);
  const reason = BAD_PHONE_MESSAGE;
  if (text !== null && phone === null) throw new DomainError('INVALID_FIELDS', { reason }, null, { phone: reason });
  return phone;
}

/**
 * Returns the events that follow from changed pictures of an ad. If a moderation case hides an added picture, the case
 * also hides the ad. When the picture is removed, the case stops hiding the ad.
 */
function pictureHoldEvents(
  accountId: string,
  holds: ListingState['holds'],
  before: Ad,
  after: Ad,
): readonly ListingEvent[] {
  const { adId, holdingCaseIds } = before;
  const hidden = holds
    .filter(({ caseId }) => isMediaCase(caseId) && !holdingCaseIds.includes(caseId) && isAdAffected(caseId, after))
    .map((hold) => adHiddenEvent(hold, { accountId, adId }));
  const lifted = holdingCaseIds.filter((caseId) => !isAdAffected(caseId, after));
  const all = holdingCaseIds.length + hidden.length;
  return [
    ...hidden,
    ...lifted.map(
      (caseId, index): ListingEvent => ({
        type: index + 1 === all ? 'AdRestored' : 'AdHoldLifted',
        data: { accountId, adId, caseId },
      }),
    ),
  ];
}

function adHiddenEvent(
  { by, caseId }: Pick<Hold, 'by' | 'caseId'>,
  { accountId, adId }: { readonly accountId: string; readonly adId: string },
): ListingEvent {
  return { type: 'AdHidden', data: { accountId, adId, by, caseId } };
}

/**
 * Moves the ad to the top of its lists, at most once in 30 minutes. Throws ONLY_PROVIDERS_BUMP, ONLY_OWNER,
 * AD_NOT_FOUND, AD_HIDDEN, and BUMP_COOLDOWN with the remaining time.
 */
export const bumpAd: Decider<OwnAdCommand, ListingState, ListingEvent> = (command, state, { now }) => {
  if (!command.poster.isProvider) throw new DomainError('ONLY_PROVIDERS_BUMP');
  const ad = requireOwnAd(command, state);
  if (isAdHidden(ad)) throw new DomainError('AD_HIDDEN');
  const left_ms = Date.parse(ad.lastBumpedAt) + BUMP_COOLDOWN_ms - Date.parse(now);
  if (left_ms > 0) {
    const left_s = Math.ceil(left_ms / 1000);
    throw new DomainError('BUMP_COOLDOWN', { left: minutesAndSeconds(left_s) }, left_s);
  }
  return [{ type: 'AdBumped', data: { accountId: command.poster.accountId, adId: ad.adId } }];
};

/** Deletes the ad, so that the provider can post another one. Throws ONLY_OWNER and AD_NOT_FOUND. */
export const deleteAd: Decider<OwnAdCommand, ListingState, ListingEvent> = (command, state) => {
  const ad = requireOwnAd(command, state);
  return [{ type: 'AdDeleted', data: { accountId: command.poster.accountId, adId: ad.adId, reason: null } }];
};

/**
 * The commands of the owner of an ad that need no data besides the id of the ad, with their response messages. Each key
 * is the id of an API operation. The command API handles all of these operations in the same way.
 */
export const OWN_AD_COMMANDS = {
  bumpAd: { decide: bumpAd, message: 'Ad bumped to top!' },
  deleteAd: { decide: deleteAd, message: 'Ad deleted' },
} as const satisfies Readonly<
  Record<string, { readonly decide: Decider<OwnAdCommand, ListingState, ListingEvent>; readonly message: string }>
>;

/** Deletes the ad of the account `accountId`, which an admin or a decision closes. Throws AD_NOT_FOUND. */
export const removeAdByAdmin: Decider<RemoveAdByAdmin, ListingState, ListingEvent> = (
  { adId, accountId, reason },
  state,
) => {
  const ad = requireAd(adId, state);
  return [{ type: 'AdDeleted', data: { accountId, adId: ad.adId, reason } }];
};

/** Adds the ad of the account `accountId` to the featured ads, or removes it from them. Throws AD_NOT_FOUND. */
export const featureAd: Decider<FeatureAd, ListingState, ListingEvent> = ({ adId, isFeatured, accountId }, state) => {
  const ad = requireAd(adId, state);
  if (ad.isFeatured === isFeatured) return [];
  return [{ type: 'AdFeatured', data: { accountId, adId, isFeatured } }];
};

/**
 * Adds the review of a client to the ad of the account `ownerAccountId`, once per client and ad. A repeated request has
 * the same review id and causes no event. An author may write another review after deleting the first one, but not
 * after a moderator has removed one. The review gets its weight in the average. Throws AD_NOT_FOUND,
 * OWN_AD_REVIEW, ACCOUNT_TOO_NEW, ALREADY_REVIEWED, REVIEW_REMOVED, and ONLY_CLIENTS_REVIEW for providers and
 * for clients without a verified e-mail address.
 */
export const reviewAd: Decider<ReviewAd, ListingState, ListingEvent> = (command, state, { now }) => {
  const { ownerAccountId, reviewer, ...review } = command;
  const ad = requireReviewableAd(review.adId, state);
  if (reviewer?.accountId === ownerAccountId) throw new DomainError('OWN_AD_REVIEW');
  if (reviewer && (reviewer.isProvider || !reviewer.emailVerified)) throw new DomainError('ONLY_CLIENTS_REVIEW');
  if (reviewer?.writesFrom) requireEndOfWait(reviewer.writesFrom, now);
  if (ad.reviews.some(({ reviewId }) => reviewId === review.reviewId)) return [];
  const earlier = reviewer ? ad.reviews.filter((one) => isReviewBy(one, reviewer)) : [];
  if (earlier.some(({ status }) => status === 'removed')) throw new DomainError('REVIEW_REMOVED');
  if (earlier.some(({ status }) => status === 'visible')) throw new DomainError('ALREADY_REVIEWED');
  const ids = { accountId: ownerAccountId, reviewerId: reviewer?.accountId ?? null };
  return [{ type: 'AdReviewed', data: { ...ids, ...review, ...(reviewer && weigh(reviewer, ad, now)) } }];
};

/** Returns the weight of a new review, and the result of `findReviewWave` unless it is null. */
function weigh(reviewer: NewReviewer, { reviews }: Ad, now: string): { weight: number; wave?: number } {
  const weight = computeReviewWeight(reviewer, now);
  if (weight !== LEAST_WEIGHT) return { weight };
  const alike = reviews.filter((review) => review.status === 'visible' && review.weight === LEAST_WEIGHT);
  const wave = findReviewWave(
    alike.map(({ writtenAt }) => writtenAt),
    now,
  );
  return { weight, ...(wave !== null && { wave }) };
}

/**
 * Changes the author's own review. The earlier text remains in the history. An edit without a change causes no
 * event. Throws AD_NOT_FOUND, REVIEW_NOT_FOUND, REVIEW_REMOVED and ONLY_REVIEWER.
 */
export const editReview: Decider<EditReview, ListingState, ListingEvent> = (command, state) => {
  const { ownerAccountId, adId, reviewer, comment, rating } = command;
  const review = requireOwnReview(command, state);
  const { reviewId, rating: previousRating, weight } = review;
  const name = command.name ?? review.name;
  if (name === review.name && comment === review.comment && rating === previousRating) return [];
  const ids = { accountId: ownerAccountId, adId, reviewerId: reviewer.accountId, reviewId };
  return [
    { type: 'AdReviewEdited', data: { ...ids, name, comment, rating, previousRating, ...(weight && { weight }) } },
  ];
};

/**
 * Deletes the author's own review. Throws AD_NOT_FOUND, REVIEW_NOT_FOUND, REVIEW_REMOVED and ONLY_REVIEWER.
 */
export const deleteReview: Decider<DeleteReview, ListingState, ListingEvent> = (command, state) => {
  const { ownerAccountId, adId, reviewer } = command;
  const { reviewId, rating, weight } = requireOwnReview(command, state);
  const ids = { accountId: ownerAccountId, adId, reviewerId: reviewer.accountId, reviewId };
  return [{ type: 'AdReviewDeleted', data: { ...ids, rating, ...(weight && { weight }) } }];
};

/**
 * Removes a review for a moderator. The author can then neither edit it nor write another review of this ad.
 * An author cannot evade the removal by deleting the review first, because deleted reviews can be removed, too.
 * Idempotent. Throws AD_NOT_FOUND, REVIEW_NOT_FOUND, and OWN_CONTENT if the ad or the review belongs to the moderator.
 */
export const removeReview: Decider<RemoveReview, ListingState, ListingEvent> = (
  { ownerAccountId, adId, reviewId, moderatorId, reason },
  state,
) => {
  const review = findReview(requireAd(adId, state), reviewId);
  if (moderatorId === ownerAccountId || moderatorId === review.reviewerId) throw new DomainError('OWN_CONTENT');
  if (review.status === 'removed') return [];
  const { reviewerId, weight } = review;
  const rating = review.status === 'visible' ? review.rating : null;
  const ids = { accountId: ownerAccountId, adId, reviewerId, reviewId };
  return [{ type: 'AdReviewRemoved', data: { ...ids, rating, ...(weight && { weight }), reason } }];
};

/**
 * Hides the ad of the account `accountId` because of a moderation case. If `adId` is null, the current ad is hidden.
 * Idempotent. If the ad was deleted and posted again, the new ad is hidden. Does nothing if there is no ad, or
 * if it does not show the reported picture. A decision of a moderator about an ad or a profile is also recorded if the
 * ad was deleted before, because the decision affects the next ad of the account.
 */
export const hideAd: Decider<HideAd, ListingState, ListingEvent> = (
  { adId, by, caseId, accountId },
  { ad, earlierAd, holds },
) => {
  const known = holds.find((hold) => hold.caseId === caseId);
  const isDecision = known !== undefined && isAdCase(caseId) && by === 'moderator' && known.by !== 'moderator';
  const isUp = ad !== null && (adId === null || isContinued(adId, ad)) && isAdAffected(caseId, ad);
  if (isUp && (isDecision || !ad.holdingCaseIds.includes(caseId)))
    return [adHiddenEvent({ by, caseId }, { accountId, adId: ad.adId })];
  if (isDecision) return [adHiddenEvent({ by, caseId }, { accountId, adId: known.hiddenAd.adId })];
  const isDown = ad === null && earlierAd !== null && (adId === null || isContinued(adId, earlierAd));
  return isDown && known === undefined && by === 'moderator' && !isMediaCase(caseId)
    ? [adHiddenEvent({ by, caseId }, { accountId, adId: earlierAd.adId })]
    : [];
};

/**
 * Ends the effect of a moderation case on the ads of an account. The case then hides neither the current ad nor later
 * ads. The current ad becomes visible again if no other case hides it.
 */
export const releaseAd: Decider<ReleaseAd, ListingState, ListingEvent> = ({ caseId, accountId }, { ad, holds }) => {
  if (ad?.holdingCaseIds.includes(caseId))
    return [
      {
        type: ad.holdingCaseIds.length === 1 ? 'AdRestored' : 'AdHoldLifted',
        data: { accountId, adId: ad.adId, caseId },
      },
    ];
  const known = holds.find((hold) => hold.caseId === caseId);
  return known ? [{ type: 'AdHoldLifted', data: { accountId, adId: known.hiddenAd.adId, caseId } }] : [];
};

/** Returns the current ad of the account if the ad has the id `adId`. Otherwise, throws AD_NOT_FOUND. */
function requireAd(adId: string, state: ListingState): Ad {
  if (state.ad?.adId !== adId) throw new DomainError('AD_NOT_FOUND');
  return state.ad;
}

/** Returns the current ad of the account if it has the id `adId` and is visible. Otherwise, throws AD_NOT_FOUND. */
function requireReviewableAd(adId: string, state: ListingState): Ad {
  const ad = requireAd(adId, state);
  if (isAdHidden(ad)) throw new DomainError('AD_NOT_FOUND');
  return ad;
}

function findReview(ad: Ad, reviewId: string): AdReview {
  const review = ad.reviews.find((one) => one.reviewId === reviewId);
  if (!review) throw new DomainError('REVIEW_NOT_FOUND');
  return review;
}

/** Returns the visible review of the command if the reviewer has written it. */
function requireOwnReview({ adId, reviewId, reviewer }: DeleteReview, state: ListingState): AdReview {
  const review = findReview(requireReviewableAd(adId, state), reviewId);
  if (!isReviewBy(review, reviewer)) throw new DomainError('ONLY_REVIEWER');
  if (review.status === 'removed') throw new DomainError('REVIEW_REMOVED');
  if (review.status === 'deleted') throw new DomainError('REVIEW_NOT_FOUND');
  return review;
}

/**
 * Returns the current ad of the account if the ad has the id in the command. Throws AD_NOT_FOUND for an earlier ad of
 * the account, and ONLY_OWNER for any other id.
 */
function requireOwnAd(command: { readonly poster: Poster; readonly adId: string }, state: ListingState): Ad {
  if (state.ad?.adId === command.adId) return state.ad;
  throw new DomainError(state.deletedAdIds.includes(command.adId) ? 'AD_NOT_FOUND' : 'ONLY_OWNER');
}

function minutesAndSeconds(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  const rest = seconds % 60;
  return [minutes > 0 ? `${minutes} min` : '', rest > 0 ? `${rest} s` : ''].filter(Boolean).join(' ');
}

/** Checks whether two field values are equal. The values are texts, lists of texts or flat objects. */
function sameValue(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
