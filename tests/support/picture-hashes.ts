import { NO_PICTURE_FEATURES } from '@alpenglow/domain';
import { pdqOf } from '../../domain/src/contracts/pdq.mjs';
import { paintScene, type EditName } from './picture-corpus.ts';

/** The minimum share of recognized copies of the generated photos (decision 0118). */
export const RECOGNIZED_MIN: Readonly<Partial<Record<EditName, number>>> = {
  identical: 1,
  'resized to a quarter': 0.99,
  'resized, other proportions': 0.99,
  'JPEG with quality 40': 0.99,
  'WebP with quality 50': 0.99,
  'cropped by 5 % of the width and the height': 0.8,
  'cropped by 5 % of the width': 0.8,
  'cropped by 5 % at every side': 0.8,
  mirrored: 0.8,
};

/** The side of the picture to which a picture is reduced before it is hashed. */
const SIDE_px = 64;

/** Returns the hash of the picture of a seed, painted in the size to which other pictures are reduced. */
export function hashOfSmallScene(seed: number): string {
  const pixels = paintScene(seed, SIDE_px, SIDE_px);
  const values = new Float32Array(SIDE_px * SIDE_px);
  for (let index = 0; index < values.length; index += 1)
    values[index] =
      0.299 * (pixels[index * 3] ?? 0) + 0.587 * (pixels[index * 3 + 1] ?? 0) + 0.114 * (pixels[index * 3 + 2] ?? 0);
  const { hash, quality } = pdqOf({ values, width: SIDE_px, height: SIDE_px });
  return quality === 0 ? NO_PICTURE_FEATURES : hash;
}

/** Returns the hexadecimal digits of a hash, the reverse of `toHashWords`. */
export const toHexDigits = (words: Uint32Array): string =>
  [...words]
    .reverse()
    .map((word) => word.toString(16).padStart(8, '0'))
    .join('');
