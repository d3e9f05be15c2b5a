// @ts-check
/** Reads pictures of unknown origin. Runs only in the decoder, which is a separate process (decision 0058). */
import { createHash } from 'node:crypto';
import sharp from 'sharp';
import { grayOfPixels, HASHED_SIDE_px, hashesOfPicture } from '../../domain/src/contracts/pdq.mjs';
import { checkPicture, requireFewFrames } from './check-picture.mjs';
import { RejectedFile, rejecting } from './rejected-file.mjs';

/** @typedef {import('sharp').Sharp} Sharp */
/**
 * A file path or the bytes of a file.
 * @typedef {string | Uint8Array} Input
 */

// Each picture is encoded by one thread, so that other processors remain free for requests. The cache is off, so that
// memory is released after each picture.
sharp.concurrency(1);
sharp.cache(false);

/** The accepted formats of pictures. Other formats that libvips can read, such as SVG, are rejected. */
const FORMATS = new Set(['jpeg', 'png', 'gif', 'webp', 'heif']);
/** The messages of the library about an empty file, and about one that has the first bytes of no format. */
const UNKNOWN_FORMAT = /unsupported image format|is empty/u;
/**
 * The size of one color value in a decoded picture. Other depths count as 8 bytes.
 * @type {Readonly<Record<string, number>>}
 */
const BYTES_PER_VALUE = { uchar: 1, char: 1, ushort: 2, short: 2, float: 4 };
const SMALLEST_PIXEL_bytes = 3;

/**
 * Returns the first frame of a picture, which is not decoded yet.
 * @param {Input} input
 * @param {number} maxDecoded_bytes
 * @returns {Promise<Sharp>}
 * @throws {RejectedFile} NOT_AN_IMAGE, IMAGE_DAMAGED, TOO_MANY_PIXELS if the decoded picture has more than
 *   `maxDecoded_bytes`, or FILE_NOT_READABLE if it has too many scans or frames
 */
async function open(input, maxDecoded_bytes) {
  await checkPicture(input);
  // Only the header of the file is read here.
  const { format, width, height, channels, depth, pages } = await sharp(input, { limitInputPixels: false })
    .metadata()
    .catch((/** @type {unknown} */ error) => {
      if (error instanceof Error && UNKNOWN_FORMAT.test(error.message))
        throw new RejectedFile('NOT_AN_IMAGE', error.message, { cause: error });
      throw error;
    });
  if (!FORMATS.has(format)) throw new RejectedFile('NOT_AN_IMAGE', `a file of format ${format}`);
  requireFewFrames(pages ?? 1);
  // The decoder converts pictures with one channel to three.
  const pixel_bytes = Math.max(channels, SMALLEST_PIXEL_bytes) * (BYTES_PER_VALUE[depth] ?? 8);
  if (width * height * pixel_bytes > maxDecoded_bytes)
    throw new RejectedFile('TOO_MANY_PIXELS', `${width} × ${height} pixels with ${pixel_bytes} bytes each`);
  const maxPixels = Math.floor(maxDecoded_bytes / SMALLEST_PIXEL_bytes);
  return sharp(input, { limitInputPixels: maxPixels, failOn: 'error' });
}

const DOCUMENT_SIDE_px = 2_400;
const DOCUMENT_QUALITY = 85;

/**
 * Converts a picture of an identity document to a new JPEG. The new picture is upright, at most 2,400 px wide and high,
 * and has no EXIF data, such as the location.
 * @param {Input} input
 * @param {{ maxDecoded_bytes: number }} options
 * @returns {Promise<Buffer>}
 * @throws {RejectedFile} NOT_AN_IMAGE, IMAGE_DAMAGED, TOO_MANY_PIXELS or FILE_NOT_READABLE
 */
export function normalizeDocument(input, { maxDecoded_bytes }) {
  return rejecting('IMAGE_DAMAGED', async () =>
    (await open(input, maxDecoded_bytes))
      .rotate()
      .resize({ width: DOCUMENT_SIDE_px, height: DOCUMENT_SIDE_px, fit: 'inside', withoutEnlargement: true })
      .jpeg({ quality: DOCUMENT_QUALITY })
      .toBuffer(),
  );
}

/** Maximum ratio of height to width of a resized photo. It limits the work for a very narrow picture. */
const MAX_HEIGHT_RATIO = 2.5;
const BLUR_px = 16;
const WHITE = '#ffffff';

/**
 * The encoder of each image format. The setting `effort` is low, because a higher effort takes much longer and hardly
 * reduces the size.
 * @type {Readonly<Record<string, (picture: Sharp) => Sharp>>}
 */
const ENCODERS = {
  avif: (picture) => picture.avif({ quality: 50, effort: 0, chromaSubsampling: '4:2:0' }),
  webp: (picture) => picture.webp({ quality: 75, effort: 2 }),
  jpg: (picture) => picture.jpeg({ quality: 80, progressive: true }),
};

/** @typedef {{ data: Buffer, width: number, height: number }} Pixels */

/**
 * Decodes the first frame of a picture and returns its properties and resized variants. The variants are upright, in
 * sRGB, on a white background and without metadata. Pictures are never enlarged, so all variants of a small picture
 * have at most its width.
 * @param {Input} input
 * @param {{ widths_px: readonly number[], formats: readonly string[], maxDecoded_bytes: number }} options
 * @returns {Promise<PhotoProperties & { variants: readonly { name: string, bytes: Buffer }[] }>}
 * @throws {RejectedFile} NOT_AN_IMAGE, IMAGE_DAMAGED, TOO_MANY_PIXELS or FILE_NOT_READABLE
 */
export function makeVariants(input, { widths_px, formats, maxDecoded_bytes }) {
  return rejecting('IMAGE_DAMAGED', async () => {
    const widths = [...widths_px].sort((a, b) => b - a);
    const largest = await toPixels(
      fitInto((await open(input, maxDecoded_bytes)).autoOrient(), widths[0] ?? 1)
        .flatten({ background: WHITE })
        .toColourspace('srgb'),
    );
    /** @type {{ name: string, bytes: Buffer }[]} */
    const variants = [];
    let pixels = largest;
    for (const width of widths) {
      pixels = await shrink(pixels, width);
      for (const format of formats) {
        const encode = ENCODERS[format];
        if (!encode) throw new TypeError(`There is no encoder for ${format}`);
        variants.push({ name: `${width}.${format}`, bytes: await encode(asPicture(pixels)).toBuffer() });
      }
    }
    const { width, height } = largest;
    return {
      width,
      height,
      blur: await blurOf(asPicture(pixels)),
      hash: await differenceHashOf(asPicture(pixels)),
      hashes: await hashesOf(asPicture(largest)),
      digest: digestOf(largest),
      variants,
    };
  });
}

/**
 * Width and height are those of the largest variant in pixels, after rotation. `blur` is a blurred preview as a `data:`
 * URL, well below 1 KB. `hashes` are the perceptual hashes of the picture, the first one of the whole picture. `digest`
 * is the SHA-256 of its size and its pixels, which metadata does not change. `hash` is the difference hash, which
 * builds before decision 0118 read while they are replaced.
 * @typedef {{
 *   width: number, height: number, blur: string, hash: string, hashes: string[], digest: string,
 * }} PhotoProperties
 */

/**
 * Returns the size, the preview and the hashes of a picture, computed from its largest variant.
 * @param {Input} largest
 * @param {{ maxDecoded_bytes: number }} options
 * @returns {Promise<PhotoProperties>}
 * @throws {RejectedFile} NOT_AN_IMAGE, IMAGE_DAMAGED, TOO_MANY_PIXELS or FILE_NOT_READABLE
 */
export function readProperties(largest, { maxDecoded_bytes }) {
  return rejecting('IMAGE_DAMAGED', async () => {
    const picture = await open(largest, maxDecoded_bytes);
    const { width, height } = await picture.metadata();
    return {
      width,
      height,
      blur: await blurOf(picture.clone()),
      hash: await differenceHashOf(picture.clone()),
      hashes: await hashesOf(picture.clone()),
      digest: digestOf(await toPixels(picture.clone().flatten({ background: WHITE }).toColourspace('srgb'))),
    };
  });
}

/**
 * @param {Sharp} picture
 * @returns {Promise<Pixels>}
 */
async function toPixels(picture) {
  const { data, info } = await picture.raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}

/**
 * @param {Pixels} pixels
 * @param {number} width
 */
async function shrink(pixels, width) {
  if (pixels.width <= width && pixels.height <= width * MAX_HEIGHT_RATIO) return pixels;
  return toPixels(fitInto(asPicture(pixels), width));
}

/**
 * @param {Sharp} picture
 * @param {number} width
 */
function fitInto(picture, width) {
  const height = Math.round(width * MAX_HEIGHT_RATIO);
  return picture.resize({ width, height, fit: 'inside', withoutEnlargement: true });
}

/** @param {Pixels} pixels */
function digestOf({ data, width, height }) {
  return createHash('sha256').update(`${width} ${height} `).update(data).digest('hex');
}

/** @param {Pixels} pixels */
function asPicture({ data, width, height }) {
  return sharp(data, { raw: { width, height, channels: 3 } });
}

/**
 * Returns the perceptual hashes of a picture (`hashesOfPicture`).
 * @param {Sharp} picture
 */
async function hashesOf(picture) {
  return hashesOfPicture(await grayOf(picture));
}

/**
 * Returns the gray values of a picture, of which perceptual hashes are computed.
 * @param {Sharp} picture
 * @returns {Promise<import('../../domain/src/contracts/pdq.mjs').Gray>}
 */
export async function grayOf(picture) {
  const pixels = await toPixels(
    picture
      .resize({ width: HASHED_SIDE_px, height: HASHED_SIDE_px, fit: 'inside', withoutEnlargement: true })
      .flatten({ background: WHITE })
      .toColourspace('srgb'),
  );
  return grayOfPixels(pixels, 3);
}

const DIFFERENCE_columns = 9;
const DIFFERENCE_rows = 8;

/**
 * Returns a difference hash (dHash) of 64 bits as 16 hexadecimal digits. The picture is reduced to 9 × 8 gray fields.
 * The hash contains one bit for each pair of neighboring fields, which states whether the left field is darker than the
 * right one.
 * @param {Sharp} picture
 */
async function differenceHashOf(picture) {
  const { data, info } = await picture
    .resize(DIFFERENCE_columns, DIFFERENCE_rows, { fit: 'fill' })
    .greyscale()
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true });
  const at = (/** @type {number} */ row, /** @type {number} */ column) =>
    data[(row * DIFFERENCE_columns + column) * info.channels] ?? 0;
  let bits = 0n;
  for (let row = 0; row < DIFFERENCE_rows; row += 1) {
    for (let column = 0; column < DIFFERENCE_columns - 1; column += 1)
      bits = (bits << 1n) | (at(row, column) < at(row, column + 1) ? 1n : 0n);
  }
  return bits.toString(16).padStart(16, '0');
}

/** @param {Sharp} picture */
async function blurOf(picture) {
  const bytes = await fitInto(picture, BLUR_px).webp({ quality: 40 }).toBuffer();
  return `data:image/webp;base64,${bytes.toString('base64')}`;
}
