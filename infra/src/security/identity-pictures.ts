import { DomainError, NO_PICTURE_FEATURES } from '@alpenglow/domain';
import { normalizeDocument, readPhotoProperties, UnusableFile } from '../adapters/decoder/decode-media.ts';
import { DecoderLost, type Decoder } from '../adapters/decoder/decoder.ts';

/**
 * Converts a picture of an identity document to a new JPEG without EXIF data, and returns it with its perceptual hash.
 * The picture never reaches the disk of the decoder. If the decoder ends, the picture is rejected. Throws NOT_AN_IMAGE,
 * TOO_MANY_PIXELS or FILE_NOT_READABLE.
 */
export async function normalizeIdentityPicture(
  decoder: Decoder,
  bytes: Uint8Array,
  signal: AbortSignal,
): Promise<{ readonly jpeg: Buffer; readonly hash: string }> {
  try {
    const jpeg = await normalizeDocument(decoder, bytes, signal);
    const { hashes } = await readPhotoProperties(decoder, jpeg, signal);
    return { jpeg, hash: hashes[0] ?? NO_PICTURE_FEATURES };
  } catch (error) {
    if (error instanceof UnusableFile) throw new DomainError(error.code);
    if (error instanceof DecoderLost) throw new DomainError('FILE_NOT_READABLE');
    throw error;
  }
}
