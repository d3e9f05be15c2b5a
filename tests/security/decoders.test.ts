import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import sharp from 'sharp';
import { describe, expect, onTestFinished, test } from 'vitest';
import { checkBoxes } from '../../infra/decoder/check-boxes.mjs';
import type { Person } from '../support/api.ts';
import { pictures, pngWithHeader } from '../support/pictures.ts';
import { upload } from '../support/uploads.ts';
import { box, mp4 } from '../support/videos.ts';
import { testApi, testProduct } from '../support/fixtures.ts';

/** Small files can make a decoder of pictures use much time or memory. */

const product = testProduct();
const api = testApi(product);

async function requestIdentityCheck(bytes: Buffer): Promise<{ status: number; code: unknown }> {
  const { token } = await api.signUp('provider');
  const form = new FormData();
  form.append('files', new Blob([new Uint8Array(bytes)], { type: 'image/jpeg' }), 'passport.jpg');
  const response = await fetch(`${product.url}/api/account/identity`, {
    method: 'POST',
    body: form,
    headers: { authorization: `Bearer ${token}` },
  });
  return { status: response.status, code: ((await response.json()) as { code?: unknown }).code };
}
async function uploadPhoto(bytes: Buffer): Promise<{ status: number; code: unknown }> {
  const owner: Person = await api.signUp('provider');
  const { status, body } = await upload(product.url, 'photos', [{ bytes }], owner.token);
  return { status, code: body['code'] };
}
const SENDERS = [
  ['a photo', uploadPhoto],
  ['a picture of an identity document', requestIdentityCheck],
] as const;

/** An SVG of a few hundred bytes whose filters take seconds to draw. */
const SLOW_SVG = Buffer.from(
  [
    '<svg xmlns="http://www.w3.org/2000/svg" width="4000" height="4000">',
    '<filter id="f"><feTurbulence baseFrequency="0.9" numOctaves="9"/><feGaussianBlur stdDeviation="90"/></filter>',
    '<rect width="4000" height="4000" filter="url(#f)"/></svg>',
  ].join(''),
);

describe.each(SENDERS)('%s', (_name, send) => {
  test.each([
    ['an SVG', () => Promise.resolve(SLOW_SVG)],
    ['an SVG after a line break', () => Promise.resolve(Buffer.concat([Buffer.from('\n'), SLOW_SVG]))],
    ['a TIFF', () => sharp(SMALL).tiff().toBuffer()],
    ['a PDF', () => pictures.pdf()],
    ['text', () => pictures.text()],
  ])('cannot be %s', async (_format, make) => {
    expect(await send(await make())).toEqual({ status: 400, code: 'NOT_AN_IMAGE' });
  });

  test.each([
    ['100 megapixels with 16 bits, interlaced', { size_px: 10_000, bits: 16, isInterlaced: true }],
    ['100 megapixels', { size_px: 10_000, bits: 8, isInterlaced: false }],
    ['36 megapixels with 16 bits', { size_px: 6_000, bits: 16, isInterlaced: true }],
  ])('is rejected by its header, before it is decoded: %s', async (_size, header) => {
    expect(await send(pngWithHeader(header))).toEqual({ status: 400, code: 'TOO_MANY_PIXELS' });
  });

  test.each([
    ['a JPEG with 200 scans', () => pictures.manyScans(200)],
    ['a WebP with 2,001 frames', () => pictures.manyFrames(2_001)],
    ['a GIF with 2,001 frames', () => pictures.manyGifFrames(2_001)],
  ])('is rejected before it is decoded, because it takes minutes: %s', async (_format, make) => {
    expect(await send(await make())).toEqual({ status: 400, code: 'FILE_NOT_READABLE' });
  });
});

const SMALL = { create: { width: 8, height: 8, channels: 3, background: '#123456' } } as const;

test('a photo of a phone with 50 megapixels is accepted', async () => {
  const photo = await sharp({ create: { ...SMALL.create, width: 8_160, height: 6_120 } })
    .jpeg()
    .toBuffer();
  expect(await uploadPhoto(photo)).toMatchObject({ status: 201 });
});

test.each([
  [
    'a JPEG with ten scans',
    () =>
      sharp({ create: { ...SMALL.create, width: 800 } })
        .jpeg({ progressive: true })
        .toBuffer(),
  ],
  ['a JPEG with the bytes of 300 scans in its metadata and behind its end', () => pictures.hiddenScans(300)],
  ['a WebP with 300 frames', () => pictures.manyFrames(300)],
  ['a GIF with 300 frames', () => pictures.manyGifFrames(300)],
])('%s is accepted', async (_format, make) => {
  expect(await uploadPhoto(await make())).toMatchObject({ status: 201 });
});

describe('the tables of a video', () => {
  const MANY = 0xff_ff_ff_ff;
  const numbers = (...values: readonly number[]) => {
    const bytes = Buffer.alloc(4 * values.length);
    values.forEach((value, index) => bytes.writeUInt32BE(value, index * 4));
    return bytes;
  };
  async function check(content: Buffer): Promise<unknown> {
    const folder = await mkdtemp(path.join(tmpdir(), 'alpenglow-boxes-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    await writeFile(path.join(folder, 'video'), content);
    return checkBoxes(path.join(folder, 'video')).catch((error: unknown) => error);
  }

  test.each([
    ['durations', box('stts', numbers(0, 1, MANY, 0))],
    ['offsets in time', box('ctts', numbers(0, 1, MANY, 0))],
    ['many offsets in time', box('ctts', numbers(0, 2, 150_000, 0, 150_000, 0))],
    ['sizes', box('stsz', numbers(0, 0, MANY))],
    ['sizes of zero bits', box('stz2', numbers(0, 0, MANY))],
    ['chunks', box('stsc', numbers(0, 2, 1, 1, 1, MANY, 1, 1))],
    ['positions', box('stco', numbers(0, MANY))],
    ['long positions', Buffer.concat([numbers(1), Buffer.from('co64'), numbers(0, 24, 0, MANY)])],
    ['samples of a fragment', box('traf', box('trun', numbers(0, MANY)))],
    ['samples in an unexpected place', box('free', box('trak', box('ctts', numbers(0, 1, MANY, 0))))],
  ])('may not declare millions of entries: %s', async (_what, table) => {
    for (const type of ['moov', 'moof'])
      expect(await check(box(type, table))).toMatchObject({ code: 'VIDEO_TOO_LONG' });
  });

  test('are also checked in an index of fragments that is inside of another box', async () => {
    const index = box('mfra', box('tfra', numbers(0, 1, 0, MANY)), numbers(0));
    index.writeUInt32BE(index.length, index.length - 4);
    expect(await check(box('mdat', Buffer.alloc(100), index))).toMatchObject({ code: 'VIDEO_TOO_LONG' });
  });

  test('may have as many entries as twenty seconds of uncompressed sound need', async () => {
    const sound = box('trak', box('stts', numbers(0, 1, 3_840_000, 1)), box('stsz', numbers(0, 4, 3_840_000)));
    expect(await check(box('moov', sound, box('trak', box('ctts', numbers(0, 1, 4_800, 0)))))).toBeInstanceOf(Buffer);
  });

  test('of an upload are checked before the video is read', async () => {
    const video = await mp4();
    video.writeUInt32BE(MANY, video.indexOf('stts') + 12);
    const { token } = await api.signUp('provider');
    const { status, body } = await upload(product.url, 'video', [{ bytes: video }], token);
    expect({ status, code: body['code'] }).toEqual({ status: 400, code: 'VIDEO_TOO_LONG' });
  });
});
