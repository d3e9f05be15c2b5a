import sharp from 'sharp';
import { h264 } from './h264.ts';

/**
 * Generates valid videos for uploads: MP4 and MOV with H.264, AVI with motion JPEG, WebM with VP8. The files are
 * assembled directly, because no video encoder is available.
 */

export interface VideoOptions {
  readonly seconds?: number;
  readonly fps?: number;
  readonly width?: number;
  readonly height?: number;
}

export interface Mp4Options extends VideoOptions {
  /** Four characters that identify the format. `qt  ` identifies a MOV. */
  readonly brand?: string;
  /** Degrees clockwise by which a player must rotate the video. */
  readonly rotation?: 0 | 90;
  /** Location of the recording. It is written to all boxes that cameras and editors use. */
  readonly location?: string;
  /** Duration in the file header in seconds, if it differs from the real duration. */
  readonly claimed_s?: number;
  /** H.264 units in every frame, in addition to the picture. */
  readonly units?: readonly Buffer[];
  /** Size in bytes of an empty box at the end of the file. */
  readonly padding_bytes?: number;
}

const SIZE = { width: 64, height: 48 };
const TIMESCALE = 600;

async function jpegOf({ width = SIZE.width, height = SIZE.height }: VideoOptions): Promise<Buffer> {
  return sharp({ create: { width, height, channels: 3, background: '#a8325f' } })
    .jpeg({ quality: 50 })
    .toBuffer();
}

/** Returns a frame of the codec VP8. A lossy WebP contains one such frame. */
async function vp8Of({ width = SIZE.width, height = SIZE.height }: VideoOptions): Promise<Buffer> {
  const webp = await sharp({ create: { width, height, channels: 3, background: '#a8325f' } })
    .webp({ quality: 50 })
    .toBuffer();
  const at = webp.indexOf('VP8 ');
  return webp.subarray(at + 8, at + 8 + webp.readUInt32LE(at + 4));
}

const u16 = (value: number) => {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
};
const u32 = (...values: readonly number[]) => {
  const bytes = Buffer.alloc(4 * values.length);
  values.forEach((value, index) => bytes.writeUInt32BE(value >>> 0, index * 4));
  return bytes;
};
const latin1 = (text: string) => Buffer.from(text, 'latin1');

/** Returns a box of an MP4 or MOV, which consists of its size, type and content. */
export const box = (type: string, ...content: readonly Buffer[]) => {
  const body = Buffer.concat(content);
  return Buffer.concat([u32(body.length + 8), latin1(type), body]);
};

const IDENTITY = [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000];
const QUARTER = (height: number) => [0, 0x10000, 0, -0x10000, 0, 0, height << 16, 0, 0x40000000];

/** Returns an MP4 or MOV whose header is at the beginning of the file. */
export async function mp4(wanted: Mp4Options = {}): Promise<Buffer> {
  const {
    seconds = 2,
    fps = 5,
    width = SIZE.width,
    height = SIZE.height,
    brand = 'isom',
    rotation = 0,
    location,
    claimed_s = seconds,
    padding_bytes = 0,
  } = wanted;
  const { sequence, picture, frame } = h264({ width, height });
  const sample = Buffer.concat([...(wanted.units ?? []), frame].flatMap((unit) => [u32(unit.length), unit]));
  const frames = Math.round(seconds * fps);
  const ftyp = box('ftyp', latin1(brand), u32(512), latin1(brand));
  const header = (dataAt: number) => {
    const duration = Math.round(claimed_s * TIMESCALE);
    const entry = box(
      'avc1',
      Buffer.alloc(6),
      u16(1),
      Buffer.alloc(16),
      u16(width),
      u16(height),
      u32(0x480000, 0x480000, 0),
      u16(1),
      Buffer.alloc(32),
      u16(24),
      u16(0xffff),
      box(
        'avcC',
        Buffer.of(1, ...sequence.subarray(1, 4), 0xff, 0xe1),
        u16(sequence.length),
        sequence,
        Buffer.of(1),
        u16(picture.length),
        picture,
      ),
    );
    const stbl = box(
      'stbl',
      box('stsd', u32(0, 1), entry),
      box('stts', u32(0, 1, frames, TIMESCALE / fps)),
      box('stsc', u32(0, 1, 1, frames, 1)),
      box('stsz', u32(0, sample.length, frames)),
      box('stco', u32(0, 1, dataAt)),
    );
    const minf = box(
      'minf',
      box('vmhd', u32(1), Buffer.alloc(8)),
      box('dinf', box('dref', u32(0, 1), box('url ', u32(1)))),
      stbl,
    );
    const mdia = box(
      'mdia',
      box('mdhd', u32(0, 0, 0, TIMESCALE, duration), u16(0x55c4), u16(0)),
      box('hdlr', u32(0, 0), latin1('vide'), Buffer.alloc(13)),
      minf,
    );
    const tkhd = box(
      'tkhd',
      u32(7, 0, 0, 1, 0, duration, 0, 0, 0, 0),
      u32(...(rotation === 90 ? QUARTER(height) : IDENTITY)),
      u32(width << 16, height << 16),
    );
    const mvhd = box(
      'mvhd',
      u32(0, 0, 0, TIMESCALE, duration, 0x10000),
      u16(0x100),
      Buffer.alloc(10),
      u32(...IDENTITY),
      Buffer.alloc(24),
      u32(2),
    );
    return box(
      'moov',
      mvhd,
      box('trak', tkhd, mdia, ...(location === undefined ? [] : [trackLocation(location)])),
      ...(location === undefined ? [] : movieLocations(location)),
    );
  };
  const dataAt = ftyp.length + header(0).length + 8;
  return Buffer.concat([
    ftyp,
    header(dataAt),
    box('mdat', ...Array.from({ length: frames }, () => sample)),
    ...(padding_bytes > 0 ? [box('free', Buffer.alloc(padding_bytes))] : []),
  ]);
}

const xyz = (location: string) => box('\u00a9xyz', u16(location.length), u16(0x15c7), latin1(location));
const trackLocation = (location: string) => box('udta', xyz(location));

/** Returns the location in the boxes of Android (`udta`), Apple (`meta`) and editors (`uuid`). */
function movieLocations(location: string): readonly Buffer[] {
  const key = 'com.apple.quicktime.location.ISO6709';
  const meta = box(
    'meta',
    box('hdlr', u32(0, 0), latin1('mdta'), Buffer.alloc(13)),
    box('keys', u32(0, 1), box('mdta', latin1(key))),
    box('ilst', Buffer.concat([u32(8 + 16 + location.length, 1), box('data', u32(1, 0), latin1(location))])),
  );
  return [
    box('udta', xyz(location)),
    meta,
    box('uuid', Buffer.from('be7acfcb97a942e89c71999491e3afac', 'hex'), latin1(`<x:xmpmeta>${location}</x:xmpmeta>`)),
  ];
}

const l16 = (...values: readonly number[]) => {
  const bytes = Buffer.alloc(2 * values.length);
  values.forEach((value, index) => bytes.writeUInt16LE(value, index * 2));
  return bytes;
};
const l32 = (...values: readonly number[]) => {
  const bytes = Buffer.alloc(4 * values.length);
  values.forEach((value, index) => bytes.writeUInt32LE(value, index * 4));
  return bytes;
};
const chunk = (type: string, ...content: readonly Buffer[]) => {
  const body = Buffer.concat(content);
  return Buffer.concat([latin1(type), l32(body.length), body, Buffer.alloc(body.length % 2)]);
};

/** Returns an AVI with motion JPEG video. */
export async function avi(wanted: VideoOptions = {}): Promise<Buffer> {
  const { seconds = 2, fps = 5, width = SIZE.width, height = SIZE.height } = wanted;
  const frame = await jpegOf(wanted);
  const frames = Math.round(seconds * fps);
  const avih = chunk(
    'avih',
    l32(1_000_000 / fps, frame.length * fps, 0, 0x10, frames, 0, 1, frame.length, width, height, 0, 0, 0, 0),
  );
  const strh = chunk(
    'strh',
    latin1('vidsMJPG'),
    l32(0, 0, 0, 1, fps, 0, frames, frame.length, 0xffffffff, 0),
    l16(0, 0, width, height),
  );
  const strf = chunk('strf', l32(40, width, height), l16(1, 24), latin1('MJPG'), l32(width * height * 3, 0, 0, 0, 0));
  const hdrl = chunk('LIST', latin1('hdrl'), avih, chunk('LIST', latin1('strl'), strh, strf));
  const frameChunk = chunk('00dc', frame);
  const movi = chunk('LIST', latin1('movi'), ...Array.from({ length: frames }, () => frameChunk));
  const index = chunk(
    'idx1',
    ...Array.from({ length: frames }, (_, number) =>
      Buffer.concat([latin1('00dc'), l32(0x10, 4 + number * frameChunk.length, frame.length)]),
    ),
  );
  return chunk('RIFF', latin1('AVI '), hdrl, movi, index);
}

/** Returns a WebM element, which consists of its id, its size in eight bytes, and its content. */
const element = (id: string, ...content: readonly Buffer[]) => {
  const body = Buffer.concat(content);
  return Buffer.concat([Buffer.from(id, 'hex'), Buffer.from([1]), u32(0).subarray(0, 3), u32(body.length), body]);
};

/** Returns a WebM without a duration, as browsers record it. */
export async function webm(wanted: VideoOptions = {}): Promise<Buffer> {
  const { seconds = 2, fps = 5, width = SIZE.width, height = SIZE.height } = wanted;
  const frame = await vp8Of(wanted);
  const head = element(
    '1a45dfa3',
    element('4286', Buffer.from([1])),
    element('42f7', Buffer.from([1])),
    element('42f2', Buffer.from([4])),
    element('42f3', Buffer.from([8])),
    element('4282', latin1('webm')),
    element('4287', Buffer.from([4])),
    element('4285', Buffer.from([2])),
  );
  const info = element(
    '1549a966',
    element('2ad7b1', u32(1_000_000)),
    element('4d80', latin1('test')),
    element('5741', latin1('test')),
  );
  const video = element('e0', element('b0', u16(width)), element('ba', u16(height)));
  const tracks = element(
    '1654ae6b',
    element(
      'ae',
      element('d7', Buffer.from([1])),
      element('73c5', Buffer.from([1])),
      element('83', Buffer.from([1])),
      element('86', latin1('V_VP8')),
      video,
    ),
  );
  const clusters = Array.from({ length: Math.round(seconds * fps) }, (_, number) =>
    element(
      '1f43b675',
      element('e7', u32((number * 1000) / fps)),
      element('a3', Buffer.from([0x81, 0, 0, 0x80]), frame),
    ),
  );
  return Buffer.concat([head, element('18538067', info, tracks, ...clusters)]);
}

/** Returns an MP4 that contains only an audio track. */
export async function audioOnlyMp4(): Promise<Buffer> {
  const file = await mp4();
  const at = file.indexOf('vide');
  file.write('soun', at, 'latin1');
  return file;
}
