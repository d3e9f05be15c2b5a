import { MAX_PHOTO_pixels, PHOTO_WIDTHS_px, type PHOTO_FORMATS } from '@alpenglow/domain';
import sharp, { type Sharp } from 'sharp';

// One thread a picture leaves the other processors to requests; without the cache, memory goes back after each picture.
sharp.concurrency(1);
sharp.cache(false);

type Format = (typeof PHOTO_FORMATS)[number];

/** The bytes are no picture we can show: not one at all, broken, truncated, or with more pixels than we decode. */
export class NotAPicture extends Error {
  override readonly name = 'NotAPicture';
}

export interface Variant {
  /** As it ends the URL, e.g. `640.avif`. */
  readonly name: string;
  readonly bytes: Buffer;
}

export interface PictureFacts {
  /** Pixels of the largest variant, upright. */
  readonly width: number;
  readonly height: number;
  /** A `data:` picture, well below 1 KB. */
  readonly blur: string;
  /** What it looks like, in 16 hexadecimal digits (`PhotoVariantsMade`). */
  readonly hash: string;
}

export interface Picture extends PictureFacts {
  /** Encodes it at every width in every format, largest first. Throws the reason of `signal` when that aborts. */
  variants(options: { signal: AbortSignal }): AsyncGenerator<Variant, void>;
}

interface Pixels {
  readonly data: Buffer;
  readonly width: number;
  readonly height: number;
}

/** What a file may be decoded as. Anything else libvips can read (SVG, TIFF) is not for visitors to hand in. */
const FORMATS: ReadonlySet<string> = new Set(['jpeg', 'png', 'gif', 'webp', 'heif']);
/** A variant is at most this many times as tall as its width, so that a needle of a picture costs no more than a photo. */
const TALLEST = 2.5;
const BLUR_px = 16;
const WHITE = '#ffffff';
const DECODE_TIMEOUT_s = 60;

/** Least effort where more buys next to nothing: measured at equal size and quality, AVIF effort 2 takes six times as long as 0. */
const ENCODERS: Readonly<Record<Format, (picture: Sharp) => Sharp>> = {
  avif: (picture) => picture.avif({ quality: 50, effort: 0, chromaSubsampling: '4:2:0' }),
  webp: (picture) => picture.webp({ quality: 75, effort: 2 }),
  jpg: (picture) => picture.jpeg({ quality: 80, progressive: true }),
};

/**
 * Decodes the picture of a file once, to be encoded anew: upright, in sRGB, on white, by its first frame, without any metadata. Never enlarges: a small
 * picture's variants are as wide as it is. What it looks like is known before anything is encoded. Throws `NotAPicture`.
 */
export async function readPicture(original: string): Promise<Picture> {
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

/** What `readPicture` would say of the picture, from its largest variant. */
export async function factsOf(largest: Uint8Array): Promise<PictureFacts> {
  const { width, height } = await sharp(largest).metadata();
  return { width, height, blur: await blurOf(sharp(largest)), hash: await hashOf(sharp(largest)) };
}

async function decode(original: string, width: number): Promise<Pixels> {
  try {
    const picture = sharp(original, { limitInputPixels: MAX_PHOTO_pixels, failOn: 'error' });
    const { format } = await picture.metadata();
    if (!FORMATS.has(format)) throw new NotAPicture(`a file of format ${format}`);
    const { data, info } = await fitInto(picture.autoOrient(), width)
      .flatten({ background: WHITE })
      .toColourspace('srgb')
      .timeout({ seconds: DECODE_TIMEOUT_s })
      .raw({ depth: 'uchar' })
      .toBuffer({ resolveWithObject: true });
    return { data, width: info.width, height: info.height };
  } catch (error) {
    throw error instanceof NotAPicture
      ? error
      : new NotAPicture(error instanceof Error ? error.message : 'unreadable', { cause: error });
  }
}

async function shrink(pixels: Pixels, width: number): Promise<Pixels> {
  if (pixels.width <= width && pixels.height <= width * TALLEST) return pixels;
  const { data, info } = await fitInto(asPicture(pixels), width).raw().toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}

function fitInto(picture: Sharp, width: number): Sharp {
  return picture.resize({ width, height: Math.round(width * TALLEST), fit: 'inside', withoutEnlargement: true });
}

function asPicture({ data, width, height }: Pixels): Sharp {
  return sharp(data, { raw: { width, height, channels: 3 } });
}

const HASH_columns = 9;
const HASH_rows = 8;

/**
 * A difference hash (dHash) of 64 bits: whether each of 9 × 8 grey fields is darker than the one to its right. The same picture has nearly
 * the same hash at any size and in any format; it tells nothing else about it.
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
