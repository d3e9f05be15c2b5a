import sharp from 'sharp';
import { errorMessage, PHOTO_VARIANT_NAMES, type ResponseOf } from '@alpenglow/domain';
import { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { apiClient, type Person } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { pictures, pngChunk } from '../support/pictures.ts';
import { sampleOf } from '../support/sample.ts';
import {
  blobFiles,
  waitForStockPictures,
  settledBlobFiles,
  signedUrl,
  upload,
  type UploadKind,
  type UploadFile,
} from '../support/uploads.ts';
import { avi, mp4 } from '../support/videos.ts';
import { whenAvailable } from '../support/when-available.ts';
import { testProduct } from '../support/fixtures.ts';

/**
 * Tests uploads of untypical and malicious files. A valid picture is encoded again, which removes all other
 * content. A rejected file leaves no files in the store.
 */

const NOT_AN_IMAGE = 'Please select an image file (JPG, PNG, GIF)';
const IMAGE_DAMAGED = 'This picture is damaged and cannot be opened. Please choose another file';
const TOO_MANY_PIXELS = errorMessage('TOO_MANY_PIXELS');
const NOT_A_VIDEO = 'Please select a video file (MP4, MOV, AVI)';
const VIDEO_DAMAGED = 'This video is damaged and cannot be played. Please choose another file';
const SCRIPT = '<script>alert(document.domain)</script>';
const MAX_bytes = 100 * 1024 * 1024;

const product = testProduct();
let person: Person;
let database: Client;
let filesBefore: readonly string[];
beforeAll(async () => {
  person = await apiClient(product.url).signUp('provider');
  database = new Client({ connectionString: product.databaseUrl });
  await database.connect();
  await waitForStockPictures(product.url);
});
afterAll(async () => {
  await database.end();
});
beforeEach(async () => {
  filesBefore = await settledBlobFiles(product.dataDir);
});

const sendFile = (kind: UploadKind, file: UploadFile) => upload(product.url, kind, [file], person.token);
const load = async (url: string) => {
  const signed = await signedUrl(product.url, url, person.token);
  return whenAvailable(() => fetch(`${product.url}${signed}`));
};
const bytesAt = async (url: string) => Buffer.from(await (await load(url)).arrayBuffer());
const expectNoNewFiles = () => eventually(async () => expect(await blobFiles(product.dataDir)).toEqual(filesBefore));
/** Returns the number of uploaded photos and videos that were neither rejected nor removed. */
const countMedia = async () =>
  (
    await database.query(
      `select stream
         from es.events
        where stream like 'media-%' and stream not like 'media-demo-%'
        group by stream having not bool_or(type in ('MediaRejected', 'MediaRemoved'))`,
    )
  ).rowCount;

/**
 * Creates a ZIP archive with one file. The archive stays readable after other data, because programs read it
 * from its end.
 */
function zip(): Buffer {
  const name = Buffer.from('index.html');
  const content = Buffer.from(SCRIPT);
  const sizes = Buffer.alloc(12);
  sizes.writeUInt32LE(content.length, 4);
  sizes.writeUInt32LE(content.length, 8);
  const nameLength = Buffer.from([name.length, 0, 0, 0]);
  const local = Buffer.concat([Buffer.from('504b030414000000000000000000', 'hex'), sizes, nameLength, name, content]);
  const central = Buffer.concat([
    Buffer.from('504b01021400140000000000000000 00'.replaceAll(' ', ''), 'hex'),
    sizes,
    nameLength,
    Buffer.alloc(14),
    name,
  ]);
  const end = Buffer.from('504b0506000000000100010000000000000000000000', 'hex');
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(local.length, 16);
  return Buffer.concat([local, central, end]);
}

/** Creates a GIF followed by a script, so that the file is also valid JavaScript. */
async function gifAndScript(): Promise<Buffer> {
  const gif = await pictures.animatedGif();
  return Buffer.concat([gif, Buffer.from(`*/=1;alert(document.domain)//${SCRIPT}`)]);
}

/** Creates a valid PNG with an HTML page in a text chunk. */
async function pngAndPage(): Promise<Buffer> {
  const png = await pictures.png();
  const chunk = pngChunk('tEXt', Buffer.from(`Comment\0<html><body>${SCRIPT}</body></html>`));
  const afterHeader = 8 + 25;
  return Buffer.concat([
    png.subarray(0, afterHeader),
    chunk,
    png.subarray(afterHeader),
    Buffer.from(`<html>${SCRIPT}`),
  ]);
}

const FRAGMENTS = ['<script', '<html', '<svg', 'PK\u0003\u0004', 'alert(', 'AlpenCam', 'Somebody', 'secret-source'];

describe('a picture is encoded again without any other content', () => {
  const ENCODED_AGAIN: readonly (readonly [
    string,
    () => Promise<Buffer>,
    Partial<UploadFile>,
    Readonly<Record<string, unknown>>,
  ])[] = [
    [
      'a JPEG that is also a ZIP',
      async () => Buffer.concat([await pictures.jpeg(), zip()]),
      { name: 'photo.zip', type: 'application/zip' },
      { width: 800, height: 600 },
    ],
    [
      'a JPEG of exactly 100 MB',
      async () => Buffer.concat([await pictures.jpeg(), Buffer.alloc(MAX_bytes)]).subarray(0, MAX_bytes),
      {},
      { width: 800, height: 600 },
    ],
    [
      'a GIF that is also a script',
      gifAndScript,
      { name: 'photo.js', type: 'text/javascript' },
      { width: 200, height: 100 },
    ],
    ['a PNG that is also a page', pngAndPage, { name: 'photo.html', type: 'text/html' }, { width: 800, height: 600 }],
    [
      'a JPEG with a script behind it',
      () => pictures.polyglot(),
      { name: 'photo.svg', type: 'image/svg+xml' },
      { width: 800, height: 600 },
    ],
    ['a PNG called .jpg', () => pictures.png(), {}, { width: 800, height: 600 }],
    [
      'a JPEG called .exe',
      () => pictures.jpeg(),
      { name: 'setup.exe', type: 'application/x-msdownload' },
      { width: 800, height: 600 },
    ],
    [
      'a JPEG with a path for a name',
      () => pictures.jpeg(),
      { name: '../../../etc/passwd' },
      { width: 800, height: 600 },
    ],
    [
      'an animated GIF, by its first frame',
      () => pictures.animatedGif(),
      { name: 'a.gif', type: 'image/gif' },
      { width: 200, height: 100 },
    ],
    ['a CMYK JPEG', () => pictures.cmyk(), {}, { width: 800, height: 600 }],
    ['a rotated JPEG', () => pictures.onItsSide(), {}, { width: 600, height: 800 }],
    ['a JPEG with location data', () => pictures.withGps(), {}, { width: 800, height: 600 }],
    ['a picture of one pixel', () => pictures.onePixel(), {}, { width: 1, height: 1 }],
  ];
  test.each(sampleOf(ENCODED_AGAIN, 4))('accepts %s', async (_what, make, claims, size) => {
    const { status, body } = await sendFile('photos', { bytes: await make(), ...claims });
    expect(status, JSON.stringify(body)).toBe(201);
    const [photo] = (body as unknown as ResponseOf<'uploadPhotos'>).media;
    expect(photo).toMatchObject({ status: 'ready', ...size });
    for (const name of PHOTO_VARIANT_NAMES) {
      const served = await bytesAt(`/uploads/photos/${photo?.id ?? ''}/${name}`);
      const { exif, xmp, iptc, icc, orientation, pages, space } = await sharp(served).metadata();
      expect({ exif, xmp, iptc, icc, orientation, space, isAnimated: (pages ?? 1) > 1 }, name).toEqual({
        space: 'srgb',
        isAnimated: false,
      });
      for (const fragment of FRAGMENTS) expect(served.includes(fragment), `${fragment} in ${name}`).toBe(false);
    }
  });
});

describe('a rejected upload leaves no files', () => {
  const half = (bytes: Buffer) => bytes.subarray(0, bytes.length / 2);
  const zeros = (bytes: Buffer) => Buffer.concat([Buffer.alloc(512), bytes.subarray(512)]);
  const overLimit = (bytes: Buffer) => Buffer.concat([bytes, Buffer.alloc(MAX_bytes + 1 - bytes.length)]);
  const REJECTED: readonly (readonly [
    string,
    UploadKind,
    () => Promise<Buffer>,
    Partial<UploadFile>,
    number,
    string,
  ])[] = [
    ['a JPEG whose beginning is zeros', 'photos', async () => zeros(await pictures.jpeg()), {}, 400, IMAGE_DAMAGED],
    ['zeros called .jpg', 'photos', () => Promise.resolve(Buffer.alloc(9_000)), {}, 400, IMAGE_DAMAGED],
    ['half of a JPEG', 'photos', () => pictures.truncatedJpeg(), {}, 400, IMAGE_DAMAGED],
    ['half of a PNG', 'photos', async () => half(await pictures.png()), {}, 400, IMAGE_DAMAGED],
    ['half of a WebP', 'photos', async () => half(await pictures.webp()), {}, 400, IMAGE_DAMAGED],
    ['half of an AVIF', 'photos', async () => half(await pictures.avif()), {}, 400, IMAGE_DAMAGED],
    [
      'the first 100 bytes of a JPEG',
      'photos',
      async () => (await pictures.jpeg()).subarray(0, 100),
      {},
      400,
      IMAGE_DAMAGED,
    ],
    [
      'an SVG with a script',
      'photos',
      () => pictures.svg(),
      { name: 'a.svg', type: 'image/svg+xml' },
      400,
      NOT_AN_IMAGE,
    ],
    ['an SVG called .png', 'photos', () => pictures.svg(), { name: 'a.png', type: 'image/png' }, 400, NOT_AN_IMAGE],
    ['a page called .jpg', 'photos', () => pictures.html(), {}, 400, NOT_AN_IMAGE],
    ['a ZIP called .jpg', 'photos', async () => zip(), {}, 400, NOT_AN_IMAGE],
    ['a PDF called .jpg', 'photos', () => pictures.pdf(), {}, 400, NOT_AN_IMAGE],
    ['a video called .jpg', 'photos', () => mp4(), {}, 400, NOT_AN_IMAGE],
    ['the head of a PNG, then nonsense', 'photos', () => pictures.pngInName(), {}, 400, IMAGE_DAMAGED],
    [
      'a PNG of 20,000 × 20,000 px in a few bytes',
      'photos',
      () => pictures.bomb(),
      { name: 'a.png', type: 'image/png' },
      400,
      TOO_MANY_PIXELS,
    ],
    ['zero bytes', 'photos', () => pictures.empty(), {}, 400, NOT_AN_IMAGE],
    [
      'a JPEG of 100 MB and one byte',
      'photos',
      async () => overLimit(await pictures.jpeg()),
      {},
      413,
      'Image file size must be less than 100MB',
    ],
    ['half of an MP4', 'video', async () => half(await mp4({ seconds: 10 })), {}, 400, VIDEO_DAMAGED],
    ['an MP4 that is also a ZIP', 'video', async () => Buffer.concat([await mp4(), zip()]), {}, 400, VIDEO_DAMAGED],
    ['a photo called .mp4', 'video', () => pictures.jpeg(), {}, 400, NOT_A_VIDEO],
    ['an animated GIF called .mp4', 'video', () => pictures.animatedGif(), {}, 400, NOT_A_VIDEO],
    ['an SVG with a script called .mp4', 'video', () => pictures.svg(), {}, 400, NOT_A_VIDEO],
    [
      'an MP4 of 100 MB and one byte',
      'video',
      async () => overLimit(await mp4()),
      {},
      413,
      'Video file size must be less than 100MB',
    ],
    [
      'a playlist with an external file',
      'video',
      async () => Buffer.from('#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n'),
      { name: 'a.mp4' },
      400,
      NOT_A_VIDEO,
    ],
    ['a video whose beginning is zeros', 'video', async () => zeros(await mp4()), {}, 400, VIDEO_DAMAGED],
    ['zero bytes of video', 'video', () => pictures.empty(), {}, 400, NOT_A_VIDEO],
  ];
  test.each(sampleOf(REJECTED, 6))('rejects %s', async (_what, kind, make, claims, status, message) => {
    const before = await countMedia();
    expect(await sendFile(kind, { bytes: await make(), ...claims })).toMatchObject({
      status,
      body: { success: false, error: message, message },
    });
    await expectNoNewFiles();
    expect(await countMedia()).toBe(before);
  });
});

/** Returns an AVI with `content` in a chunk that players ignore. */
async function aviWithJunk(content: Buffer): Promise<Buffer> {
  const head = Buffer.from('JUNK\0\0\0\0', 'latin1');
  head.writeUInt32LE(content.length, 4);
  const file = Buffer.concat([await avi(), head, content, Buffer.alloc(content.length % 2)]);
  file.writeUInt32LE(file.length - 8, 4);
  return file;
}

describe('a video is served only as a video, without the other content of its file', () => {
  const PAGE = Buffer.from(`<html>${SCRIPT}`);

  test.each<readonly [string, () => Promise<Buffer>, Partial<UploadFile>, string]>([
    ['an MP4 called .html', () => mp4(), { name: 'a.html', type: 'text/html' }, 'video/mp4'],
    ['an AVI with a page in an unused chunk', () => aviWithJunk(PAGE), { name: 'a.mp4' }, 'video/x-msvideo'],
  ])('accepts %s', async (_what, make, claims, contentType) => {
    const { status, body } = await sendFile('video', { bytes: await make(), ...claims });
    expect(status, JSON.stringify(body)).toBe(201);
    const response = await load((body as unknown as ResponseOf<'uploadVideo'>).url);
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': contentType,
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringMatching(/^sandbox;/u),
    });
    const served = Buffer.from(await response.arrayBuffer());
    expect(served.length).toBeGreaterThan(0);
    for (const text of ['<html', '<script', 'alert(']) expect(served.includes(text), text).toBe(false);
  });

  test('rejects an AVI with a page behind it, called .mp4', async () => {
    const before = await countMedia();
    const bytes = Buffer.concat([await avi(), PAGE]);
    expect(await sendFile('video', { bytes, name: 'a.mp4' })).toMatchObject({
      status: 400,
      body: { success: false, code: 'VIDEO_DAMAGED', error: VIDEO_DAMAGED, message: VIDEO_DAMAGED },
    });
    await expectNoNewFiles();
    expect(await countMedia()).toBe(before);
  });
});
