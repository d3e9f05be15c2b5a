import { DomainError } from '@alpenglow/domain';
import sharp from 'sharp';

const MAX_SIDE_px = 2_400;
const MAX_pixels = 60_000_000;
const QUALITY = 85;

/**
 * Converts a picture of an identity document to a new JPEG. The new picture is upright, at most 2,400 px wide and high,
 * and has no EXIF data, such as the location. Throws NOT_AN_IMAGE if the bytes are not a picture.
 */
export async function normalizeIdentityPicture(bytes: Uint8Array): Promise<Buffer> {
  try {
    return await sharp(bytes, { limitInputPixels: MAX_pixels, failOn: 'error' })
      .rotate()
      .resize({ width: MAX_SIDE_px, height: MAX_SIDE_px, fit: 'inside', withoutEnlargement: true })
      .jpeg({ quality: QUALITY })
      .toBuffer();
  } catch {
    throw new DomainError('NOT_AN_IMAGE');
  }
}
