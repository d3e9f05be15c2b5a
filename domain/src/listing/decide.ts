import type { DecisionContext } from '../aggregate.ts';
import { BUMP_COOLDOWN_ms } from '../constants.ts';
import { DomainError } from '../errors.ts';
import { isPlace } from '../places/places.ts';
import type { BumpAd, DeleteAd, Poster, PostAd, ReviewAd, UpdateAd } from './commands.ts';
import type { ListingEvent } from './events.ts';
import { UNKNOWN_PLACE } from './fields.ts';
import type { Ad, ListingState } from './state.ts';

/**
 * Puts up the provider's one ad. Specification, section 5, "Post ad": one active ad per owner, demo ads excluded.
 * The same `clientId` again is the same request again: no event, the ad that is there is the answer.
 * Refuses with ONLY_PROVIDERS_POST, VERIFICATION_REQUIRED, ONE_ACTIVE_AD.
 */
export function postAd(command: PostAd, state: ListingState, { newId }: DecisionContext): readonly ListingEvent[] {
  const { poster, clientId, fields, photos, isDemo } = command;
  if (!poster.isProvider) throw new DomainError('ONLY_PROVIDERS_POST');
  if (!poster.emailVerified) throw new DomainError('VERIFICATION_REQUIRED');
  if (state.ad && clientId !== null && state.ad.clientId === clientId) return [];
  if (state.ad) throw new DomainError('ONE_ACTIVE_AD');
  return [{ type: 'AdPosted', data: { accountId: poster.accountId, adId: newId(), clientId, ...fields, photos: [...photos], isDemo } }];
}

/**
 * Changes fields of the ad; only what differs is recorded. Editing never moves an ad up.
 * Refuses with ONLY_OWNER, AD_NOT_FOUND, INVALID_FIELDS when state and city no longer fit each other.
 */
export function updateAd(command: UpdateAd, state: ListingState): readonly ListingEvent[] {
  const ad = ownAd(command, state);
  const wanted = { ...command.changes, ...(command.photos && { photos: [...command.photos] }) };
  const changed = Object.fromEntries(
    Object.entries(wanted).filter(([field, value]) => value !== undefined && !sameValue(value, ad[field as keyof Ad])),
  );
  if (Object.keys(changed).length === 0) return [];
  if (!isPlace(command.changes.state ?? ad.state, command.changes.city ?? ad.city)) {
    throw new DomainError('INVALID_FIELDS', { reason: UNKNOWN_PLACE }, null, { city: UNKNOWN_PLACE });
  }
  return [{ type: 'AdUpdated', data: { accountId: command.poster.accountId, adId: ad.adId, ...changed } }];
}

/**
 * Moves the ad to the top, at most once in 30 minutes (specification, section 9).
 * Refuses with ONLY_PROVIDERS_BUMP, ONLY_OWNER, AD_NOT_FOUND, and BUMP_COOLDOWN with the time left.
 */
export function bumpAd(command: BumpAd, state: ListingState, { now }: DecisionContext): readonly ListingEvent[] {
  if (!command.poster.isProvider) throw new DomainError('ONLY_PROVIDERS_BUMP');
  const ad = ownAd(command, state);
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
  return [{ type: 'AdDeleted', data: { accountId: command.poster.accountId, adId: ad.adId } }];
}

/** Adds a review, once per review id. Refuses with AD_NOT_FOUND. */
export function reviewAd(command: ReviewAd, state: ListingState, accountId: string): readonly ListingEvent[] {
  if (state.ad?.adId !== command.adId) throw new DomainError('AD_NOT_FOUND');
  if (state.ad.reviews.includes(command.reviewId)) return [];
  return [{ type: 'AdReviewed', data: { accountId, ...command } }];
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
