import { DEMO_FALLBACK_PHOTOS } from '../constants.ts';

/**
 * The number of stock pictures, which are abstract pictures that belong to the product. Demo ads use all of them. Ads
 * without photos show the first three.
 */
export const STOCK_PICTURE_COUNT = 12;

/** Returns the media id of the stock picture with this number. The numbers start with 1, e.g. `demo-01`. */
export function stockPictureId(number: number): string {
  return `demo-${String(number).padStart(2, '0')}`;
}

/** Checks whether a media id belongs to a stock picture, which every ad may show. */
export function isStockPicture(mediaId: string): boolean {
  return /^demo-(0[1-9]|1[0-2])$/u.test(mediaId);
}

/** Media ids of the stock pictures that an ad without photos shows. */
export const FALLBACK_PICTURE_IDS: readonly string[] = Array.from({ length: DEMO_FALLBACK_PHOTOS }, (_, index) =>
  stockPictureId(index + 1),
);
