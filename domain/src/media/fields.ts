import { MAX_FILE_bytes } from '../constants.ts';
import type { ErrorCode } from '../error-catalogue.ts';

/** Validation rules for uploaded photos and videos. */

export type MediaKind = 'photo' | 'video';

/**
 * The accepted content types of photos. Only the first frame of an animated PNG or GIF is shown. SVG is excluded
 * because it can contain scripts. HEIC is excluded because the image library does not include the patented HEIC
 * decoder.
 */
export const PHOTO_CONTENT_TYPES = [
  'image/jpeg',
  'image/png',
  'image/apng',
  'image/gif',
  'image/webp',
  'image/avif',
] as const;

/** The accepted content types of videos: MP4, MOV, AVI and WebM. Browsers record videos as WebM. */
export const VIDEO_CONTENT_TYPES = ['video/mp4', 'video/quicktime', 'video/x-msvideo', 'video/webm'] as const;

/** The limits for uploaded photos or for uploaded videos, and the error codes for files that exceed these limits. */
export interface MediaRules {
  readonly contentTypes: readonly string[];
  readonly maxBytes: number;
  readonly missingCode: ErrorCode;
  readonly wrongTypeCode: ErrorCode;
  /** The error of a file whose beginning is of no known type, and no text. */
  readonly damagedCode: ErrorCode;
  readonly tooLargeCode: ErrorCode;
}

export const MEDIA_RULES: Readonly<Record<MediaKind, MediaRules>> = {
  photo: {
    contentTypes: PHOTO_CONTENT_TYPES,
    maxBytes: MAX_FILE_bytes,
    missingCode: 'NO_PHOTO',
    wrongTypeCode: 'NOT_AN_IMAGE',
    damagedCode: 'IMAGE_DAMAGED',
    tooLargeCode: 'IMAGE_TOO_LARGE',
  },
  video: {
    contentTypes: VIDEO_CONTENT_TYPES,
    maxBytes: MAX_FILE_bytes,
    missingCode: 'NO_VIDEO',
    wrongTypeCode: 'NOT_A_VIDEO',
    damagedCode: 'VIDEO_DAMAGED',
    tooLargeCode: 'VIDEO_TOO_LARGE',
  },
};

/** The pattern for the id of a photo or video. The id is part of URLs and blob keys. */
export const MEDIA_ID = /^[a-z0-9-]{1,64}$/u;

/** The pattern for the PDQ hash of a picture (`picture-hash.ts`). */
export const PICTURE_HASH = /^[0-9a-f]{64}$/u;

/** The owner id of the stock pictures, which belong to no account. */
export const STOCK_OWNER_ID = 'house';

/** The error codes for photos and videos that are rejected after their upload. */
export type RejectionCode = Extract<
  ErrorCode,
  | 'NOT_AN_IMAGE'
  | 'IMAGE_DAMAGED'
  | 'TOO_MANY_PIXELS'
  | 'IMAGE_TOO_LARGE'
  | 'NOT_A_VIDEO'
  | 'VIDEO_DAMAGED'
  | 'VIDEO_NOT_SUPPORTED'
  | 'VIDEO_TOO_LONG'
  | 'VIDEO_TRIMMED'
  | 'UPLOAD_BROKEN_OFF'
  | 'FILE_NOT_READABLE'
  | 'PHOTO_NOT_USABLE'
  | 'PHOTO_WAS_REMOVED'
  | 'VIDEO_WAS_REMOVED'
>;
