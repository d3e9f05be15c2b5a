import { randomBytes } from 'node:crypto';
import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';

/** Generates valid and malicious upload files, so that the repository contains no binary files. */

const plain = (width = 800, height = 600, background = '#a8325f') =>
  sharp({ create: { width, height, channels: 3, background } });

/** Returns a picture with a dark left half and a light right half, so that tests can detect a rotation. */
const halves = (width = 800, height = 600) =>
  plain(width, height, '#101010').composite([
    { input: { create: { width: width / 2, height, channels: 3, background: '#f0f0f0' } }, left: width / 2, top: 0 },
  ]);

/** Returns a PNG chunk, which consists of its length, type, content and checksum. */
export function pngChunk(type: string, content: Buffer): Buffer {
  const checked = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  sum.writeUInt32BE(crc32(checked));
  return Buffer.concat([length, checked, sum]);
}

/**
 * Returns a black PNG with one bit per pixel. The file is assembled directly, because an encoder would have to process
 * every pixel of a very large picture.
 */
function blackPng(size_px: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size_px, 0);
  header.writeUInt32BE(size_px, 4);
  header[8] = 1;
  const rows = Buffer.alloc((1 + Math.ceil(size_px / 8)) * size_px);
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    pngChunk('IHDR', header),
    pngChunk('IDAT', deflateSync(rows)),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Creates a PNG whose header declares a size and a depth. Its pixels are missing, so only its header can be read. */
export function pngWithHeader({
  size_px,
  bits,
  isInterlaced,
}: {
  readonly size_px: number;
  readonly bits: number;
  readonly isInterlaced: boolean;
}): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size_px, 0);
  header.writeUInt32BE(size_px, 4);
  const RGB = 2;
  header.set([bits, RGB, 0, 0, isInterlaced ? 1 : 0], 8);
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    pngChunk('IHDR', header),
    pngChunk('IDAT', deflateSync(Buffer.alloc(1_000))),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

/** The bytes of the latitude in the EXIF data of `pictures.withGps`: 46/1 degrees, 34/1 minutes, 0/1 seconds. */
export const GPS_LATITUDE = Buffer.from(Uint32Array.of(46, 1, 34, 1, 0, 1).buffer);

/** The number of fields in each row and column of a random picture. */
const RANDOM_FIELDS = 9;

export const pictures = {
  jpeg: (width?: number, height?: number) => plain(width, height).jpeg().toBuffer(),
  /** A JPEG of random gray fields, which looks different each time. */
  random: (width = 400, height = 300) =>
    sharp(randomBytes(RANDOM_FIELDS ** 2), { raw: { width: RANDOM_FIELDS, height: RANDOM_FIELDS, channels: 1 } })
      .resize(width, height, { fit: 'fill', kernel: 'nearest' })
      .jpeg()
      .toBuffer(),
  /** A JPEG of more than 2 MB. It contains noise, which is hard to compress. */
  large: () =>
    sharp({
      create: {
        width: 2_400,
        height: 1_800,
        channels: 3,
        background: '#888',
        noise: { type: 'gaussian', mean: 128, sigma: 40 },
      },
    })
      .jpeg({ quality: 95 })
      .toBuffer(),
  /** A picture of gray waves, which differ for each seed. */
  waves: (seed: number, width = 640, height = 480) => {
    const pixels = Buffer.from(
      Array.from({ length: width * height }, (_, index) =>
        Math.round(
          127 + 120 * Math.sin((index % width) / (40 + seed * 9) + Math.floor(index / width) / (30 + seed * 17)),
        ),
      ),
    );
    return sharp(pixels, { raw: { width, height, channels: 1 } })
      .png()
      .toBuffer();
  },
  png: () => plain().png().toBuffer(),
  webp: () => plain().webp().toBuffer(),
  avif: () => plain().avif({ effort: 0 }).toBuffer(),
  transparentPng: () =>
    sharp({ create: { width: 400, height: 300, channels: 4, background: { r: 255, g: 0, b: 0, alpha: 0 } } })
      .png()
      .toBuffer(),
  cmyk: () => plain().toColourspace('cmyk').jpeg().toBuffer(),
  deepGrey: () => plain().toColourspace('grey16').png().toBuffer(),
  onePixel: () => plain(1, 1).png().toBuffer(),
  needle: () => plain(1, 30_000).png().toBuffer(),

  /** A picture with a location, camera and author in EXIF, with XMP, and with a wide-gamut color profile. */
  withGps: () =>
    plain()
      .withExif({
        IFD0: { Make: 'AlpenCam', Artist: 'Somebody' },
        IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '46/1 34/1 0/1', GPSLongitudeRef: 'E', GPSLongitude: '7/1 59/1 0/1' },
      })
      .withXmp(
        '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">' +
          '<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" dc:source="secret-source"/>' +
          '</rdf:RDF></x:xmpmeta>',
      )
      .withIccProfile('p3')
      .jpeg()
      .toBuffer(),

  /**
   * A picture that must be rotated by a quarter turn clockwise. The rotated picture is 600 × 800, dark at the top and
   * light at the bottom.
   */
  onItsSide: async () =>
    sharp(await halves().jpeg().toBuffer())
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer(),

  /** An animation with a red first frame and a blue second frame. */
  animatedGif: async () => {
    const frames = await Promise.all(['#ff0000', '#0000ff'].map((colour) => plain(200, 100, colour).png().toBuffer()));
    return sharp(frames, { join: { animated: true } })
      .gif({ delay: [100, 100], loop: 0 })
      .toBuffer();
  },

  truncatedJpeg: async () => {
    const whole = await sharp({
      create: {
        width: 800,
        height: 600,
        channels: 3,
        background: '#888',
        noise: { type: 'gaussian', mean: 128, sigma: 30 },
      },
    })
      .jpeg()
      .toBuffer();
    return whole.subarray(0, whole.length / 2);
  },
  /** A picture with 400 megapixels in a small file. */
  bomb: () => Promise.resolve(blackPng(20_000)),
  /** A progressive JPEG whose last scan is repeated, so that it has more than `scans` scans. */
  manyScans: async (scans: number) => {
    const whole = await sharp({ create: { width: 800, height: 600, channels: 3, background: '#888' } })
      .jpeg({ progressive: true })
      .toBuffer();
    const [end, last] = [whole.length - 2, whole.lastIndexOf(Buffer.of(0xff, 0xda))];
    const scan = whole.subarray(last, end);
    return Buffer.concat([whole.subarray(0, end), ...Array.from({ length: scans }, () => scan), whole.subarray(end)]);
  },
  /** A WebP with many frames of one pixel. */
  manyFrames: async (frames: number) => {
    const still = await sharp({ create: { width: 1, height: 1, channels: 3, background: '#888' } })
      .webp({ lossless: true })
      .toBuffer();
    const chunk = (type: string, content: Buffer) => {
      const head = Buffer.alloc(8);
      head.write(type);
      head.writeUInt32LE(content.length, 4);
      return Buffer.concat([head, content]);
    };
    const ANIMATED = 2;
    const frame = chunk('ANMF', Buffer.concat([Buffer.alloc(16), still.subarray(12)]));
    return chunk(
      'RIFF',
      Buffer.concat([
        Buffer.from('WEBP'),
        chunk('VP8X', Buffer.concat([Buffer.of(ANIMATED), Buffer.alloc(9)])),
        chunk('ANIM', Buffer.alloc(6)),
        ...Array.from({ length: frames }, () => frame),
      ]),
    );
  },
  /** A GIF with many frames of one pixel. */
  manyGifFrames: (frames: number) =>
    Promise.resolve(
      Buffer.concat([
        Buffer.from('GIF89a\x01\0\x01\0', 'latin1'),
        Buffer.of(0x80, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff),
        ...Array.from({ length: frames }, () => Buffer.of(0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0)),
        Buffer.of(0x3b),
      ]),
    ),
  /** A JPEG with the bytes of scans in its metadata and behind its end, like a photo with a thumbnail and a clip. */
  hiddenScans: async (scans: number) => {
    const whole = await plain().jpeg().toBuffer();
    const markers = Buffer.alloc(scans * 2, Buffer.of(0xff, 0xda));
    const head = Buffer.of(0xff, 0xe5, 0, 0);
    head.writeUInt16BE(markers.length + 2, 2);
    return Buffer.concat([whole.subarray(0, 2), head, markers, whole.subarray(2), markers]);
  },
  /** A JPEG that is followed by a script. */
  polyglot: async () => Buffer.concat([await pictures.jpeg(), Buffer.from('<script>alert(document.domain)</script>')]),
  /** A file that starts like a PNG and continues with invalid data. */
  pngInName: () =>
    Promise.resolve(Buffer.concat([Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), Buffer.alloc(2000, 'x')])),
  svg: () =>
    Promise.resolve(
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"><script>alert(1)</script></svg>'),
    ),
  html: () => Promise.resolve(Buffer.from('<!doctype html><script>alert(1)</script>')),
  text: () => Promise.resolve(Buffer.from('This is no picture. '.repeat(100))),
  pdf: () => Promise.resolve(Buffer.from('%PDF-1.7\n1 0 obj\n<<>>\nendobj\n')),
  empty: () => Promise.resolve(Buffer.alloc(0)),
};
