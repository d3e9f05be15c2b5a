/** Commands that change one uploaded photo or video. */
import type { MediaKind, RejectionCode } from './fields.ts';

export interface UploadMedia {
  readonly mediaId: string;
  /** Id of the account that owns the file, or `STOCK_OWNER_ID`. */
  readonly ownerId: string;
  readonly kind: MediaKind;
  readonly sizeBytes: number;
  /** The content type, detected from the bytes of the file. */
  readonly contentType: string;
}

export interface RecordPhotoVariants {
  /** Width of the largest variant in pixels, after rotation. */
  readonly width: number;
  readonly height: number;
  /** The perceptual hash of the whole photo (see `PhotoVariantsMade`). */
  readonly hash: string;
  /** The exact digests of the uploaded file and of its pixels (`picture-digest.ts`). */
  readonly digests?: readonly string[];
  readonly blur: string;
  /** The resized variants of the photo. Their file names are the last part of their URLs, e.g. `640.avif`. */
  readonly variants: readonly { readonly name: string; readonly sizeBytes: number }[];
}

export interface RecordVideoProbe {
  readonly duration_s: number;
  /** Width of the video in pixels, after rotation. */
  readonly width: number;
  readonly height: number;
  /** The codec name from ffprobe, e.g. `h264`. */
  readonly codec: string;
  /** Size of the video file that visitors load. */
  readonly sizeBytes: number;
  /** Seconds that players show of the upload, but that are missing in the video. */
  readonly shortened_s: number;
  /** The exact digests of the uploaded file and of its pictures (`picture-digest.ts`). */
  readonly digests?: readonly string[];
}

export interface RejectMedia {
  readonly code: RejectionCode;
}

export interface RecordPhotoHash {
  /** The perceptual hash of the whole photo. */
  readonly hash: string;
}
