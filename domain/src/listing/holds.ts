import { parseCaseSubject, type CaseId } from '../moderation/subject.ts';
import type { Ad, HiddenAdContent, Hold, ListingState } from './slot.ts';

/** Decides which moderation cases about an ad, a picture or a profile hide the current ad. */

type Shown = Pick<Ad, 'photos' | 'video'>;

/** Checks whether a moderation case affects this ad. A case about a picture affects only ads that show the picture. */
export function isAdAffected(caseId: CaseId, { photos, video }: Shown): boolean {
  const subject = parseCaseSubject(caseId);
  return subject?.kind !== 'media' || photos.includes(subject.id) || video === subject.id;
}

/** Checks whether an ad of the provider showed a photo or video at a time (ISO 8601). */
export function wasShownAt(mediaId: string, at: string, { shownMedia }: Pick<ListingState, 'shownMedia'>): boolean {
  return shownMedia.some(
    (shown) => shown.mediaId === mediaId && shown.from <= at && (shown.until === null || shown.until > at),
  );
}

/** Checks whether a moderation case is about a picture or a video. */
export function isMediaCase(caseId: CaseId): boolean {
  return parseCaseSubject(caseId)?.kind === 'media';
}

/** Checks whether a moderation case is about an ad, and not about a picture, an account or a post. */
export function isAdCase(caseId: CaseId): boolean {
  return parseCaseSubject(caseId)?.kind === 'ad';
}

/**
 * Checks whether a moderation case that hides content of an account also hides a newly posted ad of the account. A case
 * about the account or about a picture of the new ad hides the new ad. A case about an earlier ad hides the new ad
 * until a moderator has decided. After this decision, the case hides the new ad only if both ads have the same content.
 */
export function hidesNextAd({ caseId, by, hiddenAd }: Hold, next: Shown & HiddenAdContent): boolean {
  return isAdCase(caseId) && by === 'moderator' ? hasSameContent(hiddenAd, next) : isAdAffected(caseId, next);
}

/** Checks whether two ads have the same title and description, or share a photo. */
function hasSameContent(one: HiddenAdContent, other: HiddenAdContent): boolean {
  const photos = new Set(one.photos);
  return (
    (normalizeText(one.title) === normalizeText(other.title) &&
      normalizeText(one.description) === normalizeText(other.description)) ||
    other.photos.some((photo) => photos.has(photo))
  );
}

function normalizeText(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}
