import { PHOTO_WIDTHS_px, type PHOTO_FORMATS } from '@alpenglow/domain';
import { withPicture } from '@alpenglow/infra';
import sharp, { type Sharp } from 'sharp';

// Each picture is encoded by one thread, so that other processors remain free for requests. The cache is off, so that
// memory is released after each picture.
sharp.concurrency(1);
sharp.cache(false);

type Format = (typeof PHOTO_FORMATS)[number];

interface Variant {
  /** The file name of the variant, which is the last part of its URL, e.g. `640.avif`. */
  readonly name: string;
  readonly bytes: Buffer;
}

type PictureProperties = Awaited<ReturnType<typeof readPictureProperties>>;

export interface Picture extends PictureProperties {
  /**
   * Encodes the picture in all widths and formats, the largest width first. Throws the reason of `signal` if it aborts.
   */
  variants(options: { signal: AbortSignal }): AsyncGenerator<Variant, void>;
}

interface Pixels {
  readonly data: Buffer;
  readonly width: number;
  readonly height: number;
}

/** Maximum ratio of height to width of a resized photo. It limits the work for a very narrow picture. */
const MAX_HEIGHT_RATIO = 2.5;
const BLUR_px = 16;
const WHITE = '#ffffff';

/**
 * The encoder of each image format. The setting `effort` is low, because a higher effort takes much longer and hardly
 * reduces the size.
 */
const ENCODERS: Readonly<Record<Format, (picture: Sharp) => Sharp>> = {
  avif: (picture) => picture.avif({ quality: 50, effort: 0, chromaSubsampling: '4:2:0' }),
  webp: (picture) => picture.webp({ quality: 75, effort: 2 }),
  jpg: (picture) => picture.jpeg({ quality: 80, progressive: true }),
};

/**
 * Decodes the first frame of a picture and returns its properties and resized variants. The variants are upright, in
 * sRGB, on a white background and without metadata. Pictures are never enlarged, so all variants of a small picture
 * have at most its width. Variants are encoded on demand, so that the hash of the picture can be checked first. Throws
 * `NotAPicture`.
 */
export async function decodePicture(original: string): Promise<Picture> {
  const widths = [...PHOTO_WIDTHS_px].sort((a, b) => b - a);
  const largest = await decode(original, widths[0] ?? 1);
  const sizes: { readonly width: number; readonly pixels: Pixels }[] = [];
  let pixels = largest;
  for (const width of widths) {
    pixels = await shrink(pixels, width);
    sizes.push({ width, pixels });
  }
  return {
    width: largest.width,
    height: largest.height,
    blur: await blurOf(asPicture(pixels)),
    hash: await hashOf(asPicture(pixels)),
    async *variants({ signal }) {
      for (const size of sizes) {
        for (const [format, encode] of Object.entries(ENCODERS)) {
          signal.throwIfAborted();
          yield { name: `${size.width}.${format}`, bytes: await encode(asPicture(size.pixels)).toBuffer() };
        }
      }
    },
  };
}

/** Returns the size, the preview and the hash of a picture, computed from its largest variant. */
export async function readPictureProperties(largest: Uint8Array) {
  const { width, height } = await sharp(largest).metadata();
  return {
    /** The width of the largest variant in pixels, after rotation. */
    width,
    height,
    /** A blurred preview as a `data:` URL, well below 1 KB. */
    blur: await blurOf(sharp(largest)),
    /** The perceptual hash of the picture, as 16 hexadecimal digits. Similar pictures have similar hashes. */
    hash: await hashOf(sharp(largest)),
  };
}

function decode(original: string, width: number): Promise<Pixels> {
  return withPicture(original, async (picture) => {
    const { data, info } = await fitInto(picture.autoOrient(), width)
      .flatten({ background: WHITE })
      .toColourspace('srgb')
      .raw({ depth: 'uchar' })
      .toBuffer({ resolveWithObject: true });
    return { data, width: info.width, height: info.height };
  });
}

async function shrink(pixels: Pixels, width: number): Promise<Pixels> {
  if (pixels.width <= width && pixels.height <= width * MAX_HEIGHT_RATIO) return pixels;
  const { data, info } = await fitInto(asPicture(pixels), width).raw().toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}

function fitInto(picture: Sharp, width: number): Sharp {
  return picture.resize({
    width,
    height: Math.round(width * MAX_HEIGHT_RATIO),
    fit: 'inside',
    withoutEnlargement: true,
  });
}

function asPicture({ data, width, height }: Pixels): Sharp {
  return sharp(data, { raw: { width, height, channels: 3 } });
}

const HASH_columns = 9;
const HASH_rows = 8;

/**
 * Returns a difference hash (dHash) of 64 bits as hexadecimal digits. The picture is reduced to 9 × 8 gray fields. The
 * hash contains one bit for each pair of neighboring fields, which states whether the left field is darker than the
 * right one. A copy of the picture in another size or format has nearly the same hash.
 */
async function hashOf(picture: Sharp): Promise<string> {
  const { data, info } = await picture
    .resize(HASH_columns, HASH_rows, { fit: 'fill' })
    .greyscale()
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true });
  const at = (row: number, column: number) => data[(row * HASH_columns + column) * info.channels] ?? 0;
  let bits = 0n;
  for (let row = 0; row < HASH_rows; row += 1) {
    for (let column = 0; column < HASH_columns - 1; column += 1)
      bits = (bits << 1n) | (at(row, column) < at(row, column + 1) ? 1n : 0n);
  }
  return bits.toString(16).padStart(16, '0');
}

async function blurOf(picture: Sharp): Promise<string> {
  const bytes = await fitInto(picture, BLUR_px).webp({ quality: 40 }).toBuffer();
  return `data:image/webp;base64,${bytes.toString('base64')}`;
}
