import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { MAX_PARTIAL_UPLOADS, partialUploadKeys, type BlobStore, type ResponseOf } from '@alpenglow/domain';
import { createFileBlobStore } from '@alpenglow/infra';
import { Upload } from 'tus-js-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPartialUploads } from '../../command-api/src/uploads/partial-uploads.ts';
import type { Person } from '../support/api.ts';
import { blobFiles, signedUrl } from '../support/uploads.ts';
import { pictures } from '../support/pictures.ts';
import { mp4 } from '../support/videos.ts';
import { testApi, testProduct } from '../support/fixtures.ts';

/** Resumable uploads with the tus protocol, with the client that browsers use. */
const MB = 1024 * 1024;
const TUS = { 'tus-resumable': '1.0.0' };
const BYTES = { ...TUS, 'content-type': 'application/offset+octet-stream' };

const product = testProduct();
const api = testApi(product);
let owner: Person;
let other: Person;
let film: Buffer;
beforeAll(async () => {
  [owner, other] = await Promise.all([api.signUp('provider'), api.signUp('provider')]);
  film = await mp4({ seconds: 2, padding_bytes: 3 * MB });
});

const storedParts = async () => (await blobFiles(product.dataDir)).filter((file) => file.includes('/partial/'));
const pathOf = (id: string) => `/api/uploads/resumable/${id}`;

async function begin(size: number, kind: 'photos' | 'video' = 'video', { token } = owner): Promise<string> {
  const { status, headers } = await api.call('POST', `/api/uploads/resumable/${kind}`, {
    token,
    headers: { ...TUS, 'upload-length': String(size) },
  });
  expect(status).toBe(201);
  expect(Date.parse(headers.get('upload-expires') ?? '')).toBeGreaterThan(Date.now() + 23 * 3_600_000);
  const location = headers.get('location') ?? '';
  expect(location).toMatch(/^\/api\/uploads\/resumable\/[\da-f-]{36}$/u);
  return location.split('/').at(-1) ?? '';
}

async function append(id: string, offset: number, bytes: Buffer, { token } = owner) {
  const response = await fetch(product.url + pathOf(id), {
    method: 'PATCH',
    headers: { ...BYTES, authorization: `Bearer ${token}`, 'upload-offset': String(offset) },
    body: new Uint8Array(bytes),
  });
  return { status: response.status, offset: Number(response.headers.get('upload-offset') ?? Number.NaN) };
}

async function offsetOf(id: string, { token } = owner): Promise<number | null> {
  const { status, headers } = await api.call('HEAD', pathOf(id), { token, headers: TUS });
  expect(headers.get('cache-control') ?? 'no-store').toBe('no-store');
  return status === 200 ? Number(headers.get('upload-offset')) : null;
}

const finish = (id: string, { token } = owner) => api.call('POST', `${pathOf(id)}/finish`, { token });

/** Sends the rest of a file with the library that the browser uses. */
function sendWithLibrary(bytes: Buffer, uploadUrl: string): Promise<string | null> {
  return new Promise((resolve, reject) => {
    const upload: Upload = new Upload(bytes, {
      uploadUrl,
      headers: { Authorization: `Bearer ${owner.token}` },
      retryDelays: null,
      storeFingerprintForResuming: false,
      onSuccess: () => resolve(upload.url),
      onError: reject,
    });
    upload.start();
  });
}

/** Sends bytes of an upload from offset 0. Then the connection is lost. */
async function loseConnection(id: string, bytes: Buffer): Promise<void> {
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      controller.enqueue(new Uint8Array(bytes));
      await expect.poll(() => storedParts()).not.toEqual([expect.stringContaining('/info/')]);
      controller.error(new Error('lost'));
    },
  });
  const headers = { ...BYTES, authorization: `Bearer ${owner.token}`, 'upload-offset': '0' };
  const sending = fetch(product.url + pathOf(id), { method: 'PATCH', headers, body, duplex: 'half' } as RequestInit);
  await expect(sending).rejects.toThrow();
}

describe('the tus protocol', () => {
  test('OPTIONS returns the version, the extensions and the largest size', async () => {
    const response = await fetch(`${product.url}/api/uploads/resumable/video`, { method: 'OPTIONS' });
    expect([response.status, await response.text()]).toEqual([204, '']);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'tus-resumable': '1.0.0',
      'tus-version': '1.0.0',
      'tus-extension': 'creation,termination,expiration',
      'tus-max-size': String(100 * MB),
    });
    for (const path of ['/api/uploads/photos', '/api/ads'])
      expect((await fetch(product.url + path, { method: 'OPTIONS' })).status).toBe(405);
  });

  test.each([{ 'tus-resumable': '0.2.2' }, {}])('another version is rejected: %o', async (version) => {
    const id = await begin(film.length);
    const requests = [
      ['POST', '/api/uploads/resumable/video'],
      ['HEAD', pathOf(id)],
      ['PATCH', pathOf(id)],
      ['DELETE', pathOf(id)],
    ] as const;
    for (const [method, path] of requests) {
      const headers = {
        'content-type': 'application/offset+octet-stream',
        authorization: `Bearer ${owner.token}`,
        'upload-length': '9',
        'upload-offset': '0',
        ...version,
      };
      const response = await fetch(product.url + path, { method, headers });
      expect([method, response.status, response.headers.get('tus-version')]).toEqual([method, 412, '1.0.0']);
    }
    expect(await offsetOf(id)).toBe(0);
    expect((await api.call('DELETE', pathOf(id), { token: owner.token, headers: TUS })).status).toBe(204);
  });

  test('POST can replace PATCH and DELETE, but only for these uploads', async () => {
    const id = await begin(film.length);
    const post = (
      path: string,
      override: string,
      headers: Record<string, string> = {},
      body?: Uint8Array<ArrayBuffer>,
    ) =>
      fetch(product.url + path, {
        method: 'POST',
        headers: { ...TUS, authorization: `Bearer ${owner.token}`, 'x-http-method-override': override, ...headers },
        body: body ?? null,
      });
    const bytes = new Uint8Array(film.subarray(0, 1_000));
    expect((await post(pathOf(id), 'PATCH', { ...BYTES, 'upload-offset': '0' }, bytes)).status).toBe(204);
    expect(await offsetOf(id)).toBe(1_000);
    expect((await post(`${pathOf(id)}/finish`, 'DELETE')).status).toBe(400);
    expect((await post(pathOf(id), 'DELETE')).status).toBe(204);
    expect(await offsetOf(id)).toBeNull();
    const { id: adId } = await api.postAd(owner.token);
    expect((await post(`/api/ads/${adId}`, 'DELETE')).status).toBe(405);
  });
});

describe('a resumable upload', () => {
  test('continues after a lost connection, and its video is checked like any other', async () => {
    const id = await begin(film.length);
    await loseConnection(id, film.subarray(0, MB));
    const stored = (await offsetOf(id)) ?? 0;
    expect(stored).toBeGreaterThan(0);
    expect(stored).toBeLessThanOrEqual(MB);
    expect((await finish(id)).body['code']).toBe('UPLOAD_BROKEN_OFF');

    const url = product.url + pathOf(id);
    expect(await sendWithLibrary(film, url)).toBe(url);
    const { status, body } = await finish(id);
    expect(status, JSON.stringify(body)).toBe(201);
    const { url: videoUrl, media } = body as unknown as ResponseOf<'uploadVideo'>;
    expect([videoUrl, media.status]).toEqual([`/uploads/video/${id}`, 'ready']);
    const played = await fetch(product.url + (await signedUrl(product.url, videoUrl, owner.token)));
    expect(played.status).toBe(200);
    expect(await storedParts()).toEqual([]);

    const repeated = await finish(id);
    expect([repeated.status, repeated.body], 'a repeated request changes nothing').toEqual([201, body]);
    expect(await offsetOf(id), 'a finished upload is no upload anymore').toBeNull();
  });

  test('can be a photo, in several requests of any size', async () => {
    const photo = await pictures.jpeg(400, 300);
    const id = await begin(photo.length, 'photos');
    expect(await append(id, 0, photo.subarray(0, 500))).toEqual({ status: 204, offset: 500 });
    expect((await append(id, 0, photo)).status, 'another offset than the server has').toBe(409);
    expect((await append(id, 500, Buffer.concat([photo, photo]))).status, 'more than the size').toBe(413);
    expect(await append(id, 500, photo.subarray(500))).toEqual({ status: 204, offset: photo.length });
    const { status, body } = await finish(id);
    expect(status, JSON.stringify(body)).toBe(201);
    expect((body as unknown as ResponseOf<'uploadPhotos'>).media).toMatchObject([{ id, status: 'ready', width: 400 }]);
  });

  test('is rejected like an upload in one request if its bytes are no video, and is removed', async () => {
    const bytes = await pictures.jpeg(40, 30);
    const id = await begin(bytes.length);
    await append(id, 0, bytes);
    expect((await finish(id)).body['code']).toBe('NOT_A_VIDEO');
    expect(await storedParts()).toEqual([]);
    expect((await finish(id)).status).toBe(404);

    const long = await mp4({ seconds: 25 });
    const longId = await begin(long.length);
    await append(longId, 0, long);
    expect((await finish(longId)).body['code']).toBe('VIDEO_TOO_LONG');
    expect((await finish(longId)).body['code'], 'the rejection is final').toBe('VIDEO_TOO_LONG');
  });

  test('has a limited size, and needs the protocol', async () => {
    const create = (headers: Record<string, string>) =>
      api.call('POST', '/api/uploads/resumable/video', { token: owner.token, headers });
    expect((await create({ ...TUS, 'upload-length': String(100 * MB + 1) })).body['code']).toBe('VIDEO_TOO_LARGE');
    expect((await create({ ...TUS, 'upload-length': 'much' })).status).toBe(400);
    expect((await create({ 'upload-length': '5' })).status).toBe(412);
    const id = await begin(5);
    expect((await append(id, 0, Buffer.alloc(6))).status).toBe(413);
    expect(await api.call('DELETE', pathOf(id), { token: owner.token, headers: TUS })).toMatchObject({ status: 204 });
    expect(await offsetOf(id)).toBeNull();
  });

  test('belongs to its account', async () => {
    const id = await begin(film.length);
    await append(id, 0, film.subarray(0, MB));
    expect(await offsetOf(id, other)).toBeNull();
    expect((await append(id, MB, film.subarray(MB), other)).status).toBe(404);
    expect((await finish(id, other)).status).toBe(404);
    const { status } = await api.call('DELETE', pathOf(id), { token: other.token, headers: TUS });
    expect(status).toBe(404);
    expect(await offsetOf(id)).toBe(MB);
    await append(id, MB, film.subarray(MB));
    await finish(id);
    expect((await finish(id, other)).status, 'also when it is finished').toBe(404);
  });

  test('replaces the oldest if the account has too many', async () => {
    const ids: string[] = [];
    for (let count = 0; count <= MAX_PARTIAL_UPLOADS; count += 1) ids.push(await begin(100 + count));
    expect(await Promise.all(ids.map((id) => offsetOf(id)))).toEqual([null, ...ids.slice(1).map(() => 0)]);
    for (const id of ids.slice(1)) await api.call('DELETE', pathOf(id), { token: owner.token, headers: TUS });
    expect(await storedParts()).toEqual([]);
  });

  test('is finished once by requests that arrive at the same time', async () => {
    const id = await begin(film.length);
    await append(id, 0, film);
    const responses = await Promise.all([finish(id), finish(id)]);
    for (const { status, body } of responses) {
      expect(status, JSON.stringify(body)).toBe(201);
      expect(body['url']).toBe(`/uploads/video/${id}`);
    }
  });
});

describe('the store of incomplete uploads', () => {
  let folder: string;
  let blobs: BlobStore;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'alpenglow-partial-'));
    blobs = await createFileBlobStore({ root: folder });
  });
  afterAll(() => rm(folder, { recursive: true }));
  const accountId = 'a1';
  const file = Buffer.from(Array.from({ length: 700_000 }, (_, index) => (index * 7) % 251));
  const newUpload = async () => {
    const uploadId = randomUUID();
    const [one, two] = [createPartialUploads(blobs, accountId), createPartialUploads(blobs, accountId)];
    await one.create({ uploadId, kind: 'video', sizeBytes: file.length, createdAt_ms: Date.now() });
    return { uploadId, one, two };
  };
  const contentOf = async (uploads: ReturnType<typeof createPartialUploads>, uploadId: string) => {
    const upload = await uploads.find(uploadId);
    if (!upload) throw new Error('The upload does not exist');
    return Buffer.concat(await Readable.from(uploads.read(upload)).toArray());
  };

  test('has the complete blocks of a request that fails, in every process', async () => {
    const { uploadId, one, two } = await newUpload();
    const body = new PassThrough();
    const appending = one.append(uploadId, 0, body);
    body.write(file.subarray(0, 300_000));
    await expect.poll(async () => (await two.find(uploadId))?.offset).toBe(262_144);
    body.destroy(new Error('The connection was lost'));
    await expect(appending).rejects.toThrow('lost');
    expect(await two.append(uploadId, 262_144, Readable.from([file.subarray(262_144)]))).toBe(file.length);
    expect((await contentOf(one, uploadId)).equals(file)).toBe(true);
  });

  test('stays correct if two processes receive the same bytes at the same time', async () => {
    const { uploadId, one, two } = await newUpload();
    const chunks = (size: number) =>
      Readable.from(
        Array.from({ length: Math.ceil(file.length / size) }, (_, index) =>
          file.subarray(index * size, (index + 1) * size),
        ),
      );
    await Promise.all([one.append(uploadId, 0, chunks(1_000)), two.append(uploadId, 0, chunks(70_001))]);
    expect(await one.find(uploadId)).toMatchObject({ offset: file.length, sizeBytes: file.length });
    expect((await contentOf(two, uploadId)).equals(file)).toBe(true);
  });

  test('rejects an upload with too many small requests', async () => {
    const { uploadId, one } = await newUpload();
    for (let offset = 0; offset < 1_000; offset += 1)
      await blobs.put(partialUploadKeys.block(accountId, uploadId, offset), file.subarray(offset, offset + 1));
    await expect(one.append(uploadId, 1_000, Readable.from([file.subarray(1_000)]))).rejects.toMatchObject({
      name: 'TooManyBlocks',
    });
  });
});
