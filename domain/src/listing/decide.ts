import type { DecisionContext } from '../aggregate.ts';
import { BUMP_COOLDOWN_ms } from '../constants.ts';
import { DomainError } from '../errors.ts';
import type { EventOf } from '../event-definition.ts';
import { isPlace } from '../places/places.ts';
import type { BumpAd, DeleteAd, FeatureAd, HideAd, Poster, PostAd, ReviewAd, UpdateAd } from './commands.ts';
import type { AdPosted, ListingEvent } from './events.ts';
import { UNKNOWN_PLACE } from './fields.ts';
import { holdsNext, isAbout, isOfAd, isOfPicture } from './holds.ts';
import type { Ad, Hold, ListingState } from './state.ts';

/**
 * Puts up the provider's one ad. Specification, section 5, "Post ad": one active ad per owner, demo ads excluded, so a demo ad gives way.
 * The same `clientId` again is the same request again: no event, the ad that is there is the answer.
 * Refuses with ONLY_PROVIDERS_POST, VERIFICATION_REQUIRED, ONE_ACTIVE_AD.
 */
export function postAd(command: PostAd, state: ListingState, { newId }: DecisionContext): readonly ListingEvent[] {
  const { poster, clientId, fields, photos, video, isDemo } = command;
  if (!poster.isProvider) throw new DomainError('ONLY_PROVIDERS_POST');
  if (!poster.emailVerified) throw new DomainError('VERIFICATION_REQUIRED');
  if (state.ad && clientId !== null && state.ad.clientId === clientId) return [];
  const givesWay = state.ad?.isDemo === true && !isDemo;
  if (state.ad && !givesWay) throw new DomainError('ONE_ACTIVE_AD');
  const posted: EventOf<typeof AdPosted> = {
    type: 'AdPosted',
    data: { accountId: poster.accountId, adId: newId(), clientId, ...fields, photos: [...photos], video, isDemo },
  };
  const hidden = state.holds.filter((hold) => holdsNext(hold, posted.data)).map((hold) => hiddenBy(hold, posted.data));
  const deleted: readonly ListingEvent[] = state.ad
    ? [{ type: 'AdDeleted', data: { accountId: poster.accountId, adId: state.ad.adId, reason: null } }]
    : [];
  return [...deleted, posted, ...hidden];
}

/**
 * Changes fields of the ad; only what differs is recorded. Editing never moves an ad up.
 * Refuses with ONLY_OWNER, AD_NOT_FOUND, INVALID_FIELDS when state and city no longer fit each other.
 */
export function updateAd(command: UpdateAd, state: ListingState): readonly ListingEvent[] {
  const ad = ownAd(command, state);
  const { changes, photos, video } = command;
  const wanted = { ...changes, photos: photos && [...photos], video };
  const changed = Object.fromEntries(
    Object.entries(wanted).filter(([field, value]) => value !== undefined && !sameValue(value, ad[field as keyof Ad])),
  );
  if (Object.keys(changed).length === 0) return [];
  if (!isPlace(changes.state ?? ad.state, changes.city ?? ad.city)) {
    throw new DomainError('INVALID_FIELDS', { reason: UNKNOWN_PLACE }, null, { city: UNKNOWN_PLACE });
  }
  const { accountId } = command.poster;
  return [
    { type: 'AdUpdated', data: { accountId, adId: ad.adId, ...changed } },
    ...followPictures(accountId, state.holds, ad, { ...ad, ...changed }),
  ];
}

/** A picture that a case holds takes the ad out of sight when it comes in, and no longer once it is out. */
function followPictures(
  accountId: string,
  holds: ListingState['holds'],
  before: Ad,
  after: Ad,
): readonly ListingEvent[] {
  const { adId, heldBy } = before;
  const hidden = holds
    .filter(({ caseId }) => isOfPicture(caseId) && !heldBy.includes(caseId) && isAbout(caseId, after))
    .map((hold) => hiddenBy(hold, { accountId, adId }));
  const gone = heldBy.filter((caseId) => !isAbout(caseId, after));
  const all = heldBy.length + hidden.length;
  return [
    ...hidden,
    ...gone.map(
      (caseId, index): ListingEvent => ({
        type: index + 1 === all ? 'AdRestored' : 'AdHoldLifted',
        data: { accountId, adId, caseId },
      }),
    ),
  ];
}

function hiddenBy(
  { by, caseId }: Pick<Hold, 'by' | 'caseId'>,
  { accountId, adId }: { readonly accountId: string; readonly adId: string },
): ListingEvent {
  return { type: 'AdHidden', data: { accountId, adId, by, caseId } };
}

/**
 * Moves the ad to the top, at most once in 30 minutes (specification, section 9).
 * Refuses with ONLY_PROVIDERS_BUMP, ONLY_OWNER, AD_NOT_FOUND, AD_HIDDEN, and BUMP_COOLDOWN with the time left.
 */
export function bumpAd(command: BumpAd, state: ListingState, { now }: DecisionContext): readonly ListingEvent[] {
  if (!command.poster.isProvider) throw new DomainError('ONLY_PROVIDERS_BUMP');
  const ad = ownAd(command, state);
  if (isAdHidden(ad)) throw new DomainError('AD_HIDDEN');
  const left_ms = Date.parse(ad.lastBumpedAt) + BUMP_COOLDOWN_ms - Date.parse(now);
  if (left_ms > 0) {
    const left_s = Math.ceil(left_ms / 1000);
    throw new DomainError('BUMP_COOLDOWN', { left: minutesAndSeconds(left_s) }, left_s);
  }
  return [{ type: 'AdBumped', data: { accountId: command.poster.accountId, adId: ad.adId } }];
}

/** Takes the ad down and frees the slot. Refuses with ONLY_OWNER, AD_NOT_FOUND. */
export function deleteAd(command: DeleteAd, state: ListingState): readonly ListingEvent[] {
  const ad = ownAd(command, state);
  return [{ type: 'AdDeleted', data: { accountId: command.poster.accountId, adId: ad.adId, reason: null } }];
}

/** An admin takes the ad of the account `accountId` down. Refuses with AD_NOT_FOUND. */
export function removeAdByAdmin(
  adId: string,
  accountId: string,
  state: ListingState,
  reason: string | null = null,
): readonly ListingEvent[] {
  const ad = adNamed(adId, state);
  return [{ type: 'AdDeleted', data: { accountId, adId: ad.adId, reason } }];
}

/** An admin puts the ad of the account `accountId` among the featured ones, or takes it out. Refuses with AD_NOT_FOUND. */
export function featureAd(
  { adId, isFeatured }: FeatureAd,
  accountId: string,
  state: ListingState,
): readonly ListingEvent[] {
  const ad = adNamed(adId, state);
  if (ad.isFeatured === isFeatured) return [];
  return [{ type: 'AdFeatured', data: { accountId, adId, isFeatured } }];
}

/**
 * Adds what a client says about the ad of the account `ownerAccountId`, once per client and ad; the same review id again is the same request again.
 * Refuses with AD_NOT_FOUND, OWN_AD_REVIEW, ONLY_CLIENTS_REVIEW (providers, and clients whose e-mail is not verified), ALREADY_REVIEWED.
 */
export function reviewAd(command: ReviewAd, state: ListingState, ownerAccountId: string): readonly ListingEvent[] {
  const { reviewer, ...review } = command;
  const ad = adNamed(review.adId, state);
  if (isAdHidden(ad)) throw new DomainError('AD_NOT_FOUND');
  if (reviewer?.accountId === ownerAccountId) throw new DomainError('OWN_AD_REVIEW');
  if (reviewer && (reviewer.isProvider || !reviewer.emailVerified)) throw new DomainError('ONLY_CLIENTS_REVIEW');
  if (ad.reviews.includes(review.reviewId)) return [];
  if (reviewer && ad.reviewers.includes(reviewer.accountId)) throw new DomainError('ALREADY_REVIEWED');
  return [
    { type: 'AdReviewed', data: { accountId: ownerAccountId, reviewerId: reviewer?.accountId ?? null, ...review } },
  ];
}

/** Whether a case holds the ad out of sight: only its owner and moderators see it. */
export function isAdHidden({ heldBy }: Pick<Ad, 'heldBy'>): boolean {
  return heldBy.length > 0;
}

/** Whether a report or a hiding rule may take the ad out of sight: it is there, to be seen, and no moderator has let it stand as it is now. */
export function canAdBeHidden({ ad }: ListingState): boolean {
  return ad !== null && !isAdHidden(ad) && !ad.isCleared;
}

/**
 * A case holds the ad of the account `accountId` out of sight: whichever it has up where `adId` is null. Twice is once; an ad that is gone, or does not show
 * the picture, needs no hiding. That a moderator has decided about an ad which a report or a rule has hidden is kept, for what is posted next.
 */
export function hideAd(
  { adId, by, caseId }: HideAd,
  accountId: string,
  { ad, holds }: ListingState,
): readonly ListingEvent[] {
  const known = holds.find((hold) => hold.caseId === caseId);
  const isDecision = known !== undefined && isOfAd(caseId) && by === 'moderator' && known.by !== 'moderator';
  const isUp = ad !== null && (adId === null || ad.adId === adId) && isAbout(caseId, ad);
  if (isUp && (isDecision || !ad.heldBy.includes(caseId)))
    return [hiddenBy({ by, caseId }, { accountId, adId: ad.adId })];
  return isDecision ? [hiddenBy({ by, caseId }, { accountId, adId: known.hidden.adId })] : [];
}

/** A case lets go of what the account shows: of its ad, which is to be seen again unless others hold it, and of what it posts next. */
export function letGoOfAd(caseId: string, accountId: string, { ad, holds }: ListingState): readonly ListingEvent[] {
  if (ad?.heldBy.includes(caseId))
    return [
      { type: ad.heldBy.length === 1 ? 'AdRestored' : 'AdHoldLifted', data: { accountId, adId: ad.adId, caseId } },
    ];
  const known = holds.find((hold) => hold.caseId === caseId);
  return known ? [{ type: 'AdHoldLifted', data: { accountId, adId: known.hidden.adId, caseId } }] : [];
}

/** The ad in this slot, if it is the one meant. */
function adNamed(adId: string, state: ListingState): Ad {
  if (state.ad?.adId !== adId) throw new DomainError('AD_NOT_FOUND');
  return state.ad;
}

/** The ad in this slot, if it is the one meant: an ad this slot held before is gone, any other is not this owner's. */
function ownAd(command: { readonly poster: Poster; readonly adId: string }, state: ListingState): Ad {
  if (state.ad?.adId === command.adId) return state.ad;
  throw new DomainError(state.deletedAdIds.includes(command.adId) ? 'AD_NOT_FOUND' : 'ONLY_OWNER');
}

function minutesAndSeconds(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  const rest = seconds % 60;
  return [minutes > 0 ? `${minutes} min` : '', rest > 0 ? `${rest} s` : ''].filter(Boolean).join(' ');
}

/** Equality of field values: text, lists of text and flat objects. */
function sameValue(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
