import { PHOTO_WIDTHS_px } from '../constants.ts';

/**
 * File name of the largest JPEG variant of a photo. The API describes a photo by the URL, width and height of this
 * variant.
 */
export const LARGEST_VARIANT = `${Math.max(...PHOTO_WIDTHS_px)}.jpg`;

/**
 * Returns the URL of the largest JPEG variant of a photo. The URLs of the other variants have a different file name.
 */
export function photoUrl(mediaId: string): string {
  return `/uploads/photos/${mediaId}/${LARGEST_VARIANT}`;
}
