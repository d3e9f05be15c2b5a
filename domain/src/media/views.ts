import { PHOTO_FORMATS, PHOTO_WIDTHS_px } from '../constants.ts';
import type { PhotoView, VideoView } from '../contracts/views.ts';
import type { MediaKind } from './fields.ts';
import { photoUrl } from './photo-url.ts';
import type { PhotoRecord, VideoRecord } from './state.ts';

const PHOTO_REMOVED = 'This photo was removed';
const VIDEO_REMOVED = 'This video was removed';

/** The file names of all photo variants, e.g. `640.avif`. URLs and blob keys contain them. */
export const PHOTO_VARIANT_NAMES: readonly string[] = PHOTO_WIDTHS_px.flatMap((width) =>
  PHOTO_FORMATS.map((format) => `${width}.${format}`),
);

/** Returns the URL of a video. */
export function videoUrl(mediaId: string): string {
  return `/uploads/video/${mediaId}`;
}

/**
 * Returns the blob key of an original photo or video. The original is never served. It is deleted after the file is
 * marked as ready or rejected.
 */
export const originalBlobKey = (mediaId: string) => `originals/${mediaId}`;

/**
 * Returns the blob key of a picture that is known to be illegal and is preserved for the authorities. It is
 * never served, and only an operator can remove it (decision 0047).
 */
export const preservedBlobKey = (mediaId: string) => `preserved/${mediaId}`;

/** The blob keys of a photo. */
export const photoBlobKeys = {
  original: originalBlobKey,
  variant: (mediaId: string, name: string) => `photos/${mediaId}/${name}`,
  variants: (mediaId: string) => `photos/${mediaId}/`,
};

/** The blob keys of a video. */
export const videoBlobKeys = {
  original: originalBlobKey,
  playable: (mediaId: string) => `videos/${mediaId}`,
};

/**
 * Returns the blob key of the file that visitors load. For a photo, it is a prefix that ends in `/`, because a photo
 * has several files.
 */
export const publicBlobKeys: Readonly<Record<MediaKind, (mediaId: string) => string>> = {
  photo: photoBlobKeys.variants,
  video: videoBlobKeys.playable,
};

/** The prefixes of all media keys in the blob store. The prefix of the originals is the first one. */
export const BLOB_PREFIXES = ['originals/', 'photos/', 'videos/', 'identity/', 'preserved/'] as const;

/** Returns the view of a photo. A removed photo is shown as rejected. */
export function toPhotoView(media: PhotoRecord): PhotoView {
  const base = { id: media.mediaId, url: photoUrl(media.mediaId), reason: null, width: 0, height: 0, blur: null };
  switch (media.status) {
    case 'processing':
      return { ...base, status: 'processing' };
    case 'ready':
      return { ...base, status: 'ready', width: media.width, height: media.height, blur: media.blur };
    case 'rejected':
      return { ...base, status: 'rejected', reason: media.reason };
    case 'removed':
      return { ...base, status: 'rejected', reason: PHOTO_REMOVED };
  }
}

/** Returns the view of a video. A removed video is shown as rejected. */
export function toVideoView(media: VideoRecord): VideoView {
  const base = {
    id: media.mediaId,
    url: videoUrl(media.mediaId),
    reason: null,
    width: 0,
    height: 0,
    duration: 0,
    contentType: null,
  };
  switch (media.status) {
    case 'processing':
      return { ...base, status: 'processing' };
    case 'ready':
      return {
        ...base,
        status: 'ready',
        width: media.width,
        height: media.height,
        duration: media.duration_s,
        contentType: media.contentType,
      };
    case 'rejected':
      return { ...base, status: 'rejected', reason: media.reason };
    case 'removed':
      return { ...base, status: 'rejected', reason: VIDEO_REMOVED };
  }
}
