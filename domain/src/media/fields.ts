import type { ErrorCode } from '../errors.ts';

/** Field rules of media (specification, section 5, "Photos"; product decisions, "Media"). */

/**
 * What the bytes of a photo may turn out to be. Animated PNG and GIF are shown by their first frame. No SVG: it can carry
 * scripts. No HEIC: the picture library is built without its patented decoder.
 */
export const PHOTO_CONTENT_TYPES = ['image/jpeg', 'image/png', 'image/apng', 'image/gif', 'image/webp', 'image/avif'] as const;
export type PhotoContentType = (typeof PHOTO_CONTENT_TYPES)[number];

export function isPhotoContentType(contentType: string): contentType is PhotoContentType {
  return (PHOTO_CONTENT_TYPES as readonly string[]).includes(contentType);
}

/** A media id as it stands in URLs and blob keys. */
export const MEDIA_ID = /^[a-z0-9-]{1,64}$/u;

/** Owner of the demo pictures, which belong to no account. */
export const HOUSE_OWNER = 'house';

/** The catalogue's codes a photo may be rejected with. */
export type RejectionCode = Extract<ErrorCode, 'NOT_AN_IMAGE' | 'IMAGE_TOO_LARGE' | 'UPLOAD_BROKEN_OFF'>;
