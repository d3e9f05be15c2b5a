import { readdir } from 'node:fs/promises';
import { request } from 'node:http';
import path from 'node:path';
import { media, photoUrl, removeMedia, type UploadAnswer } from '@alpenglow/domain';
import {
  createCommandHandler,
  createDataKeys,
  createPool,
  createPostgresEventStore,
  loadSecrets,
  withPersonalData,
} from '@alpenglow/infra';
import exifr from 'exifr';
import { Client } from 'pg';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { apiClient, validAd, type ApiClient, type Person } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { pictures } from '../support/pictures.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { isFullRun } from '../support/sample.ts';
import { blobFiles, houseIsReady, mediaEventTypes, settledBlobFiles } from '../support/uploads.ts';

let product: TestProduct;
let api: ApiClient;
let provider: Person;
let database: Client;

beforeAll(async () => {
  product = await startTestProduct();
  api = apiClient(product.url);
  provider = await api.signUp('provider');
  database = new Client({ connectionString: product.databaseUrl });
  await database.connect();
});
afterAll(async () => {
  await database.end();
  await product.stop();
});

const NOT_AN_IMAGE = 'Please select an image file (JPG, PNG, GIF)';

interface Sent {
  readonly field?: string;
  readonly name?: string;
  readonly type?: string;
  readonly bytes: Buffer;
}

/** Uploads over the wire, as a browser would, with whatever name and type the sender claims. */
async function upload(files: readonly Sent[], token: string | null = provider.token) {
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
  return { status: response.status, body: (await response.json()) as UploadAnswer & { message: string; code: string } };
}
const get = (url: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(new URL(url, product.url), { headers, method });
const bytesAt = async (url: string) => Buffer.from(await (await get(url)).arrayBuffer());

/** Events of photos that are not the product's own. */
const mediaEvents = () => mediaEventTypes(database);

describe('section 7, POST /uploads/photos: multipart, field photos, one entry per file; answer field urls', () => {
  test('answers where it is, ready to be shown, without the place it was taken at', async () => {
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
          width: 800,
          height: 600,
          blur: expect.stringMatching(/^data:image\/webp/u),
        },
      ],
    });
    const [url = ''] = body.urls;
    for (const name of ['1600.jpg', '640.webp', '320.avif']) {
      const bytes = await bytesAt(url.replace('1600.jpg', name));
      expect(await sharp(bytes).metadata(), name).toMatchObject({
        width: name.startsWith('1600') ? 800 : Number.parseInt(name, 10),
      });
      expect(await exifr.gps(bytes).catch(() => undefined), name).toBeUndefined();
    }
  });

  test('takes five at once, in order', async () => {
    const sizes = [100, 200, 300, 400, 500];
    const { status, body } = await upload(
      await Promise.all(sizes.map(async (size) => ({ bytes: await pictures.jpeg(size, size) }))),
    );
    expect(status).toBe(201);
    expect(body.media.map(({ width }) => width)).toEqual(sizes);
  });

  test.each([
    ['a PNG called .txt', 'png', { name: 'notes.txt', type: 'text/plain' }],
    ['a GIF', 'animatedGif', {}],
    ['a JPEG with a script behind it', 'polyglot', { name: 'x.html', type: 'text/html' }],
  ] as const)('goes by the bytes: %s is taken', async (_what, kind, claims) => {
    expect((await upload([{ bytes: await pictures[kind](), ...claims }])).status).toBe(201);
  });
});

describe('an upload that is refused leaves nothing behind', () => {
  let eventsBefore: readonly string[];
  let filesBefore: readonly string[];
  const remember = async () => {
    eventsBefore = await mediaEvents();
    filesBefore = await settledBlobFiles(product.dataDir);
  };
  const nothingKept = async () => {
    await eventually(async () => expect(await blobFiles(product.dataDir)).toEqual(filesBefore));
  };
  const noEvent = async () => expect(await mediaEvents()).toEqual(eventsBefore);
  beforeAll(remember);
  afterEach(async () => {
    await nothingKept();
    await remember();
  });

  test.each([
    ['an SVG with a script', 'svg', { name: 'x.svg', type: 'image/svg+xml' }],
    ['an SVG called .jpg', 'svg', {}],
    ['text called .jpg', 'text', {}],
    ['HTML called .jpg', 'html', {}],
    ['a PDF', 'pdf', { name: 'x.pdf', type: 'application/pdf' }],
    ['an empty file', 'empty', {}],
  ] as const)("section 5, 'Must be an image', by its first bytes: %s", async (_what, kind, claims) => {
    expect(await upload([{ bytes: await pictures[kind](), ...claims }])).toMatchObject({
      status: 400,
      body: { success: false, message: NOT_AN_IMAGE },
    });
    await noEvent();
  });

  test.each(['bomb', 'truncatedJpeg', 'pngInName'] as const)(
    "section 5, 'Must be an image', by the worker: %s",
    async (kind) => {
      expect(await upload([{ bytes: await pictures[kind]() }])).toMatchObject({
        status: 400,
        body: { success: false, code: 'NOT_AN_IMAGE', message: NOT_AN_IMAGE },
      });
      expect((await mediaEvents()).slice(eventsBefore.length)).toEqual(['MediaUploaded', 'MediaRejected']);
    },
  );

  test('a good photo beside one that is refused by its first bytes', async () => {
    expect(await upload([{ bytes: await pictures.jpeg() }, { bytes: await pictures.text() }])).toMatchObject({
      status: 400,
      body: { message: NOT_AN_IMAGE },
    });
    await noEvent();
  });

  test('a good photo beside one the worker rejects', async () => {
    expect(await upload([{ bytes: await pictures.jpeg() }, { bytes: await pictures.truncatedJpeg() }])).toMatchObject({
      status: 400,
      body: { message: NOT_AN_IMAGE },
    });
  });

  test("section 5, 'At most 5 photos': a sixth", async () => {
    const bytes = await pictures.jpeg(50, 50);
    expect(await upload(Array.from({ length: 6 }, () => ({ bytes })))).toMatchObject({
      status: 400,
      body: { code: 'TOO_MANY_PHOTOS', message: 'Maximum 5 photos allowed' },
    });
    await noEvent();
  });

  if (isFullRun)
    test("section 5, 'At most 100 MB': one byte more", async () => {
      const bytes = Buffer.concat([await pictures.jpeg(), Buffer.alloc(100 * 1024 * 1024)]);
      expect(await upload([{ bytes }])).toMatchObject({
        status: 413,
        body: { code: 'IMAGE_TOO_LARGE', message: 'Image file size must be less than 100MB' },
      });
      await noEvent();
    });

  test('another field name', async () => {
    expect(await upload([{ field: 'photo', bytes: await pictures.jpeg() }])).toMatchObject({
      status: 400,
      body: { code: 'NO_PHOTO', message: NOT_AN_IMAGE },
    });
    await noEvent();
  });

  test("section 5, 'A stored session token is required': none, or a wrong one", async () => {
    const bytes = await pictures.jpeg();
    expect(await upload([{ bytes }], null)).toMatchObject({
      status: 401,
      body: { message: 'Authentication required' },
    });
    expect(await upload([{ bytes }], 'x'.repeat(43))).toMatchObject({
      status: 401,
      body: { message: 'Authentication required' },
    });
    await noEvent();
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
      'a field name that reaches for a prototype',
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
  ])('%s', async (_what, body, type) => {
    const { status, body: answer } = await post(body, {
      'content-type': type,
      authorization: `Bearer ${provider.token}`,
    });
    expect(status, JSON.stringify(answer)).toBeGreaterThanOrEqual(400);
    expect(status, JSON.stringify(answer)).toBeLessThan(500);
    expect(answer).toMatchObject({ success: false, message: expect.any(String) });
    await noEvent();
  });

  test('an upload broken off in the middle', async () => {
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
    await noEvent();
  });
});

describe('a picture', () => {
  let url: string;
  beforeAll(async () => {
    [url = ''] = (await upload([{ bytes: await pictures.jpeg() }])).body.urls;
  });

  test('may be kept for ever, and nobody guesses what it is', async () => {
    const response = await get(url);
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/jpeg',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      'accept-ranges': 'bytes',
      'content-length': String((await response.arrayBuffer()).byteLength),
    });
  });

  test.each([
    ['1600.jpg', 'image/jpeg'],
    ['640.webp', 'image/webp'],
    ['320.avif', 'image/avif'],
  ])('%s is %s', async (name, type) => {
    const response = await get(url.replace('1600.jpg', name));
    expect(response.headers.get('content-type')).toBe(type);
    await response.arrayBuffer();
  });

  test('is there below /api too', async () => {
    expect(await bytesAt(`/api${url}`)).toEqual(await bytesAt(url));
  });

  test('answers HEAD without a body', async () => {
    const response = await get(url, {}, 'HEAD');
    expect(response.status).toBe(200);
    expect(Number(response.headers.get('content-length'))).toBe((await bytesAt(url)).length);
  });

  test('is not sent twice', async () => {
    const etag = (await get(url, {}, 'HEAD')).headers.get('etag') ?? '';
    // Said outright, because fetch would ask past all caches otherwise.
    const asking = { 'cache-control': 'max-age=0' };
    expect((await get(url, { ...asking, 'if-none-match': etag })).status).toBe(304);
    expect((await get(url, { ...asking, 'if-none-match': '"other"' })).status).toBe(200);
  });

  test('comes in parts', async () => {
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
  ])('%s is not there', async (unknown) => {
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

  test('of the house is there, having been waited for', async () => {
    // They are made one after the other: no single request waits that long on a busy machine.
    await houseIsReady(product.url);
    const bytes = await bytesAt('/uploads/photos/demo-12/640.avif');
    expect(await sharp(bytes).metadata()).toMatchObject({ width: 640, height: 800 });
  });
});

test('a photo that was removed is no photo for an ad; one that can be shown is', async () => {
  const ids = (await upload([{ bytes: await pictures.jpeg() }, { bytes: await pictures.jpeg() }])).body.media.map(
    ({ id }) => id,
  );
  const [kept = '', removed = ''] = ids;
  const pool = createPool({ connectionString: product.databaseUrl, max: 2, applicationName: 'test' });
  const { dataKeys } = await loadSecrets(product.dataDir);
  const store = withPersonalData(
    createPostgresEventStore({ pool, connectionString: product.databaseUrl }),
    createDataKeys(pool, dataKeys),
  );
  await createCommandHandler(store).handle(media, removed, removeMedia, {
    actor: { kind: 'system', name: 'test' },
    correlationId: 'test',
  });
  await store.close();
  await pool.end();
  const post = (id: string) =>
    api.call('POST', '/api/ads', { token: provider.token, body: { ...validAd, photos: [photoUrl(id)] } });
  expect(await post(removed)).toMatchObject({ status: 400, body: { code: 'PHOTO_NOT_YOURS' } });
  expect((await post(kept)).status).toBe(201);
});

test('the code of a sign-up is in the inbox, and no word of whoever signed up', async () => {
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
    expect(page).toContain(`your code is ${verificationCode}.`);
    expect(page).not.toMatch(/script|alert/u);
  });
});
