import { PHOTO_FORMATS, PHOTO_WIDTHS_px } from '../constants.ts';
import type { PhotoView } from '../contracts/views.ts';
import type { KnownMedia } from './state.ts';

const REMOVED = 'This photo was removed';

/** Every variant's name, e.g. `640.avif`, as it ends URL and blob key. */
export const PHOTO_VARIANTS: readonly string[] = PHOTO_WIDTHS_px.flatMap((width) => PHOTO_FORMATS.map((format) => `${width}.${format}`));

/** The largest JPEG: what `url` names, and what the photo's width and height are of. */
export const LARGEST_VARIANT = `${Math.max(...PHOTO_WIDTHS_px)}.jpg`;

/** Address of a photo's largest JPEG; the other variants stand beside it. */
export function photoUrl(mediaId: string): string {
  return `/uploads/photos/${mediaId}/${LARGEST_VARIANT}`;
}

/** Where the bytes lie in the blob store. The original is never served, and goes once there is a verdict. */
export const photoBlobs = {
  original: (mediaId: string) => `originals/${mediaId}`,
  variant: (mediaId: string, name: string) => `photos/${mediaId}/${name}`,
  variants: (mediaId: string) => `photos/${mediaId}/`,
};

/** What lies in the blob store lies below one of these, originals first. */
export const BLOB_FOLDERS = ['originals/', 'photos/'] as const;

/** A photo as its owner and, once ready, everybody sees it. A removed one shows as rejected. */
export function photoView(media: KnownMedia): PhotoView {
  const base = { id: media.mediaId, url: photoUrl(media.mediaId), reason: null, width: 0, height: 0, blur: null };
  switch (media.status) {
    case 'processing':
      return { ...base, status: 'processing' };
    case 'ready':
      return { ...base, status: 'ready', width: media.width, height: media.height, blur: media.blur };
    case 'rejected':
      return { ...base, status: 'rejected', reason: media.reason };
    case 'removed':
      return { ...base, status: 'rejected', reason: REMOVED };
  }
}
