import { DEMO_FALLBACK_PHOTOS } from '../constants.ts';

/** The number of stock pictures, which are abstract pictures that belong to the product. Demo ads use all of them. */
export const STOCK_PICTURE_COUNT = 48;

/**
 * The number of stock pictures that every installation stores. They are the first ones. The others are stored only with
 * the demo data, because only demo ads show them.
 */
export const BASIC_STOCK_PICTURE_COUNT = 12;

/** Returns the media id of the stock picture with this number. The numbers start with 1, e.g. `demo-01`. */
export function stockPictureId(number: number): string {
  return `demo-${String(number).padStart(2, '0')}`;
}

const STOCK_PICTURE_IDS: ReadonlySet<string> = new Set(
  Array.from({ length: STOCK_PICTURE_COUNT }, (_, index) => stockPictureId(index + 1)),
);

/** Checks whether a media id belongs to a stock picture. Only demo ads and articles store stock pictures. */
export function isStockPicture(mediaId: string): boolean {
  return STOCK_PICTURE_IDS.has(mediaId);
}

/** Media ids of the stock pictures whose addresses a response contains for an ad without photos. */
export const FALLBACK_PICTURE_IDS: readonly string[] = Array.from({ length: DEMO_FALLBACK_PHOTOS }, (_, index) =>
  stockPictureId(index + 1),
);
