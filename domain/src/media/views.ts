import { PHOTO_FORMATS, PHOTO_WIDTHS_px } from '../constants.ts';
import type { PhotoView, VideoView } from '../contracts/views.ts';
import type { MediaKind } from './fields.ts';
import { photoUrl } from './photo-url.ts';
import type { KnownPhoto, KnownVideo } from './state.ts';

const PHOTO_REMOVED = 'This photo was removed';
const VIDEO_REMOVED = 'This video was removed';

/** Every variant's name, e.g. `640.avif`, as it ends URL and blob key. */
export const PHOTO_VARIANTS: readonly string[] = PHOTO_WIDTHS_px.flatMap((width) =>
  PHOTO_FORMATS.map((format) => `${width}.${format}`),
);

/** Address of a video. */
export function videoUrl(mediaId: string): string {
  return `/uploads/video/${mediaId}`;
}

/** Where the bytes of an upload lie, whatever its kind. The original is never served, and goes once there is a verdict. */
export const originalBlob = (mediaId: string) => `originals/${mediaId}`;

/** Where the bytes of a picture that is known to be illegal are preserved for the authorities: nothing serves them, and nothing but an operator's hand removes them (decision 0047). */
export const preservedBlob = (mediaId: string) => `preserved/${mediaId}`;

/** Where the bytes of a photo lie in the blob store. */
export const photoBlobs = {
  original: originalBlob,
  variant: (mediaId: string, name: string) => `photos/${mediaId}/${name}`,
  variants: (mediaId: string) => `photos/${mediaId}/`,
};

/** Where the bytes of a video lie in the blob store. */
export const videoBlobs = {
  original: originalBlob,
  playable: (mediaId: string) => `videos/${mediaId}`,
};

/** What visitors get of a photo or video: a key, or a prefix that ends in `/`. */
export const shownBlobs: Readonly<Record<MediaKind, (mediaId: string) => string>> = {
  photo: photoBlobs.variants,
  video: videoBlobs.playable,
};

/** What lies in the blob store lies below one of these, originals first. */
export const BLOB_FOLDERS = ['originals/', 'photos/', 'videos/', 'identity/', 'preserved/'] as const;

/** A photo as its owner and, once ready, everybody sees it. A removed one shows as rejected. */
export function photoView(media: KnownPhoto): PhotoView {
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

/** A video as its owner and, once ready, everybody sees it. A removed one shows as rejected. */
export function videoView(media: KnownVideo): VideoView {
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
