import { beforeAll, describe, expect, test } from 'vitest';
import { apiClient, validAd, type ApiResponse, type Person } from '../support/api.ts';
import { pictures } from '../support/pictures.ts';
import { sendRaw } from '../support/raw-http.ts';
import { upload } from '../support/uploads.ts';
import { mp4 } from '../support/videos.ts';
import { createTestPool } from '../support/database.ts';
import { testApi, testProduct } from '../support/fixtures.ts';

const product = testProduct();
const api = testApi(product);
let provider: Person;
beforeAll(async () => {
  provider = await api.signUp('provider');
});

const createBody = (size: number) => JSON.stringify({ ...validAd, description: 'x'.repeat(size) });

describe('a request body', () => {
  test.each([
    ['of more than 64 kB', createBody(70_000), 'application/json', 413, 'BODY_TOO_LARGE'],
    ['that is no JSON', '{', 'application/json', 400, 'INVALID_JSON'],
    ['that is a list', '[]', 'application/json', 400, 'INVALID_JSON'],
    ['that is a text', '"x"', 'application/json', 400, 'INVALID_JSON'],
    ['nested 30,000 deep', `${'['.repeat(30_000)}${']'.repeat(30_000)}`, 'application/json', 400, 'INVALID_JSON'],
    [
      'with a field nested 30,000 deep',
      `{"title":${'['.repeat(30_000)}${']'.repeat(30_000)}}`,
      'application/json',
      400,
      null,
    ],
    ['of a form', 'title=x', 'application/x-www-form-urlencoded', 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['of text', '{}', 'text/plain', 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['of no type', 'x', '', 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['in an unknown charset', '{}', 'application/json; charset=klingon', 415, 'UNSUPPORTED_MEDIA_TYPE'],
  ])('%s is rejected', async (_, body, contentType, status, code) => {
    for (const [path, headers] of [
      ['/api/ads', {}],
      ['/api/ads', { 'idempotency-key': 'limits' }],
      ['/api/auth/login', {}],
    ] as const) {
      const response = await api.call('POST', path, {
        token: provider.token,
        body,
        headers: { ...headers, 'content-type': contentType },
      });
      expect(response).toMatchObject({ status, body: { success: false, ...(code !== null && { code }), status } });
      expect(response.headers.get('content-type')).toContain('application/problem+json');
    }
  });

  test('in an unknown encoding is rejected', async () => {
    const response = await api.call('POST', '/api/ads', {
      token: provider.token,
      body: '{}',
      headers: { 'content-type': 'application/json', 'content-encoding': 'zip' },
    });
    expect(response).toMatchObject({ status: 415, body: { code: 'UNSUPPORTED_MEDIA_TYPE' } });
  });

  test('may have a charset', async () => {
    const { token } = await api.signUp('provider');
    expect(
      (
        await api.call('POST', '/api/ads', {
          token,
          body: JSON.stringify(validAd),
          headers: { 'content-type': 'application/json; charset=UTF-8' },
        })
      ).status,
    ).toBe(201);
  });

  test('has no effect through __proto__ and constructor', async () => {
    const { token } = await api.signUp('provider');
    const body =
      '{"__proto__":{"isAdmin":true,"polluted":1},"constructor":{"prototype":{"polluted":1}},' +
      JSON.stringify(validAd).slice(1);
    expect(
      (await api.call('POST', '/api/ads', { token, body, headers: { 'content-type': 'application/json' } })).status,
    ).toBe(201);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect((await api.call('POST', '/api/auth/verify', { token })).body).toMatchObject({ user: { isAdmin: false } });
  });
});

test('a query with __proto__ or repeated names has no effect on other requests', async () => {
  for (const query of [
    '__proto__=x',
    '__proto__[x]=1',
    'constructor=1',
    'state=NV&state=CA',
    'limit[]=1',
    'limit[$gt]=1',
  ]) {
    expect((await api.call('GET', `/api/ads?${query}`)).status).toBeLessThan(500);
  }
  expect((await api.call('GET', '/api/ads')).status).toBe(200);
});

describe('a request that is too large or ambiguous ends the connection', () => {
  test('with a URL of 20 kB', async () => {
    expect(await sendRaw(product.url, `GET /api/ads?q=${'x'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`)).toMatch(
      /^HTTP\/1\.1 431 /u,
    );
  });
  test('with headers of 20 kB', async () => {
    expect(
      await sendRaw(
        product.url,
        'GET /api/ads HTTP/1.1\r\nHost: x\r\n' +
          `${Array.from({ length: 20 }, (_, n) => `X-${n}: ${'x'.repeat(1_000)}\r\n`).join('')}\r\n`,
      ),
    ).toMatch(/^HTTP\/1\.1 431 /u);
  });
  test('with two lengths, or with a length and chunks', async () => {
    expect(
      await sendRaw(
        product.url,
        'POST /api/ads HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}',
      ),
    ).toMatch(/^HTTP\/1\.1 400 /u);
    expect(
      await sendRaw(
        product.url,
        'POST /api/ads HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}',
      ),
    ).toMatch(/^HTTP\/1\.1 400 /u);
  });
});

describe('a failed request responds with its documented message (R-8.26)', () => {
  // The read models never reach the write of the session, so each read waits for the whole limit.
  const broken = testProduct({ waitPosition_ms: 100 });
  let client: Person;
  beforeAll(async () => {
    client = await apiClient(broken.url).signUp('client');
    const pool = createTestPool(broken.databaseUrl);
    await pool.query('alter schema rm rename to rm_gone; alter table es.events rename to events_gone');
    await pool.end();
  });

  const credentials = {
    email: 'someone@example.com',
    password: 'correct horse',
    displayName: 'Some',
    age: 30,
    code: '123456',
  };
  const expectFailed = (response: ApiResponse, message: string) => {
    expect([500, 503]).toContain(response.status);
    expect(response.headers.get('content-type')).toContain('application/problem+json');
    expect(response.body).toMatchObject({
      success: false,
      message,
      status: response.status,
      title: expect.any(String) as string,
    });
    expect(response.body['error']).not.toBe(message);
    expect(JSON.stringify(response.body)).not.toMatch(/rm_gone|events|schema|relation/u);
  };

  test.each([
    ['Login', 'POST', '/auth/login', 'Login failed', credentials],
    ['Signup failure', 'POST', '/auth/signup', 'Signup failed', credentials],
    ['Token check fails', 'POST', '/auth/verify', 'Token verification failed', undefined],
    ['Verification', 'POST', '/auth/verify-email', 'Verification failed', credentials],
    ['Resend', 'POST', '/auth/resend-verification', 'Failed to resend verification code', credentials],
    ['Ads', 'GET', '/ads', 'Failed to load ads', undefined],
    ['Ads', 'GET', '/ads/counts', 'Failed to load ads', undefined],
    ['Ads', 'GET', '/ads/featured', 'Failed to load ads', undefined],
    ['Ads', 'GET', '/ads/location/NV/Reno', 'Failed to load ads', undefined],
    ['Ads', 'GET', '/ads/a1', 'Error loading ads', undefined],
    ['Ads', 'GET', '/ads/user', 'Failed to load user ads', undefined],
    ['Ads', 'POST', '/ads', 'Failed to create ad', validAd],
    ['Ads', 'PUT', '/ads/a1', 'Failed to update ad', { title: 'Other' }],
    ['Ads', 'DELETE', '/ads/a1', 'Failed to delete ad', undefined],
    ['Ads', 'POST', '/ads/a1/bump', 'Error bumping ad', undefined],
    ['Favorites', 'POST', '/favorites', 'Error adding to favorites', { adId: 'a1' }],
    ['Sync', 'GET', '/sync/status', 'Error getting sync status', undefined],
    ['Sync', 'POST', '/sync/force', 'Error forcing sync', undefined],
  ])('%s: %s %s responds with %j', async (_row, method, path, message, body) => {
    expectFailed(
      await apiClient(broken.url).call(method, `/api${path}`, { token: client.token, ...(body && { body }) }),
      message,
    );
  });
  test.each([
    ['Photo upload', 'photos', 'Photo upload failed', () => pictures.jpeg(50, 50)],
    ['Video upload', 'video', 'Video upload failed', () => mp4({ seconds: 1 })],
  ] as const)('%s: POST /uploads/%s responds with "%s: {message}"', async (_row, kind, message, file) => {
    const response = await upload(broken.url, kind, [{ bytes: await file() }], client.token);
    expectFailed(response, `${message}: ${String(response.body['error'])}`);
  });
});
