import { DomainError } from '@alpenglow/domain';
import { PictureTooLarge, withPicture } from './open-picture.ts';

const MAX_SIDE_px = 2_400;
const QUALITY = 85;

/**
 * Converts a picture of an identity document to a new JPEG. The new picture is upright, at most 2,400 px wide and high,
 * and has no EXIF data, such as the location. Throws NOT_AN_IMAGE or TOO_MANY_PIXELS.
 */
export async function normalizeIdentityPicture(bytes: Uint8Array): Promise<Buffer> {
  try {
    return await withPicture(bytes, (picture) =>
      picture
        .rotate()
        .resize({ width: MAX_SIDE_px, height: MAX_SIDE_px, fit: 'inside', withoutEnlargement: true })
        .jpeg({ quality: QUALITY })
        .toBuffer(),
    );
  } catch (error) {
    if (error instanceof PictureTooLarge) throw new DomainError('TOO_MANY_PIXELS');
    throw new DomainError('NOT_AN_IMAGE');
  }
}
