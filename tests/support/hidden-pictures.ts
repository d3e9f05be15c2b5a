import sharp from 'sharp';
import { pngChunk } from './pictures.ts';
import { mp4 } from './videos.ts';

/**
 * Generates photos that contain more than a viewer shows: thumbnails, depth maps, videos, texts and other pictures. The
 * shown picture is green, and hidden pictures are red. Hidden texts are `SECRET`.
 */

export const SECRET = 'taken at the north gate';
const [SHOWN, HIDDEN] = ['#00a040', '#e00000'];
const SIZE = { width: 64, height: 48 };
const text = Buffer.from(SECRET, 'latin1');

const plain = (background: string) => sharp({ create: { ...SIZE, channels: 3, background } });
const jpeg = (background: string) => plain(background).jpeg().toBuffer();

const u16 = (...values: readonly number[]) => Buffer.concat(values.map((value) => Buffer.of(value >> 8, value & 0xff)));
const u32 = (...values: readonly number[]) =>
  Buffer.concat(
    values.map((value) => Buffer.of(value >>> 24, (value >> 16) & 0xff, (value >> 8) & 0xff, value & 0xff)),
  );

/** Returns a segment of a JPEG. */
const segment = (marker: number, content: Buffer) =>
  Buffer.concat([Buffer.of(0xff, marker), u16(content.length + 2), content]);
const [APP1, APP2, COMMENT] = [0xe1, 0xe2, 0xfe];

/** Returns a JPEG with segments after its first two bytes, and bytes behind its end. */
async function jpegWith(segments: readonly Buffer[], behind: readonly Buffer[] = []): Promise<Buffer> {
  const whole = await jpeg(SHOWN);
  return Buffer.concat([whole.subarray(0, 2), ...segments, whole.subarray(2), ...behind]);
}

/** Returns EXIF data with a thumbnail, as editors leave it behind when they cut a photo. */
function exifWithThumbnail(thumbnail: Buffer): Buffer {
  const [firstAt, secondAt, thumbnailAt] = [8, 26, 56];
  const entry = (tag: number, type: number, value: number) => Buffer.concat([u16(tag, type), u32(1, value)]);
  return Buffer.concat([
    Buffer.from('Exif\0\0MM\0*', 'latin1'),
    u32(firstAt),
    u16(1),
    entry(0x0112, 3, 1 << 16),
    u32(secondAt),
    u16(2),
    entry(0x0201, 4, thumbnailAt),
    entry(0x0202, 4, thumbnail.length),
    u32(0),
    thumbnail,
  ]);
}

const xmp = (content: string) =>
  Buffer.from(`http://ns.adobe.com/xap/1.0/\0<x:xmpmeta xmlns:x="adobe:ns:meta/">${content}</x:xmpmeta>`, 'latin1');

/** Returns PNG chunks with an animation: the picture is the first frame only if `isFirstFrame`. */
async function animatedPng({ isFirstFrame }: { readonly isFirstFrame: boolean }): Promise<Buffer> {
  const [first, second] = await Promise.all(
    [plain(isFirstFrame ? SHOWN : HIDDEN), plain(isFirstFrame ? HIDDEN : SHOWN)].map((picture) =>
      picture.png().toBuffer(),
    ),
  );
  const chunks = (file: Buffer | undefined) => {
    const found: { type: string; content: Buffer }[] = [];
    for (let at = 8; file && at < file.length; at += 12 + file.readUInt32BE(at))
      found.push({
        type: file.toString('latin1', at + 4, at + 8),
        content: file.subarray(at + 8, at + 8 + file.readUInt32BE(at)),
      });
    return found;
  };
  const data = (file: Buffer | undefined) =>
    Buffer.concat(chunks(file).flatMap(({ type, content }) => (type === 'IDAT' ? [content] : [])));
  const header = chunks(first).find(({ type }) => type === 'IHDR')?.content ?? Buffer.alloc(0);
  const frame = (sequence: number) =>
    pngChunk('fcTL', Buffer.concat([u32(sequence, SIZE.width, SIZE.height, 0, 0), u16(1, 2), Buffer.of(0, 0)]));
  const frames = isFirstFrame ? 2 : 1;
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    pngChunk('IHDR', header),
    pngChunk('acTL', u32(frames, 0)),
    ...(isFirstFrame ? [frame(0)] : []),
    pngChunk('IDAT', data(first)),
    frame(frames - 1),
    pngChunk('fdAT', Buffer.concat([u32(frames), data(second)])),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

const box = (type: string, ...content: readonly Buffer[]) => {
  const body = Buffer.concat(content);
  return Buffer.concat([u32(body.length + 8), Buffer.from(type, 'latin1'), body]);
};

function boxesIn(bytes: Buffer): readonly Buffer[] {
  const boxes: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += bytes.readUInt32BE(at))
    boxes.push(bytes.subarray(at, at + bytes.readUInt32BE(at)));
  return boxes;
}

/** Returns an AVIF with two pictures. Viewers show the primary one. */
async function avifWithTwo({ primary }: { readonly primary: 1 | 2 }): Promise<Buffer> {
  const colors = primary === 1 ? [SHOWN, HIDDEN] : [HIDDEN, SHOWN];
  return avifOf(await Promise.all(colors.map((color) => plain(color).avif({ effort: 0 }).toBuffer())), primary);
}

/** Returns an AVIF whose right side is hidden: the property `clap` states the part that viewers show. */
async function croppedAvif(): Promise<Buffer> {
  const right = { create: { width: SIZE.width / 2, height: SIZE.height, channels: 3 as const, background: HIDDEN } };
  const picture = plain(SHOWN).composite([{ input: right, left: SIZE.width / 2, top: 0 }]);
  const shown_px = 16;
  const clap = box('clap', u32(shown_px, 1, SIZE.height, 1, (shown_px - SIZE.width) / 2, 1, 0, 1));
  return avifOf([await picture.avif({ effort: 0 }).toBuffer()], 1, [clap]);
}

/** Returns an AVIF that consists of the pictures of these files, with more properties for each. */
function avifOf(pictures: readonly Buffer[], primary: number, properties: readonly Buffer[] = []): Buffer {
  const [first] = pictures;
  if (!first) throw new Error('There is no picture');
  const ftyp = first.subarray(0, first.readUInt32BE(0));
  const dataOf = (file: Buffer) => file.subarray(file.indexOf('mdat') + 4);
  const partOf = (type: string) => {
    const at = first.indexOf(type) - 4;
    return first.subarray(at, at + first.readUInt32BE(at));
  };
  const known = boxesIn(partOf('ipco').subarray(8));
  // The first three properties are the size, the depth and the codec. 0x80 marks those that a viewer must understand.
  const associated = [0x81, 2, 3, ...properties.map((_, index) => 0x80 | (known.length + index + 1))];
  const meta = (positions: readonly number[]) =>
    box(
      'meta',
      u32(0),
      partOf('hdlr'),
      box('pitm', u32(0), u16(primary)),
      box(
        'iloc',
        u32(0),
        Buffer.of(0x44, 0),
        u16(pictures.length),
        ...pictures.map((file, index) =>
          Buffer.concat([u16(index + 1, 0, 1), u32(positions[index] ?? 0, dataOf(file).length)]),
        ),
      ),
      box(
        'iinf',
        u32(0),
        u16(pictures.length),
        ...pictures.map((_, index) => box('infe', u32(0x02000000), u16(index + 1, 0), Buffer.from('av01\0', 'latin1'))),
      ),
      box(
        'iprp',
        box('ipco', ...known, ...properties),
        box(
          'ipma',
          u32(0, pictures.length),
          ...pictures.map((_, index) => Buffer.concat([u16(index + 1), Buffer.of(associated.length, ...associated)])),
        ),
      ),
    );
  let at = ftyp.length + meta([0, 0]).length + 8;
  const positions = pictures.map((file) => {
    const position = at;
    at += dataOf(file).length;
    return position;
  });
  return Buffer.concat([ftyp, meta(positions), box('mdat', ...pictures.map(dataOf))]);
}

/** Photos whose shown picture is published. Nothing of the rest is. */
export const photosWithHiddenParts: Readonly<Record<string, () => Promise<Buffer>>> = {
  'a thumbnail in EXIF data': async () => jpegWith([segment(APP1, exifWithThumbnail(await jpeg(HIDDEN)))]),
  'a depth map of Google in XMP': async () =>
    jpegWith([segment(APP1, xmp(`<GDepth:Data>${(await jpeg(HIDDEN)).toString('base64')}${SECRET}</GDepth:Data>`))]),
  'a second picture behind it (gain map, depth map, portrait)': async () =>
    jpegWith([segment(APP2, Buffer.concat([Buffer.from('MPF\0', 'latin1'), text]))], [await jpeg(HIDDEN), text]),
  'a motion photo of Google': async () =>
    jpegWith([segment(APP1, xmp('<GCamera:MotionPhoto>1</GCamera:MotionPhoto>'))], [await mp4({ location: SECRET })]),
  'a motion photo of Samsung': async () =>
    jpegWith([], [Buffer.from('MotionPhoto_Data', 'latin1'), await mp4({ location: SECRET }), Buffer.from('SEFT')]),
  comments: () => jpegWith([segment(COMMENT, text)]),
  'text chunks': async () => {
    const whole = await plain(SHOWN).png().toBuffer();
    const header = 8 + 25;
    const chunks = ['tEXt', 'iTXt', 'zTXt', 'eXIf', 'tIME', 'prVt'].map((type) => pngChunk(type, text));
    return Buffer.concat([whole.subarray(0, header), ...chunks.slice(0, 1), whole.subarray(header), ...chunks, text]);
  },
  'transparent pixels in PNG': () => transparent().png().toBuffer(),
  'transparent pixels in WebP': () => transparent().webp({ lossless: true, exact: true }).toBuffer(),
  'later frames in GIF': () =>
    animation()
      .gif({ delay: [100, 100] })
      .toBuffer(),
  'later frames in WebP': () =>
    animation()
      .webp({ lossless: true, delay: [100, 100] })
      .toBuffer(),
  'later frames in PNG': () => animatedPng({ isFirstFrame: true }),
  'a second picture in AVIF': () => avifWithTwo({ primary: 1 }),
  'a first picture in AVIF that is not the primary one': () => avifWithTwo({ primary: 2 }),
  'a hidden side in AVIF': croppedAvif,
};

/** A PNG whose picture is not a frame of its animation. Only viewers without animations show it. */
export const pngWithHiddenPicture = () => animatedPng({ isFirstFrame: false });

/** The left half is green. The right half is transparent, and its hidden color is red. */
function transparent() {
  const pixels = Array.from({ length: SIZE.width * SIZE.height }, (_, index) =>
    index % SIZE.width < SIZE.width / 2 ? [0x00, 0xa0, 0x40, 0xff] : [0xe0, 0, 0, 0],
  );
  return sharp(Buffer.from(pixels.flat()), { raw: { ...SIZE, channels: 4 } });
}

function animation() {
  const frames = [SHOWN, HIDDEN].map((background) => ({ create: { ...SIZE, channels: 3 as const, background } }));
  return sharp(frames as never, { join: { animated: true } });
}
