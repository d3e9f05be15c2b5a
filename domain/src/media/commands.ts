/** What may be asked of one photo or video. */
import type { MediaKind, RejectionCode } from './fields.ts';

export interface UploadMedia {
  readonly mediaId: string;
  /** An account, or `HOUSE_OWNER`. */
  readonly ownerId: string;
  readonly kind: MediaKind;
  readonly sizeBytes: number;
  /** As sniffed from the bytes. */
  readonly contentType: string;
}

export interface RecordPhotoVariants {
  /** Pixels of the largest variant, upright. */
  readonly width: number;
  readonly height: number;
  /** What it looks like (`PhotoVariantsMade`). */
  readonly hash: string;
  readonly blur: string;
  /** Names as in the URL, e.g. `640.avif`. */
  readonly variants: readonly { readonly name: string; readonly sizeBytes: number }[];
}

export interface RecordVideoProbe {
  readonly duration_s: number;
  /** Pixels, upright. */
  readonly width: number;
  readonly height: number;
  /** As ffprobe names it, e.g. `h264`. */
  readonly codec: string;
  /** Of the file visitors get. */
  readonly sizeBytes: number;
}

export interface RejectMedia {
  readonly code: RejectionCode;
}
