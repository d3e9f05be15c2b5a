import { PHOTO_WIDTHS_px } from '../constants.ts';

/** The largest JPEG: what `url` names, and what the photo's width and height are of. */
export const LARGEST_VARIANT = `${Math.max(...PHOTO_WIDTHS_px)}.jpg`;

/** Address of a photo's largest JPEG; the other variants stand beside it. */
export function photoUrl(mediaId: string): string {
  return `/uploads/photos/${mediaId}/${LARGEST_VARIANT}`;
}
