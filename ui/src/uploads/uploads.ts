import type { ResponseOf } from '@alpenglow/domain/contracts';
import type { UploadOptions } from '../api/files.ts';

export interface ResumableOptions extends UploadOptions {
  /** The id of an upload that has begun earlier and continues. Null for a new upload. */
  readonly uploadId: string | null;
  /** Called when the server has begun an upload, and with null when an upload has expired. */
  readonly onUploadId: (uploadId: string | null) => void;
}

/** The API requests that upload a photo or a video. */
export interface Uploads {
  readonly photo: (file: File, options: ResumableOptions) => Promise<ResponseOf<'uploadPhotos'>>;
  readonly video: (file: File, options: ResumableOptions) => Promise<ResponseOf<'uploadVideo'>>;
}
