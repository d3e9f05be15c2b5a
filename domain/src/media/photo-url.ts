import { PHOTO_WIDTHS_px } from '../constants.ts';

/** File name of the largest JPEG variant. The URL, width and height of a photo are those of this variant. */
export const LARGEST_VARIANT = `${Math.max(...PHOTO_WIDTHS_px)}.jpg`;

/** Returns the URL of the largest JPEG variant of a photo. The URLs of the other variants differ in the file name. */
export function photoUrl(mediaId: string): string {
  return `/uploads/photos/${mediaId}/${LARGEST_VARIANT}`;
}
