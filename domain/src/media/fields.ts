import { MAX_FILE_bytes } from '../constants.ts';
import type { ErrorCode } from '../errors.ts';

/** Field rules of media (specification, section 5, "Photos" and "Video"; product decisions, "Media"). */

export type MediaKind = 'photo' | 'video';

/**
 * What the bytes of a photo may turn out to be. Animated PNG and GIF are shown by their first frame. No SVG: it can carry
 * scripts. No HEIC: the picture library is built without its patented decoder.
 */
export const PHOTO_CONTENT_TYPES = [
  'image/jpeg',
  'image/png',
  'image/apng',
  'image/gif',
  'image/webp',
  'image/avif',
] as const;

/** The same of a video: MP4, MOV and AVI as the specification names them, and WebM, which browsers record. */
export const VIDEO_CONTENT_TYPES = ['video/mp4', 'video/quicktime', 'video/x-msvideo', 'video/webm'] as const;

/** What a file of one kind may be, and the catalogue's codes for one that is not. */
export interface MediaRules {
  readonly contentTypes: readonly string[];
  readonly maxBytes: number;
  readonly missing: ErrorCode;
  readonly wrongType: ErrorCode;
  readonly tooLarge: ErrorCode;
}

export const MEDIA_RULES: Readonly<Record<MediaKind, MediaRules>> = {
  photo: {
    contentTypes: PHOTO_CONTENT_TYPES,
    maxBytes: MAX_FILE_bytes,
    missing: 'NO_PHOTO',
    wrongType: 'NOT_AN_IMAGE',
    tooLarge: 'IMAGE_TOO_LARGE',
  },
  video: {
    contentTypes: VIDEO_CONTENT_TYPES,
    maxBytes: MAX_FILE_bytes,
    missing: 'NO_VIDEO',
    wrongType: 'NOT_A_VIDEO',
    tooLarge: 'VIDEO_TOO_LARGE',
  },
};

/** A media id as it stands in URLs and blob keys. */
export const MEDIA_ID = /^[a-z0-9-]{1,64}$/u;

/** Owner of the demo pictures, which belong to no account. */
export const HOUSE_OWNER = 'house';

/** The catalogue's codes a file may be rejected with once it has arrived. */
export type RejectionCode = Extract<
  ErrorCode,
  'NOT_AN_IMAGE' | 'IMAGE_TOO_LARGE' | 'NOT_A_VIDEO' | 'VIDEO_TOO_LONG' | 'UPLOAD_BROKEN_OFF' | 'PHOTO_NOT_USABLE'
>;
