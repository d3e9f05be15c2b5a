import { DomainError } from '@alpenglow/domain';
import sharp from 'sharp';

const WIDEST_px = 2_400;
const MOST_pixels = 60_000_000;
const QUALITY = 85;

/** A picture of a document as a JPEG of our own making: upright, no wider or higher than 2,400 px, without EXIF and place. Throws NOT_AN_IMAGE. */
export async function identityPicture(bytes: Uint8Array): Promise<Buffer> {
  try {
    return await sharp(bytes, { limitInputPixels: MOST_pixels, failOn: 'error' })
      .rotate()
      .resize({ width: WIDEST_px, height: WIDEST_px, fit: 'inside', withoutEnlargement: true })
      .jpeg({ quality: QUALITY })
      .toBuffer();
  } catch {
    throw new DomainError('NOT_AN_IMAGE');
  }
}
