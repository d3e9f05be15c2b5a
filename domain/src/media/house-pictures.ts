import { DEMO_FALLBACK_PHOTOS } from '../constants.ts';

/** Abstract pictures that come with the product: they dress demo ads, and the first three stand in for missing photos. */
export const HOUSE_PICTURES = 12;

/** The media id of a house picture, counted from 1: `demo-01`. */
export function housePictureId(number: number): string {
  return `demo-${String(number).padStart(2, '0')}`;
}

/** True for the media ids anybody's ad may show. */
export function isHousePicture(mediaId: string): boolean {
  return /^demo-(0[1-9]|1[0-2])$/u.test(mediaId);
}

/** The pictures of an ad without photos of its own (specification, section 5, "Post ad"). */
export const FALLBACK_PICTURES: readonly string[] = Array.from({ length: DEMO_FALLBACK_PHOTOS }, (_, index) =>
  housePictureId(index + 1),
);
