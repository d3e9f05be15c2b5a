import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cleanVideo } from '../../infra/decoder/clean-video.mjs';
import { remuxAvi } from '../../infra/decoder/avi.mjs';
import { RejectedFile } from '../../infra/decoder/rejected-file.mjs';
import { remux } from '../../infra/decoder/remux.mjs';
import { sampleOf } from '../support/sample.ts';
import {
  createPart,
  formats,
  withPartEverywhere,
  withTextInEveryPart,
  type Format,
  type Part,
} from '../support/video-parts.ts';
import { avi, mp4, webm } from '../support/videos.ts';

/** Videos often contain the place, the device and the names of people, and all of it is removed (R-5.24, T-16). */

const PRIVATE = ['+46.5700+007.9800', 'AlpenCam', 'Somebody'] as const;
const TEXT = Buffer.from(PRIVATE.join('/'), 'latin1');
const max_s = 20.25;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'alpenglow-videos-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Returns the served file, or null if the file is rejected. Any other error fails the test. */
async function clean(original: Buffer, contentType: string): Promise<Buffer | null> {
  const [from, to] = [path.join(folder, 'from'), path.join(folder, 'to')];
  await writeFile(from, original);
  try {
    if (contentType === 'video/x-msvideo') remuxAvi(from, to, { max_s });
    else await remux(from, to, { contentType, max_s });
  } catch (error) {
    // An error of the operating system would be an error of the product.
    expect(error).not.toHaveProperty('syscall');
    return null;
  }
  return readFile(to);
}

/** Checks many files. Returns how many of them are served. */
async function expectClean(files: readonly Buffer[], contentType: string): Promise<number> {
  let served = 0;
  for (const file of files) {
    expect(PRIVATE.some((text) => file.includes(text))).toBe(true);
    const cleaned = await clean(file, contentType);
    if (!cleaned) continue;
    served += 1;
    for (const text of PRIVATE) expect(cleaned.includes(text), `${text} in file ${served}`).toBe(false);
  }
  return served;
}

const TYPES: readonly (readonly [string, string, Format, () => Promise<Buffer>, readonly Part[]])[] = [
  [
    'MP4',
    'video/mp4',
    formats.iso,
    () => mp4(),
    ['udta', 'meta', 'uuid', 'free', 'skip', 'wide', 'gps ', 'zzzz', '\u00a9xyz', 'mdat'].map((type) =>
      createPart(type, TEXT),
    ),
  ],
  [
    'MOV',
    'video/quicktime',
    formats.iso,
    () => mp4({ brand: 'qt  ' }),
    ['udta', 'meta', 'pnot', 'free', 'thma', 'Loc ', '\u00a9mak', '\u00a9ART'].map((type) => createPart(type, TEXT)),
  ],
  [
    'AVI',
    'video/x-msvideo',
    formats.riff,
    () => avi(),
    [
      { type: 'LIST', bytes: Buffer.from('INFO'), parts: [createPart('IART', TEXT), createPart('ISFT', TEXT)] },
      ...['JUNK', 'IDIT', 'strn', 'strd', 'gps0', '00tx', 'ZZZZ'].map((type) => createPart(type, TEXT)),
    ],
  ],
  [
    'WebM',
    'video/webm',
    formats.ebml,
    () => webm(),
    // Tags, attachments, chapters, void, title, track name, unknown.
    ['1254c367', '1941a469', '1043a770', 'ec', '7ba9', '536e', '4fff'].map((type) => createPart(type, TEXT)),
  ],
];

describe.each(TYPES)('%s', (_name, contentType, format, make, extras) => {
  test.each(extras.map((extra) => [extra.type, extra] as const))(
    'an additional part %s at any place of the file is not served',
    async (_type, extra) => {
      const parts = format.parse(await make());
      expect(format.write(parts).equals(await make())).toBe(true);
      const files = withPartEverywhere(parts, extra).map((changed) => fixOffsets(format.write(changed), contentType));
      expect(await expectClean(sampleOf(files, 12), contentType)).toBeGreaterThan(0);
    },
  );

  test('text behind the data of any part is not served', async () => {
    const parts = format.parse(await make());
    // The last part of a VP8 picture extends to the end of its block, so its end cannot be recognized.
    const pictures = contentType === 'video/webm' ? 'a3' : null;
    const files = withTextInEveryPart(parts, TEXT, pictures).map((changed) =>
      fixOffsets(format.write(changed), contentType),
    );
    expect(await expectClean(files, contentType)).toBeGreaterThan(0);
  });

  test('text instead of any bytes of the header is not served', async () => {
    const original = await make();
    const text = Buffer.from('AlpenCam');
    const files = Array.from({ length: headerSize(original) - text.length }, (_, at) => {
      const changed = Buffer.from(original);
      text.copy(changed, at);
      return { at, changed };
    }).filter(({ at }) => !isInParameterSet(original, at, text.length));
    const served = await expectClean(
      sampleOf(files, 25).map(({ changed }) => changed),
      contentType,
    );
    expect(served).toBeGreaterThan(0);
  });
});

const headerSize = (file: Buffer) =>
  Math.max(0, ...['mdat', 'movi'].map((type) => file.indexOf(type))) || file.indexOf(Buffer.from('1f43b675', 'hex'));

/** The parameter sets of H.264 describe the pictures bit by bit. They are copied, because a decoder needs them. */
function isInParameterSet(file: Buffer, at: number, length: number): boolean {
  const start = file.indexOf('avcC');
  return start !== -1 && at + length > start && at < start + 60;
}

/** Corrects the position of the pictures in an MP4 after parts were added. */
function fixOffsets(file: Buffer, contentType: string): Buffer {
  if (contentType !== 'video/mp4' && contentType !== 'video/quicktime') return file;
  const entry = file.indexOf('stco') + 12;
  const picture = file.indexOf(Buffer.of(0x65, 0x88));
  expect(Math.min(entry, picture)).toBeGreaterThan(4);
  file.writeUInt32BE(picture - 4, entry);
  return file;
}

const SEI = 6;
const FILLER = 12;
const UNKNOWN_UNIT = 30;
test.each([
  ['supplemental information (SEI), as drones write it', SEI],
  ['filler', FILLER],
  ['a unit of an unknown type', UNKNOWN_UNIT],
])('H.264: %s is not served', async (_name, type) => {
  const served = await clean(
    await mp4({ units: [Buffer.concat([Buffer.of(type, 5, TEXT.length), TEXT])] }),
    'video/mp4',
  );
  expect(served?.includes('AlpenCam')).toBe(false);
});

test('EXIF and comments in the pictures of a motion JPEG are not served', async () => {
  const picture = await sharp({ create: { width: 64, height: 48, channels: 3, background: '#a8325f' } })
    .withExif({ IFD0: { Make: 'AlpenCam', Artist: 'Somebody' } })
    .jpeg()
    .toBuffer();
  const comment = Buffer.concat([Buffer.of(0xff, 0xfe, 0, TEXT.length + 2), TEXT]);
  const jpeg = Buffer.concat([picture.subarray(0, 2), comment, picture.subarray(2), TEXT]);
  const [riff] = formats.riff.parse(await avi());
  const parts = riff?.parts?.map((part) =>
    part.bytes.toString() === 'movi' && part.parts
      ? { ...part, parts: part.parts.map((frame) => ({ ...frame, bytes: jpeg })) }
      : part,
  );
  const original = formats.riff.write([{ ...(riff as Part), parts: parts ?? [] }]);
  expect(await expectClean([original], 'video/x-msvideo')).toBe(1);
});

test('a text track, as action cameras write it, is not served', async () => {
  const movie = formats.iso.parse(await mp4());
  const moov = movie.find(({ type }) => type === 'moov') as Part;
  const track = moov.parts?.find(({ type }) => type === 'trak') as Part;
  const asText = formats.iso.parse(
    Buffer.from(
      formats.iso.write([track]).toString('latin1').replace('vide', 'text').replace('avc1', 'tx3g'),
      'latin1',
    ),
  );
  // The new track has another number.
  asText[0]?.parts?.find(({ type }) => type === 'tkhd')?.bytes.writeUInt32BE(2, 12);
  const withText = movie.map((part) => {
    if (part === moov) return { ...moov, parts: [...(moov.parts ?? []), ...asText] };
    return part.type === 'mdat' ? { ...part, bytes: Buffer.concat([part.bytes, TEXT]) } : part;
  });
  expect(await expectClean([fixOffsets(formats.iso.write(withText), 'video/mp4')], 'video/mp4')).toBe(1);
});

test.each([
  ['MP4', 'video/mp4', () => mp4({ location: PRIVATE[0] }), 'h264'],
  ['MOV', 'video/quicktime', () => mp4({ location: PRIVATE[0], brand: 'qt  ' }), 'h264'],
  ['AVI', 'video/x-msvideo', () => avi(), 'mjpeg'],
  ['WebM', 'video/webm', () => webm(), 'vp8'],
])('%s keeps its type, pictures and duration', async (_name, contentType, make, codec) => {
  const [from, to] = [path.join(folder, 'from'), path.join(folder, 'to')];
  await writeFile(from, await make());
  const properties = await cleanVideo(from, to, { contentType, max_s });
  expect(properties).toMatchObject({ width: 64, height: 48, codec, duration_s: expect.closeTo(2, 0) });
});

test('a codec that is not known is rejected with a message that says what to do', async () => {
  const unknown = Buffer.from((await avi()).toString('latin1').replaceAll('MJPG', 'CVID'), 'latin1');
  const [from, to] = [path.join(folder, 'from'), path.join(folder, 'to')];
  await writeFile(from, unknown);
  const rejected = await cleanVideo(from, to, { contentType: 'video/x-msvideo', max_s }).catch(
    (error: unknown) => error,
  );
  expect(rejected).toBeInstanceOf(RejectedFile);
  expect(rejected).toMatchObject({ code: 'VIDEO_NOT_SUPPORTED' });
});
