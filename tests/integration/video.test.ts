import { request } from 'node:http';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { AdView, ResponseOf } from '@alpenglow/domain';
import { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { probeVideo } from '../../infra/decoder/probe-video.mjs';
import { after, validAd, type Person } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { pictures } from '../support/pictures.ts';
import {
  blobFiles,
  waitForStockPictures,
  mediaEventTypes,
  settledBlobFiles,
  signedUrl,
  upload,
  type UploadFile,
  type UploadResult,
} from '../support/uploads.ts';
import { avi, mp4, audioOnlyMp4, packetText, trimmedMp4, webm } from '../support/videos.ts';
import { whenAvailable } from '../support/when-available.ts';
import { testApi, testProduct } from '../support/fixtures.ts';

/** Tests the rules about uploads, as far as the server implements them. */

const NOT_A_VIDEO = 'Please select a video file (MP4, MOV, AVI)';

const product = testProduct();
const api = testApi(product);
let provider: Person;
let database: Client;
beforeAll(async () => {
  provider = await api.signUp('provider');
  database = new Client({ connectionString: product.databaseUrl });
  await database.connect();
});
afterAll(async () => {
  await database.end();
});

const sendFiles = (files: readonly UploadFile[], token: string | null = provider.token) =>
  upload(product.url, 'video', files, token);
const expectUploaded = ({ status, body }: UploadResult) => {
  expect(status, JSON.stringify(body)).toBe(201);
  return body as unknown as ResponseOf<'uploadVideo'>;
};
const get = (url: string, headers: Record<string, string> = {}, method = 'GET') =>
  whenAvailable(() => fetch(new URL(url, product.url), { headers, method }));
/** Measures a served video with ffprobe. */
const probeBytes = async (bytes: Buffer, contentType: string) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'served-video-'));
  try {
    const file = path.join(folder, 'video');
    await writeFile(file, bytes);
    return await probeVideo(file, contentType);
  } finally {
    await rm(folder, { recursive: true });
  }
};
const mediaEvents = () => mediaEventTypes(database);

describe('POST /uploads/video accepts one multipart file in the field video and returns its url (R-7.28)', () => {
  test.each([
    ['MP4', 'video/mp4', () => mp4({ seconds: 3, rotation: 90 }), { width: 48, height: 64 }, 'h264'],
    ['MOV', 'video/quicktime', () => mp4({ seconds: 3, brand: 'qt  ' }), { width: 64, height: 48 }, 'h264'],
    [
      'MP4 with a brand of 3GP',
      'video/mp4',
      () => mp4({ seconds: 3, brand: '3gp4' }),
      { width: 64, height: 48 },
      'h264',
    ],
    [
      'MP4 with a brand of 3GPP2',
      'video/mp4',
      () => mp4({ seconds: 3, brand: '3g2a' }),
      { width: 64, height: 48 },
      'h264',
    ],
    ['AVI', 'video/x-msvideo', () => avi({ seconds: 3 }), { width: 64, height: 48 }, 'mjpeg'],
    ['WebM', 'video/webm', () => webm({ seconds: 3 }), { width: 64, height: 48 }, 'vp8'],
  ])(
    'returns an address for a video of type %s, where it can be played',
    async (_name, contentType, make, size, codec) => {
      const bytes = await make();
      const { success, url, media } = expectUploaded(
        await sendFiles([{ bytes, name: 'x.bin', type: 'application/octet-stream' }]),
      );
      expect(success).toBe(true);
      expect(url).toMatch(/^\/uploads\/video\/[\da-f-]{36}$/u);
      expect(media).toEqual({
        id: url.split('/').at(-1),
        url,
        status: 'ready',
        reason: null,
        hold: null,
        ...size,
        duration: expect.closeTo(3, 0),
        contentType,
        shortenedBy: 0,
      });
      const played = await get(await signedUrl(product.url, url, provider.token));
      expect(played.headers.get('content-type')).toBe(contentType);
      const served = Buffer.from(await played.arrayBuffer());
      expect(served.equals(bytes), 'the file is written again').toBe(false);
      expect(await probeBytes(served, contentType)).toEqual({ ...size, codec, duration_s: expect.closeTo(3, 0) });
    },
  );

  test('an ad contains its uploaded video', async () => {
    const { url, media } = expectUploaded(await sendFiles([{ bytes: await mp4() }]));
    const posted = await api.call('POST', '/api/ads', { token: provider.token, body: { ...validAd, video: url } });
    expect(posted.status, JSON.stringify(posted.body)).toBe(201);
    const { id } = posted.body['ad'] as { id: string };
    const ad = await api.call('GET', `/api/ads/${id}`, {
      headers: after(posted),
    });
    expect(ad.body['data'] as AdView).toMatchObject({ video: url, videoMedia: media });
  });

  test('serves nothing that was cut away from a video, and its owner reads the missing time (R-5.24)', async () => {
    const owner = await api.signUp('provider');
    const bytes = trimmedMp4({
      seconds: 15,
      fps: 10,
      keyEvery: 40,
      pictures: [{ edits: [{ from_s: 5, seconds: 10 }] }],
    });
    const { url, media } = expectUploaded(await sendFiles([{ bytes }], owner.token));
    expect(media).toMatchObject({ status: 'ready', duration: expect.closeTo(7, 1), shortenedBy: 3 });
    const served = Buffer.from(await (await get(await signedUrl(product.url, url, owner.token))).arrayBuffer());
    expect(served.includes(packetText('picture', 80))).toBe(true);
    expect(served.includes(packetText('picture', 49))).toBe(false);
    const { id, position } = await api.postAd(owner.token, { video: url });
    const headers = after(position);
    const readBy = async (token?: string) =>
      ((await api.call('GET', `/api/ads/${id}`, { headers, ...(token && { token }) })).body['data'] as AdView)
        .videoMedia;
    expect(await readBy(owner.token)).toMatchObject({ shortenedBy: 3 });
    expect(await readBy()).toMatchObject({ shortenedBy: 0 });
  });

  test('rejects a trimmed video whose hidden part cannot be removed, with a message that says what to do', async () => {
    const bytes = trimmedMp4({ seconds: 6, fps: 10, pictures: [{ edits: [{ from_s: 2, seconds: 3 }] }] });
    expect(await sendFiles([{ bytes }])).toMatchObject({
      status: 400,
      body: { code: 'VIDEO_TRIMMED', message: expect.stringMatching(/save it as a new video/u) },
    });
  });

  test('removes the location from a video', async () => {
    const place = '+46.5700+007.9800/';
    const { url } = expectUploaded(await sendFiles([{ bytes: await mp4({ location: place }) }]));
    const served = await get(await signedUrl(product.url, url, provider.token));
    expect(served.status).toBe(200);
    expect(Buffer.from(await served.arrayBuffer()).includes(place)).toBe(false);
  });
});

describe('a rejected upload of a video', () => {
  let filesBefore: readonly string[];
  let eventsBefore: readonly string[];
  beforeAll(() => waitForStockPictures(product.url));
  beforeEach(async () => {
    filesBefore = await settledBlobFiles(product.dataDir);
    eventsBefore = await mediaEvents();
  });
  const expectNoNewFiles = () => eventually(async () => expect(await blobFiles(product.dataDir)).toEqual(filesBefore));
  const newEvents = async () => (await mediaEvents()).slice(eventsBefore.length);

  test.each([
    ['HTML', () => pictures.html()],
    ['a PDF', () => pictures.pdf()],
    ['text', () => pictures.text()],
  ])('rejects a file that is no video by its first bytes (R-5.20): %s called .mp4', async (_name, make) => {
    expect(await sendFiles([{ bytes: await make() }])).toMatchObject({
      status: 400,
      body: { success: false, error: NOT_A_VIDEO, message: NOT_A_VIDEO },
    });
    await expectNoNewFiles();
    expect(await newEvents()).toEqual([]);
  });

  test('rejects a file with only sound by the worker (R-5.20)', async () => {
    expect(await sendFiles([{ bytes: await audioOnlyMp4() }])).toMatchObject({
      status: 400,
      body: { code: 'NOT_A_VIDEO', message: NOT_A_VIDEO },
    });
    await expectNoNewFiles();
    expect(await newEvents()).toEqual(['MediaUploaded', 'MediaRejected']);
  });

  test('rejects a second file (R-5.22)', async () => {
    const bytes = await mp4();
    expect(await sendFiles([{ bytes }, { bytes }])).toMatchObject({ status: 400, body: { code: 'ONE_VIDEO_ONLY' } });
    await expectNoNewFiles();
    expect(await newEvents()).toEqual([]);
  });

  test('rejects a video of more than 20 seconds (R-5.23)', async () => {
    expect(await sendFiles([{ bytes: await mp4({ seconds: 21, fps: 2 }) }])).toMatchObject({
      status: 400,
      body: { code: 'VIDEO_TOO_LONG', message: 'Video must be at most 20 seconds' },
    });
    await expectNoNewFiles();
    expect(await newEvents()).toEqual(['MediaUploaded', 'MediaRejected']);
  });

  test('rejects a request without a valid session token (R-5.25)', async () => {
    const bytes = await mp4();
    expect(await sendFiles([{ bytes }], null)).toMatchObject({
      status: 401,
      body: { message: 'Authentication required' },
    });
    expect(await sendFiles([{ bytes }], 'x'.repeat(43))).toMatchObject({
      status: 401,
      body: { message: 'Authentication required' },
    });
    expect(await newEvents()).toEqual([]);
  });

  test('rejects a form without a file, a form with another field, and a body that is no form', async () => {
    expect(await sendFiles([])).toMatchObject({ status: 400, body: { message: expect.any(String) } });
    expect(await sendFiles([{ bytes: await mp4(), field: 'photos' }])).toMatchObject({
      status: 400,
      body: { code: 'NO_VIDEO', message: NOT_A_VIDEO },
    });
    expect(await api.call('POST', '/api/uploads/video', { token: provider.token, body: { video: '' } })).toMatchObject({
      status: 400,
      body: { code: 'NO_VIDEO' },
    });
    expect(await newEvents()).toEqual([]);
  });

  test('removes the files of an interrupted upload', async () => {
    const bytes = await mp4({ padding_bytes: 200_000 });
    const req = request(`${product.url}/api/uploads/video`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${provider.token}`,
        'content-type': 'multipart/form-data; boundary=b',
        'content-length': String(bytes.length + 10_000),
      },
    });
    req.on('error', () => undefined);
    req.write('--b\r\nContent-Disposition: form-data; name="video"; filename="a.mp4"\r\n\r\n');
    req.write(bytes.subarray(0, bytes.length / 2));
    const incoming = path.join(product.dataDir, 'blobs', '~incoming');
    await eventually(async () => expect(await readdir(incoming)).toHaveLength(1));
    req.destroy();
    await eventually(async () => expect(await readdir(incoming)).toEqual([]));
    await expectNoNewFiles();
    expect(await newEvents()).toEqual([]);
  });
});

test('rejects a third parallel upload of an account, counting photos and videos (R-5.26)', async () => {
  const halves = [
    ['photos', await pictures.jpeg()],
    ['video', await mp4({ padding_bytes: 200_000 })],
  ] as const;
  const runningUploads = halves.map(([kind, bytes]) => {
    const req = request(`${product.url}/api/uploads/${kind}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${provider.token}`, 'content-type': 'multipart/form-data; boundary=b' },
    });
    req.on('error', () => undefined);
    req.write(`--b\r\nContent-Disposition: form-data; name="${kind}"; filename="a"\r\n\r\n`);
    req.write(bytes.subarray(0, bytes.length / 2));
    return req;
  });
  await eventually(async () => expect(await readdir(path.join(product.dataDir, 'blobs', '~incoming'))).toHaveLength(2));
  const rejected = await sendFiles([{ bytes: await mp4() }]);
  expect(rejected).toMatchObject({ status: 503, body: { code: 'UPLOADS_BUSY', error: expect.any(String) } });
  expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThan(0);
  for (const req of runningUploads) req.destroy();
  await eventually(async () => expect((await sendFiles([{ bytes: await mp4() }])).status).toBe(201));
});

describe('an uploaded video', () => {
  let url: string;
  /** The served file, which differs from the uploaded one. */
  let whole: Buffer;
  beforeAll(async () => {
    const bytes = await mp4();
    const owner = await api.signUp('provider');
    ({ url } = expectUploaded(await sendFiles([{ bytes }], owner.token)));
    const { id, position } = await api.postAd(owner.token, { video: url });
    await api.call('GET', `/api/ads/${id}`, { headers: after(position) });
    const response = await get(url);
    expect(response.status).toBe(200);
    whole = Buffer.from(await response.arrayBuffer());
    expect(whole.equals(bytes)).toBe(false);
    expect(await probeBytes(whole, 'video/mp4')).toMatchObject({ width: 64, height: 48, codec: 'h264' });
  });

  test('of an ad may be cached briefly, and is served only as a video', async () => {
    const response = await get(url);
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'video/mp4',
      'content-length': String(whole.length),
      'cache-control': 'public, max-age=60, s-maxage=2, must-revalidate',
      'x-content-type-options': 'nosniff',
      'accept-ranges': 'bytes',
      'content-disposition': 'inline',
      'content-security-policy': expect.stringMatching(/^sandbox;/u),
    });
  });

  test('is also available below /api, and responds to HEAD without a body', async () => {
    expect(Buffer.from(await (await get(`/api${url}`)).arrayBuffer()).equals(whole)).toBe(true);
    const head = await get(url, {}, 'HEAD');
    expect(head.status).toBe(200);
    expect(head.headers.get('content-length')).toBe(String(whole.length));
  });

  test('supports range requests for playback', async () => {
    const ranged = await get(url, { range: 'bytes=10-19' });
    expect(ranged.status).toBe(206);
    expect(ranged.headers.get('content-range')).toBe(`bytes 10-19/${whole.length}`);
    expect(ranged.headers.get('content-length')).toBe('10');
    expect(Buffer.from(await ranged.arrayBuffer()).equals(whole.subarray(10, 20))).toBe(true);
    const open = await get(url, { range: 'bytes=0-' });
    expect(open.status).toBe(206);
    expect(open.headers.get('content-range')).toBe(`bytes 0-${whole.length - 1}/${whole.length}`);
    expect(Buffer.from(await (await get(url, { range: 'bytes=-5' })).arrayBuffer()).equals(whole.subarray(-5))).toBe(
      true,
    );
    const longerThanItIs = await get(url, { range: `bytes=-${whole.length + 1}` });
    expect(longerThanItIs.status).toBe(206);
    expect(longerThanItIs.headers.get('content-range')).toBe(`bytes 0-${whole.length - 1}/${whole.length}`);
    expect(Buffer.from(await longerThanItIs.arrayBuffer()).equals(whole)).toBe(true);
    const beyond = await get(url, { range: `bytes=${whole.length}-` });
    expect(beyond.status).toBe(416);
    expect(beyond.headers.get('content-range')).toBe(`bytes */${whole.length}`);
  });

  test('supports range requests only for the same version', async () => {
    const etag = (await get(url, {}, 'HEAD')).headers.get('etag') ?? '';
    expect((await get(url, { range: 'bytes=0-9', 'if-range': etag })).status).toBe(206);
    expect((await get(url, { range: 'bytes=0-9', 'if-range': '"other"' })).status).toBe(200);
    expect((await get(url, { 'cache-control': 'max-age=0', 'if-none-match': etag })).status).toBe(304);
  });

  test.each([
    '/uploads/video/unknown',
    '/uploads/video/demo-01',
    '/uploads/video/..%2foriginals',
    '/uploads/video/%00',
    '/uploads/videos/x',
    '/uploads/originals/x',
  ])('%s does not exist', async (unknown) => {
    const response = await get(unknown, { accept: 'application/json' });
    expect(response.headers.get('content-type')).not.toMatch(/^video/u);
    if (unknown.startsWith('/uploads/video/')) expect(response.status).toBe(404);
  });

  test('does not exist as a photo', async () => {
    const id = url.split('/').at(-1) ?? '';
    expect((await get(`/uploads/photos/${id}/1600.jpg`)).status).toBe(404);
  });
});
