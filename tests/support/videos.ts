import sharp from 'sharp';

/** Videos as visitors hand them in: real ones, every frame a JPEG, put together here because there is no encoder at hand. */

export interface Wanted {
  readonly seconds?: number;
  readonly fps?: number;
  readonly width?: number;
  readonly height?: number;
}

export interface WantedMp4 extends Wanted {
  /** Four letters; `qt  ` makes it a MOV. */
  readonly brand?: string;
  /** Degrees clockwise a player has to turn it by. */
  readonly rotation?: 0 | 90;
  /** Where it was filmed, written in every box cameras write it to. */
  readonly location?: string;
  /** What the header says instead of the truth. */
  readonly claimed_s?: number;
  /** Size of an empty box at the end. */
  readonly padding_bytes?: number;
}

const SIZE = { width: 64, height: 48 };
const TIMESCALE = 600;

async function frameOf({ width = SIZE.width, height = SIZE.height }: Wanted): Promise<Buffer> {
  return sharp({ create: { width, height, channels: 3, background: '#a8325f' } })
    .jpeg({ quality: 50 })
    .toBuffer();
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
const latin = (text: string) => Buffer.from(text, 'latin1');

/** A box of MP4 or MOV: size, type, content. */
export const box = (type: string, ...content: readonly Buffer[]) => {
  const body = Buffer.concat(content);
  return Buffer.concat([u32(body.length + 8), latin(type), body]);
};

const IDENTITY = [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000];
const QUARTER = (height: number) => [0, 0x10000, 0, -0x10000, 0, 0, height << 16, 0, 0x40000000];

/** An MP4 or MOV whose header stands in front. */
export async function mp4(wanted: WantedMp4 = {}): Promise<Buffer> {
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
  const frame = await frameOf(wanted);
  const frames = Math.round(seconds * fps);
  const ftyp = box('ftyp', latin(brand), u32(512), latin(brand));
  const header = (dataAt: number) => {
    const duration = Math.round(claimed_s * TIMESCALE);
    const entry = box(
      'jpeg',
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
    );
    const stbl = box(
      'stbl',
      box('stsd', u32(0, 1), entry),
      box('stts', u32(0, 1, frames, TIMESCALE / fps)),
      box('stsc', u32(0, 1, 1, frames, 1)),
      box('stsz', u32(0, frame.length, frames)),
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
      box('hdlr', u32(0, 0), latin('vide'), Buffer.alloc(13)),
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
      box('trak', tkhd, mdia, ...(location === undefined ? [] : [placeOfTrack(location)])),
      ...(location === undefined ? [] : placesOfMovie(location)),
    );
  };
  const dataAt = ftyp.length + header(0).length + 8;
  return Buffer.concat([
    ftyp,
    header(dataAt),
    box('mdat', ...Array.from({ length: frames }, () => frame)),
    ...(padding_bytes > 0 ? [box('free', Buffer.alloc(padding_bytes))] : []),
  ]);
}

const xyz = (location: string) => box('\u00a9xyz', u16(location.length), u16(0x15c7), latin(location));
const placeOfTrack = (location: string) => box('udta', xyz(location));

/** As Android writes it (`udta`), as Apple does (`meta` of keys), and as editors do (XMP in `uuid`). */
function placesOfMovie(location: string): readonly Buffer[] {
  const key = 'com.apple.quicktime.location.ISO6709';
  const meta = box(
    'meta',
    box('hdlr', u32(0, 0), latin('mdta'), Buffer.alloc(13)),
    box('keys', u32(0, 1), box('mdta', latin(key))),
    box('ilst', Buffer.concat([u32(8 + 16 + location.length, 1), box('data', u32(1, 0), latin(location))])),
  );
  return [
    box('udta', xyz(location)),
    meta,
    box('uuid', Buffer.from('be7acfcb97a942e89c71999491e3afac', 'hex'), latin(`<x:xmpmeta>${location}</x:xmpmeta>`)),
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
  return Buffer.concat([latin(type), l32(body.length), body, Buffer.alloc(body.length % 2)]);
};

/** An AVI of motion JPEG. */
export async function avi(wanted: Wanted = {}): Promise<Buffer> {
  const { seconds = 2, fps = 5, width = SIZE.width, height = SIZE.height } = wanted;
  const frame = await frameOf(wanted);
  const frames = Math.round(seconds * fps);
  const avih = chunk(
    'avih',
    l32(1_000_000 / fps, frame.length * fps, 0, 0x10, frames, 0, 1, frame.length, width, height, 0, 0, 0, 0),
  );
  const strh = chunk(
    'strh',
    latin('vidsMJPG'),
    l32(0, 0, 0, 1, fps, 0, frames, frame.length, 0xffffffff, 0),
    l16(0, 0, width, height),
  );
  const strf = chunk('strf', l32(40, width, height), l16(1, 24), latin('MJPG'), l32(width * height * 3, 0, 0, 0, 0));
  const hdrl = chunk('LIST', latin('hdrl'), avih, chunk('LIST', latin('strl'), strh, strf));
  const one = chunk('00dc', frame);
  const movi = chunk('LIST', latin('movi'), ...Array.from({ length: frames }, () => one));
  const index = chunk(
    'idx1',
    ...Array.from({ length: frames }, (_, number) =>
      Buffer.concat([latin('00dc'), l32(0x10, 4 + number * one.length, frame.length)]),
    ),
  );
  return chunk('RIFF', latin('AVI '), hdrl, movi, index);
}

/** An element of WebM: its id, its size in eight bytes, its content. */
const element = (id: string, ...content: readonly Buffer[]) => {
  const body = Buffer.concat(content);
  return Buffer.concat([Buffer.from(id, 'hex'), Buffer.from([1]), u32(0).subarray(0, 3), u32(body.length), body]);
};

/** A WebM as browsers record it: nothing in it says how long it is. */
export async function webm(wanted: Wanted = {}): Promise<Buffer> {
  const { seconds = 2, fps = 5, width = SIZE.width, height = SIZE.height } = wanted;
  const frame = await frameOf(wanted);
  const head = element(
    '1a45dfa3',
    element('4286', Buffer.from([1])),
    element('42f7', Buffer.from([1])),
    element('42f2', Buffer.from([4])),
    element('42f3', Buffer.from([8])),
    element('4282', latin('webm')),
    element('4287', Buffer.from([4])),
    element('4285', Buffer.from([2])),
  );
  const info = element(
    '1549a966',
    element('2ad7b1', u32(1_000_000)),
    element('4d80', latin('test')),
    element('5741', latin('test')),
  );
  const video = element('e0', element('b0', u16(width)), element('ba', u16(height)));
  const tracks = element(
    '1654ae6b',
    element(
      'ae',
      element('d7', Buffer.from([1])),
      element('73c5', Buffer.from([1])),
      element('83', Buffer.from([1])),
      element('86', latin('V_MJPEG')),
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

/** An MP4 that has sound alone. */
export async function soundOnly(): Promise<Buffer> {
  const file = await mp4();
  const at = file.indexOf('vide');
  file.write('soun', at, 'latin1');
  return file;
}
