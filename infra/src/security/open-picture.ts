import { DECODED_PHOTO_MAX_bytes } from '@alpenglow/domain';
import sharp, { type Sharp } from 'sharp';
import { createSerialRunner } from '../service/serial-runner.ts';

/** Error for a file that is not a usable picture: its format is not accepted, or the file is damaged. */
export class NotAPicture extends Error {
  override readonly name: string = 'NotAPicture';
}

/** Error for a picture that would need too much memory. */
export class PictureTooLarge extends NotAPicture {
  override readonly name = 'PictureTooLarge';
}

/** The accepted formats of pictures. Other formats that libvips can read, such as SVG, are rejected. */
const FORMATS: ReadonlySet<string> = new Set(['jpeg', 'png', 'gif', 'webp', 'heif']);
/** The size of one color value in a decoded picture. Other depths count as 8 bytes. */
const BYTES_PER_VALUE: Readonly<Record<string, number>> = { uchar: 1, char: 1, ushort: 2, short: 2, float: 4 };
const SMALLEST_PIXEL_bytes = 3;
const MAX_pixels = Math.floor(DECODED_PHOTO_MAX_bytes / SMALLEST_PIXEL_bytes);
const TIMEOUT_s = 60;

const run = createSerialRunner();

/**
 * Calls `work` with the first frame of a picture, and returns its result. `input` is a path or the bytes of a file. One
 * picture is decoded at a time in each process, so that several large pictures do not use up the memory. Throws
 * `NotAPicture`, `PictureTooLarge`, and the errors of `work` as `NotAPicture`.
 */
export function withPicture<T>(input: string | Uint8Array, work: (picture: Sharp) => Promise<T>): Promise<T> {
  return run('picture', async () => {
    try {
      await requireAccepted(sharp(input, { limitInputPixels: false }));
      return await work(
        sharp(input, { limitInputPixels: MAX_pixels, failOn: 'error' }).timeout({ seconds: TIMEOUT_s }),
      );
    } catch (error) {
      if (error instanceof NotAPicture) throw error;
      throw new NotAPicture(error instanceof Error ? error.message : 'unreadable', { cause: error });
    }
  });
}

/** Checks the format and the decoded size of a picture. Only the header of the file is read. */
async function requireAccepted(picture: Sharp): Promise<void> {
  const { format, width, height, channels, depth } = await picture.metadata();
  if (!FORMATS.has(format)) throw new NotAPicture(`a file of format ${format}`);
  // The decoder converts pictures with one channel to three.
  const pixel_bytes = Math.max(channels, SMALLEST_PIXEL_bytes) * (BYTES_PER_VALUE[depth] ?? 8);
  if (width * height * pixel_bytes > DECODED_PHOTO_MAX_bytes)
    throw new PictureTooLarge(`${width} × ${height} pixels with ${pixel_bytes} bytes each`);
}
