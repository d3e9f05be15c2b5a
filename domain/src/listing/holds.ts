import { isHousePicture } from '../media/house-pictures.ts';
import type { Ad, HiddenAd, Hold } from './state.ts';

/** What a case that holds an ad, a picture or a profile out of sight means for the ad there is now (design, trust and privacy: hidden until decided). */

type Shown = Pick<Ad, 'photos' | 'video'>;

const PICTURE = /^media-(.+)$/u;
const AD = /^ad-/u;

/** Whether a case holds whatever stands in this ad: one about a picture, only where the ad shows it. */
export function isAbout(caseId: string, { photos, video }: Shown): boolean {
  const mediaId = PICTURE.exec(caseId)?.[1];
  return mediaId === undefined || photos.includes(mediaId) || video === mediaId;
}

/** Whether a case is about a picture or video. */
export function isOfPicture(caseId: string): boolean {
  return PICTURE.test(caseId);
}

/** Whether a case is about one ad. */
export function isOfAd(caseId: string): boolean {
  return AD.test(caseId);
}

/**
 * Whether an ad that is posted where another was is out of sight from its first moment: by a case about the account or about a picture it shows; by one about
 * an ad before it until a moderator has decided, and from then on where it is the same again.
 */
export function holdsNext({ caseId, by, hidden }: Hold, next: Shown & HiddenAd): boolean {
  return isOfAd(caseId) && by === 'moderator' ? isSame(hidden, next) : isAbout(caseId, next);
}

/** The same words, or one of the same photos. */
function isSame(one: HiddenAd, other: HiddenAd): boolean {
  const photos = new Set(one.photos.filter((photo) => !isHousePicture(photo)));
  return (
    (spelled(one.title) === spelled(other.title) && spelled(one.description) === spelled(other.description)) ||
    other.photos.some((photo) => photos.has(photo))
  );
}

function spelled(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}
