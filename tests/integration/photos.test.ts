import { readdir } from 'node:fs/promises';
import { request } from 'node:http';
import path from 'node:path';
import { media, photoUrl, type ResponseOf } from '@alpenglow/domain';
import { removeMedia } from '@alpenglow/domain/deciders';
import {
  createCommandHandler,
  createDataKeys,
  createPool,
  createPostgresEventStore,
  loadSecrets,
  withPersonalData,
} from '@alpenglow/infra';
import { Client } from 'pg';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { after, validAd, type Person } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { pictures } from '../support/pictures.ts';
import { blobFiles, waitForStockPictures, mediaEventTypes, settledBlobFiles, signedUrl } from '../support/uploads.ts';
import { whenAvailable } from '../support/when-available.ts';
import { testApi, testProduct } from '../support/fixtures.ts';

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

const NOT_AN_IMAGE = 'Please select an image file (JPG, PNG, GIF)';
const IMAGE_DAMAGED = 'This picture is damaged and cannot be opened. Please choose another file';

interface FileToUpload {
  readonly field?: string;
  readonly name?: string;
  readonly type?: string;
  readonly bytes: Buffer;
}

/** Uploads files as a browser does, with any claimed name and type. */
async function upload(files: readonly FileToUpload[], token: string | null = provider.token) {
  const form = new FormData();
  for (const { field = 'photos', name = 'photo.jpg', type = 'image/jpeg', bytes } of files)
    form.append(field, new Blob([new Uint8Array(bytes)], { type }), name);
  return post(form, token === null ? {} : { authorization: `Bearer ${token}` });
}
async function post(body: FormData | string | Uint8Array, headers: Record<string, string>) {
  const response = await fetch(`${product.url}/api/uploads/photos`, {
    method: 'POST',
    body: body as BodyInit,
    headers,
  });
  return {
    status: response.status,
    body: (await response.json()) as ResponseOf<'uploadPhotos'> & { message: string; code: string },
  };
}
const get = (url: string, headers: Record<string, string> = {}, method = 'GET') =>
  whenAvailable(() => fetch(new URL(url, product.url), { headers, method }));
const bytesAt = async (url: string) => Buffer.from(await (await get(url)).arrayBuffer());

/** Returns the types of all events of uploaded files. Leaves out events of stock pictures. */
const mediaEvents = () => mediaEventTypes(database);

describe('POST /uploads/photos accepts multipart files in the field photos and returns their urls (R-7.27)', () => {
  test('returns the address of a ready photo without location data', async () => {
    const original = await pictures.withGps();
    const { status, body } = await upload([{ bytes: original }]);
    expect(status).toBe(201);
    expect(body).toEqual({
      success: true,
      urls: [expect.stringMatching(/^\/uploads\/photos\/[\da-f-]{36}\/1600\.jpg$/u)],
      media: [
        {
          id: expect.any(String),
          url: body.urls[0],
          status: 'ready',
          reason: null,
          hold: null,
          width: 800,
          height: 600,
          blur: expect.stringMatching(/^data:image\/webp/u),
        },
      ],
    });
    const [url = ''] = body.urls;
    for (const name of ['1600.jpg', '640.webp', '320.avif']) {
      const bytes = await bytesAt(await signedUrl(product.url, url.replace('1600.jpg', name), provider.token));
      const metadata = await sharp(bytes).metadata();
      expect(metadata, name).toMatchObject({
        width: name.startsWith('1600') ? 800 : Number.parseInt(name, 10),
      });
      expect(metadata.exif, name).toBeUndefined();
    }
  });

  test('accepts five files and preserves their order', async () => {
    const sizes = [100, 200, 300, 400, 500];
    const { status, body } = await upload(
      await Promise.all(sizes.map(async (size) => ({ bytes: await pictures.jpeg(size, size) }))),
    );
    expect(status).toBe(201);
    expect(body.media.map(({ width }) => width)).toEqual(sizes);
  });
});

describe('a rejected upload of photos', () => {
  let eventsBefore: readonly string[];
  let filesBefore: readonly string[];
  const recordState = async () => {
    eventsBefore = await mediaEvents();
    filesBefore = await settledBlobFiles(product.dataDir);
  };
  const expectNoNewFiles = async () => {
    await eventually(async () => expect(await blobFiles(product.dataDir)).toEqual(filesBefore));
  };
  const expectNoEvent = async () => expect(await mediaEvents()).toEqual(eventsBefore);
  beforeAll(recordState);
  afterEach(async () => {
    await expectNoNewFiles();
    await recordState();
  });

  test('rejects a file that is no image by its first bytes (R-5.14)', async () => {
    expect(await upload([{ bytes: await pictures.text() }])).toMatchObject({
      status: 400,
      body: { success: false, message: NOT_AN_IMAGE },
    });
    await expectNoEvent();
  });

  test('rejects a damaged image by the worker (R-5.14)', async () => {
    expect(await upload([{ bytes: await pictures.truncatedJpeg() }])).toMatchObject({
      status: 400,
      body: { success: false, code: 'IMAGE_DAMAGED', message: IMAGE_DAMAGED },
    });
    expect((await mediaEvents()).slice(eventsBefore.length)).toEqual(['MediaUploaded', 'MediaRejected']);
  });

  test('rejects a valid photo together with a file that is rejected by its first bytes', async () => {
    expect(await upload([{ bytes: await pictures.jpeg() }, { bytes: await pictures.text() }])).toMatchObject({
      status: 400,
      body: { message: NOT_AN_IMAGE },
    });
    await expectNoEvent();
  });

  test('rejects a valid photo together with a file that the worker rejects', async () => {
    expect(await upload([{ bytes: await pictures.jpeg() }, { bytes: await pictures.truncatedJpeg() }])).toMatchObject({
      status: 400,
      body: { message: IMAGE_DAMAGED },
    });
  });

  test('rejects a sixth photo (R-5.16)', async () => {
    const bytes = await pictures.jpeg(50, 50);
    expect(await upload(Array.from({ length: 6 }, () => ({ bytes })))).toMatchObject({
      status: 400,
      body: { code: 'TOO_MANY_PHOTOS', message: 'Maximum 5 photos allowed' },
    });
    await expectNoEvent();
  });

  test('rejects another field name', async () => {
    expect(await upload([{ field: 'photo', bytes: await pictures.jpeg() }])).toMatchObject({
      status: 400,
      body: { code: 'NO_PHOTO', message: NOT_AN_IMAGE },
    });
    await expectNoEvent();
  });

  test('rejects a request without a valid session token (R-5.25)', async () => {
    const bytes = await pictures.jpeg();
    expect(await upload([{ bytes }], null)).toMatchObject({
      status: 401,
      body: { message: 'Authentication required' },
    });
    expect(await upload([{ bytes }], 'x'.repeat(43))).toMatchObject({
      status: 401,
      body: { message: 'Authentication required' },
    });
    await expectNoEvent();
  });

  const part = (rest: string) => `--b\r\n${rest}`;
  test.each([
    ['no body', '', 'multipart/form-data; boundary=b'],
    ['no boundary', 'x', 'multipart/form-data'],
    ['an empty boundary', 'x', 'multipart/form-data; boundary='],
    ['JSON', '{"photos":[]}', 'application/json'],
    ['plain text', 'photos', 'text/plain'],
    ['a form without files', 'photos=1', 'application/x-www-form-urlencoded'],
    ['no part', '--b--\r\n', 'multipart/form-data; boundary=b'],
    [
      'an unfinished part',
      part('Content-Disposition: form-data; name="photos"; filename="a.jpg"\r\n\r\nabc'),
      'multipart/form-data; boundary=b',
    ],
    ['an unfinished part header', part('Content-Disposition: form-da'), 'multipart/form-data; boundary=b'],
    ['a malformed part header', part('\0\0\0: \xff\r\n\r\nabc\r\n--b--\r\n'), 'multipart/form-data; boundary=b'],
    [
      'a photo that is a text field',
      part('Content-Disposition: form-data; name="photos"\r\n\r\nabc\r\n--b--\r\n'),
      'multipart/form-data; boundary=b',
    ],
    [
      'a part without a name',
      part('Content-Disposition: form-data; filename="a.jpg"\r\n\r\nabc\r\n--b--\r\n'),
      'multipart/form-data; boundary=b',
    ],
    [
      'a part without a file name',
      part('Content-Disposition: form-data; name="photos"; filename=""\r\n\r\nabc\r\n--b--\r\n'),
      'multipart/form-data; boundary=b',
    ],
    [
      'a field name that names a prototype',
      part('Content-Disposition: form-data; name="__proto__[x]"\r\n\r\n1\r\n--b--\r\n'),
      'multipart/form-data; boundary=b',
    ],
    [
      'a text field without end',
      part(`Content-Disposition: form-data; name="x"\r\n\r\n${'x'.repeat(100_000)}\r\n--b--\r\n`),
      'multipart/form-data; boundary=b',
    ],
    [
      'a hundred text fields',
      `${part('Content-Disposition: form-data; name="x"\r\n\r\n1\r\n').repeat(100)}--b--\r\n`,
      'multipart/form-data; boundary=b',
    ],
    ['multipart of another kind', part('abc'), 'multipart/mixed; boundary=b'],
  ])('rejects the body: %s', async (_what, body, type) => {
    const { status, body: responseBody } = await post(body, {
      'content-type': type,
      authorization: `Bearer ${provider.token}`,
    });
    expect(status, JSON.stringify(responseBody)).toBeGreaterThanOrEqual(400);
    expect(status, JSON.stringify(responseBody)).toBeLessThan(500);
    expect(responseBody).toMatchObject({ success: false, message: expect.any(String) });
    await expectNoEvent();
  });

  test('removes the files of an interrupted upload', async () => {
    const bytes = await pictures.jpeg(3000, 2000);
    const head = 'Content-Disposition: form-data; name="photos"; filename="a.jpg"\r\nContent-Type: image/jpeg\r\n\r\n';
    const req = request(`${product.url}/api/uploads/photos`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${provider.token}`,
        'content-type': 'multipart/form-data; boundary=b',
        'content-length': String(bytes.length + 10_000),
      },
    });
    req.on('error', () => undefined);
    req.write(part(head));
    req.write(bytes.subarray(0, bytes.length / 2));
    const incoming = path.join(product.dataDir, 'blobs', '~incoming');
    await eventually(async () => expect(await readdir(incoming)).toHaveLength(1));
    req.destroy();
    await eventually(async () => expect(await readdir(incoming)).toEqual([]));
    await expectNoEvent();
  });
});

describe('a picture', () => {
  let url: string;
  beforeAll(async () => {
    const owner = await api.signUp('provider');
    [url = ''] = (await upload([{ bytes: await pictures.jpeg() }], owner.token)).body.urls;
    const { id, position } = await api.postAd(owner.token, { photos: [url] });
    await api.call('GET', `/api/ads/${id}`, { headers: after(position) });
  });

  test('of an ad may be cached briefly, and has a fixed content type', async () => {
    const response = await get(url);
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/jpeg',
      'cache-control': 'public, max-age=60, s-maxage=2, must-revalidate',
      'x-content-type-options': 'nosniff',
      'accept-ranges': 'bytes',
      'content-length': String((await response.arrayBuffer()).byteLength),
    });
  });

  test.each([
    ['1600.jpg', 'image/jpeg'],
    ['640.webp', 'image/webp'],
    ['320.avif', 'image/avif'],
  ])('%s has the content type %s', async (name, type) => {
    const response = await get(url.replace('1600.jpg', name));
    expect(response.headers.get('content-type')).toBe(type);
    await response.arrayBuffer();
  });

  test('is also available below /api', async () => {
    expect(await bytesAt(`/api${url}`)).toEqual(await bytesAt(url));
  });

  test('responds to HEAD without a body', async () => {
    const response = await get(url, {}, 'HEAD');
    expect(response.status).toBe(200);
    expect(Number(response.headers.get('content-length'))).toBe((await bytesAt(url)).length);
  });

  test('responds with 304 if the client has it', async () => {
    const etag = (await get(url, {}, 'HEAD')).headers.get('etag') ?? '';
    // By default, `fetch` of Node requests an uncached response. This header allows the status 304.
    const revalidation = { 'cache-control': 'max-age=0' };
    expect((await get(url, { ...revalidation, 'if-none-match': etag })).status).toBe(304);
    expect((await get(url, { ...revalidation, 'if-none-match': '"other"' })).status).toBe(200);
  });

  test('responds to range requests', async () => {
    const whole = await bytesAt(url);
    const response = await get(url, { range: 'bytes=10-19' });
    expect(response.status).toBe(206);
    expect(response.headers.get('content-range')).toBe(`bytes 10-19/${whole.length}`);
    expect(Buffer.from(await response.arrayBuffer())).toEqual(whole.subarray(10, 20));
    expect(Buffer.from(await (await get(url, { range: 'bytes=-5' })).arrayBuffer())).toEqual(whole.subarray(-5));
    expect((await get(url, { range: `bytes=${whole.length}-` })).status).toBe(416);
    expect((await get(url, { range: 'bytes=x' })).status).toBe(200);
    expect((await get(url, { range: 'bytes=0-9', 'if-range': '"other"' })).status).toBe(200);
  });

  test.each([
    '/uploads/photos/unknown/1600.jpg',
    '/uploads/photos/demo-01/1601.jpg',
    '/uploads/photos/demo-01/original',
    '/uploads/photos/..%2f..%2f/1600.jpg',
    '/uploads/photos/%00/1600.jpg',
    '/uploads/photos/demo-01/1600.JPG',
  ])('%s does not exist', async (unknown) => {
    const response = await get(unknown);
    expect(response.status).toBe(404);
    expect(response.headers.get('cache-control')).toBe('no-store');
  });

  test.each(['/uploads/originals/x', '/originals/x', '/uploads/photos/../originals/x', '/blobs/originals/x'])(
    'no original is served at %s',
    async (guess) => {
      expect((await get(guess)).headers.get('content-type')).not.toMatch(/^image/u);
    },
  );

  test('that is a stock picture is available after a wait', async () => {
    // Stock pictures are created one after another, which may take longer than the limit of a single request.
    await waitForStockPictures(product.url);
    const bytes = await bytesAt('/uploads/photos/demo-12/640.avif');
    expect(await sharp(bytes).metadata()).toMatchObject({ width: 640, height: 800 });
  });
});

test('a removed photo is rejected for an ad, a ready photo is accepted', async () => {
  const ids = (await upload([{ bytes: await pictures.jpeg() }, { bytes: await pictures.jpeg() }])).body.media.map(
    ({ id }) => id,
  );
  const [readyId = '', removedId = ''] = ids;
  const pool = createPool({ connectionString: product.databaseUrl, max: 2, applicationName: 'test' });
  const { dataKeys } = await loadSecrets(product.dataDir);
  const store = withPersonalData(
    createPostgresEventStore({ pool, connectionString: product.databaseUrl }),
    createDataKeys(pool, dataKeys),
  );
  await createCommandHandler(store).execute(
    media,
    removedId,
    removeMedia,
    {},
    {
      actor: { kind: 'system', name: 'test' },
      correlationId: 'test',
    },
  );
  await store.close();
  await pool.end();
  const post = (id: string) =>
    api.call('POST', '/api/ads', { token: provider.token, body: { ...validAd, photos: [photoUrl(id)] } });
  expect(await post(removedId)).toMatchObject({ status: 400, body: { code: 'PHOTO_NOT_YOURS' } });
  expect((await post(readyId)).status).toBe(201);
});

test('the code of a sign-up is in the inbox, without text from the sign-up', async () => {
  const { verificationCode } = (
    await api.call('POST', '/api/auth/signup', {
      body: {
        email: 'inbox@example.com',
        password: 'correct horse',
        userType: 'client',
        displayName: '<script>alert(1)</script>',
        age: 30,
      },
    })
  ).body as { verificationCode: string };
  await eventually(async () => {
    const page = await (await get('/dev/inbox')).text();
    expect(page).toContain(`Your code is ${verificationCode}.`);
    expect(page).not.toMatch(/script|alert/u);
  });
});
