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

/** An entry of an edit list: the part of a track that a player shows next. */
interface Edit {
  /** Start of the part in the recorded pictures or sound. Null for a pause, in which the track shows nothing. */
  readonly from_s: number | null;
  /** Length of the part. 0 for all of the rest. */
  readonly seconds: number;
  /** The speed, 1 by default. */
  readonly rate?: number;
}

interface TrackOptions {
  readonly edits?: readonly Edit[];
  /** False for a track that players do not show. */
  readonly isEnabled?: boolean;
}

export interface TrimmedOptions {
  readonly seconds: number;
  readonly fps: number;
  /** A key picture is at the start and after each of these numbers of pictures. Without a number, only at the start. */
  readonly keyEvery?: number;
  /** The places in which the pictures of a group are shown, in the order of the file, e.g. `[0, 3, 1, 2]`. */
  readonly order?: readonly number[];
  /** The picture tracks, which all have the same pictures. */
  readonly pictures?: readonly TrackOptions[];
  /** The sound track. There is none by default. */
  readonly sound?: TrackOptions;
  /** A track with measurements, as cameras write it. There is none by default. */
  readonly measurements?: TrackOptions;
  readonly brand?: string;
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
  const header = (dataAt: number) =>
    movie(claimed_s, [
      track({
        id: 1,
        type: 'vide',
        claimed_s,
        size: { width, height },
        matrix: rotation === 90 ? QUARTER(height) : IDENTITY,
        entry: avcEntry({ width, height, sequence, picture }),
        tables: [
          box('stts', u32(0, 1, frames, TIMESCALE / fps)),
          box('stsc', u32(0, 1, 1, frames, 1)),
          box('stsz', u32(0, sample.length, frames)),
          box('stco', u32(0, 1, dataAt)),
        ],
        last: location === undefined ? [] : [trackLocation(location)],
      }),
      ...(location === undefined ? [] : movieLocations(location)),
    ]);
  const dataAt = ftyp.length + header(0).length + 8;
  return Buffer.concat([
    ftyp,
    header(dataAt),
    box('mdat', ...Array.from({ length: frames }, () => sample)),
    ...(padding_bytes > 0 ? [box('free', Buffer.alloc(padding_bytes))] : []),
  ]);
}

/** The text in the picture or sound packet with this number, in the order in which they are shown. */
export const packetText = (kind: 'picture' | 'sound', number: number) =>
  `${kind} ${String(number).padStart(4, '0')} of the recording`;

const SOUND_PACKET_s = 0.02;

/**
 * Returns an MP4 or MOV as phones write it when a video is trimmed: it contains the whole recording, and an edit list
 * states what players show. Each picture and each sound packet (Opus, 20 ms) contains its `packetText`.
 */
export function trimmedMp4(wanted: TrimmedOptions): Buffer {
  const { seconds, fps, keyEvery = Number.POSITIVE_INFINITY, order = [0], pictures = [{}] } = wanted;
  const { sound, measurements } = wanted;
  const size = { width: 16, height: 16 };
  const { sequence, picture, frame, deltaFrame } = h264(size);
  const frames = Math.round(seconds * fps);
  const shift = Math.max(...order.map((place, index) => index - place));
  const placeOf = (index: number) => index - (index % order.length) + (order[index % order.length] ?? 0);
  const isKey = (index: number) => index === 0 || index % keyEvery === 0;
  const samples = Array.from({ length: frames }, (_, index) => {
    const unit = Buffer.from(isKey(index) ? frame : deltaFrame);
    unit.write(packetText('picture', placeOf(index)), unit.length - 200, 'latin1');
    return Buffer.concat([u32(unit.length), unit]);
  });
  const packets = sound ? Math.round(seconds / SOUND_PACKET_s) : 0;
  const soundSamples = Array.from({ length: packets }, (_, index) =>
    // The first byte declares one block of 20 ms.
    Buffer.concat([Buffer.of(0x78), latin1(packetText('sound', index))]),
  );
  const ftyp = box('ftyp', latin1(wanted.brand ?? 'isom'), u32(512), latin1(wanted.brand ?? 'isom'));
  const tick = TIMESCALE / fps;
  const header = (dataAt: number) =>
    movie(seconds, [
      ...pictures.map((options, index) =>
        track({
          id: index + 1,
          type: 'vide',
          claimed_s: seconds,
          size,
          options,
          entry: avcEntry({ ...size, sequence, picture }),
          tables: [
            box('stts', u32(0, 1, frames, tick)),
            box('ctts', u32(0, frames, ...samples.flatMap((_, at) => [1, (placeOf(at) - at + shift) * tick]))),
            box('stss', u32(0, samples.filter((_, at) => isKey(at)).length, ...keyNumbers(samples.length, isKey))),
            box('stsc', u32(0, 1, 1, frames, 1)),
            box('stsz', u32(0, 0, frames, ...samples.map(({ length }) => length))),
            box('stco', u32(0, 1, dataAt)),
          ],
        }),
      ),
      ...(sound
        ? [
            track({
              id: pictures.length + 1,
              type: 'soun',
              claimed_s: seconds,
              size: { width: 0, height: 0 },
              options: sound,
              entry: opusEntry(),
              tables: [
                box('stts', u32(0, 1, packets, TIMESCALE * SOUND_PACKET_s)),
                box('stsc', u32(0, 1, 1, packets, 1)),
                box('stsz', u32(0, 0, packets, ...soundSamples.map(({ length }) => length))),
                box('stco', u32(0, 1, dataAt + samples.reduce((sum, { length }) => sum + length, 0))),
              ],
            }),
          ]
        : []),
      ...(measurements
        ? [
            track({
              id: pictures.length + 2,
              type: 'meta',
              claimed_s: seconds,
              size: { width: 0, height: 0 },
              options: measurements,
              entry: box('mett', Buffer.alloc(6), u16(1), latin1('\0text/plain\0')),
              tables: [
                box('stts', u32(0, 0)),
                box('stsc', u32(0, 0)),
                box('stsz', u32(0, 0, 0)),
                box('stco', u32(0, 0)),
              ],
            }),
          ]
        : []),
    ]);
  const dataAt = ftyp.length + header(0).length + 8;
  return Buffer.concat([ftyp, header(dataAt), box('mdat', ...samples, ...soundSamples)]);
}

function keyNumbers(frames: number, isKey: (index: number) => boolean): readonly number[] {
  return Array.from({ length: frames }, (_, index) => index)
    .filter(isKey)
    .map((index) => index + 1);
}

function movie(seconds: number, content: readonly Buffer[]): Buffer {
  const mvhd = box(
    'mvhd',
    u32(0, 0, 0, TIMESCALE, Math.round(seconds * TIMESCALE), 0x10000),
    u16(0x100),
    Buffer.alloc(10),
    u32(...IDENTITY),
    Buffer.alloc(24),
    u32(2),
  );
  return box('moov', mvhd, ...content);
}

/** The boxes that state what a track contains: pictures, sound, or something else. */
const MEDIA_HEADERS = {
  vide: () => box('vmhd', u32(1), Buffer.alloc(8)),
  soun: () => box('smhd', u32(0, 0)),
  meta: () => box('nmhd', u32(0)),
};

interface Track {
  readonly id: number;
  readonly type: keyof typeof MEDIA_HEADERS;
  readonly claimed_s: number;
  readonly size: { readonly width: number; readonly height: number };
  readonly matrix?: readonly number[];
  readonly options?: TrackOptions;
  /** The description of the codec. */
  readonly entry: Buffer;
  /** The tables of times, sizes and positions. */
  readonly tables: readonly Buffer[];
  readonly last?: readonly Buffer[];
}

function track({
  id,
  type,
  claimed_s,
  size,
  matrix = IDENTITY,
  options = {},
  entry,
  tables,
  last = [],
}: Track): Buffer {
  const { edits = [], isEnabled = true } = options;
  const duration = Math.round(claimed_s * TIMESCALE);
  const stbl = box('stbl', box('stsd', u32(0, 1), entry), ...tables);
  const minf = box('minf', MEDIA_HEADERS[type](), box('dinf', box('dref', u32(0, 1), box('url ', u32(1)))), stbl);
  const mdia = box(
    'mdia',
    box('mdhd', u32(0, 0, 0, TIMESCALE, duration), u16(0x55c4), u16(0)),
    box('hdlr', u32(0, 0), latin1(type), Buffer.alloc(13)),
    minf,
  );
  const tkhd = box(
    'tkhd',
    u32(isEnabled ? 7 : 6, 0, 0, id, 0, duration, 0, 0, 0, 0),
    u32(...matrix),
    u32(size.width << 16, size.height << 16),
  );
  return box('trak', tkhd, ...(edits.length > 0 ? [box('edts', editList(edits))] : []), mdia, ...last);
}

const editList = (edits: readonly Edit[]) =>
  box(
    'elst',
    u32(0, edits.length),
    ...edits.map(({ from_s, seconds, rate = 1 }) =>
      u32(seconds * TIMESCALE, from_s === null ? -1 : from_s * TIMESCALE, rate * 0x10000),
    ),
  );

interface AvcConfiguration {
  readonly width: number;
  readonly height: number;
  readonly sequence: Buffer;
  readonly picture: Buffer;
}

function avcEntry({ width, height, sequence, picture }: AvcConfiguration): Buffer {
  return box(
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
}

function opusEntry(): Buffer {
  const head = box('dOps', Buffer.of(0, 2), u16(0), u32(48_000), u16(0), Buffer.of(0));
  return box('Opus', Buffer.alloc(6), u16(1), Buffer.alloc(8), u16(2), u16(16), u32(0, 48_000 << 16), head);
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

/** A silent frame of MP3 with 128 kbit/s and 44.1 kHz. */
const MP3_FRAME = Buffer.concat([Buffer.of(0xff, 0xfb, 0x90, 0xc0), Buffer.alloc(413)]);
const [MP3_FRAME_samples, MP3_RATE_hz] = [1152, 44_100];

/** Returns an AVI with motion JPEG video, and with MP3 sound if `hasSound` is true. */
export async function avi(wanted: VideoOptions & { readonly hasSound?: boolean } = {}): Promise<Buffer> {
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
  const sounds = wanted.hasSound ? Math.round((seconds * MP3_RATE_hz) / MP3_FRAME_samples) : 0;
  const soundHeader = chunk(
    'strh',
    latin1('auds'),
    l32(0, 0, 0, 0, MP3_FRAME_samples, MP3_RATE_hz, 0, sounds, 1_000, 0xffffffff, 0, 0, 0),
  );
  const soundFormat = chunk(
    'strf',
    Buffer.concat([
      l16(0x55, 1),
      l32(MP3_RATE_hz, 16_000),
      l16(MP3_FRAME_samples, 0, 12, 1),
      l32(2),
      l16(MP3_FRAME_samples, 1, 0),
    ]),
  );
  const hdrl = chunk(
    'LIST',
    latin1('hdrl'),
    avih,
    chunk('LIST', latin1('strl'), strh, strf),
    ...(sounds > 0 ? [chunk('LIST', latin1('strl'), soundHeader, soundFormat)] : []),
  );
  const frameChunk = chunk('00dc', frame);
  const soundChunks = Array.from({ length: sounds }, () => chunk('01wb', MP3_FRAME));
  const movi = chunk('LIST', latin1('movi'), ...Array.from({ length: frames }, () => frameChunk), ...soundChunks);
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
