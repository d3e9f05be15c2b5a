import type { AdCard } from '@alpenglow/domain/contracts';

interface AdPicture {
  readonly url: string | undefined;
  /** True for a picture that visitors do not see, so staff should not see it unprepared. */
  readonly isBlurred: boolean;
}

/**
 * Returns the picture of an ad in the table of ads. This is the photo that visitors see first. The photos of a hidden
 * ad, and a photo that moderation hides, are blurred.
 */
export function findPicture({ status, media, photos }: Pick<AdCard, 'status' | 'media' | 'photos'>): AdPicture {
  const shown = media.find((photo) => photo.status !== 'rejected' && photo.hold === null);
  if (shown) return { url: shown.url, isBlurred: status === 'hidden' };
  const [url] = photos;
  const isHeld = media.some((photo) => photo.url === url && photo.hold !== null);
  return { url, isBlurred: status === 'hidden' || isHeld };
}
