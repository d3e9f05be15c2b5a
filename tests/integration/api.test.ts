import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiClient, type ApiClient } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';

let product: TestProduct;
let api: ApiClient;

beforeAll(async () => {
  product = await startTestProduct();
  api = apiClient(product.url);
});
afterAll(() => product.stop());

const error = (code: string, message: string) => ({
  success: false,
  code,
  message,
  error: message,
  requestId: expect.any(String) as string,
});

describe('GET /ads', () => {
  test('pages by cursor, newest bump first, without repeats or gaps', async () => {
    const posted: string[] = [];
    for (let n = 0; n < 5; n += 1)
      posted.unshift((await api.postAd((await api.signUp('provider')).token, { city: 'Reno' })).id);
    const head = await api.postAd((await api.signUp('provider')).token, { city: 'Elko' });
    const seen: string[] = [];
    let cursor = '';
    do {
      const page = await api.call('GET', `/api/ads?city=Reno&limit=2${cursor}`, {
        headers: { 'x-wait-position': head.position },
      });
      expect(page.body).toMatchObject({ success: true, total: 5 });
      seen.push(...(page.body['data'] as { id: string }[]).map(({ id }) => id));
      cursor = typeof page.body['nextCursor'] === 'string' ? `&cursor=${page.body['nextCursor']}` : '';
    } while (cursor !== '');
    expect(seen).toEqual(posted);
  });
  test.each([
    'limit=0',
    'limit=101',
    'limit=x',
    'limit=-1',
    'category=other',
    'state=ZZ',
    'city=Atlantis',
    'cursor=nonsense',
    'sort=price2',
    `q=${'x'.repeat(101)}`,
    'state=NV&state=CA',
    'q=%00',
    'q=a&q=b',
  ])('refuses ?%s', async (query) => {
    expect(await api.call('GET', `/api/ads?${query}`)).toMatchObject({
      status: 400,
      body: { success: false, code: 'INVALID_FIELDS' },
    });
  });
  test('answers 304 to its own ETag until something changes', async () => {
    const first = await api.call('GET', '/api/ads?city=Sparks');
    const etag = first.headers.get('etag') ?? '';
    expect((await api.call('GET', '/api/ads?city=Sparks', { headers: { 'if-none-match': etag } })).status).toBe(304);
    const { position } = await api.postAd((await api.signUp('provider')).token, { city: 'Sparks' });
    expect(
      (
        await api.call('GET', '/api/ads?city=Sparks', {
          headers: { 'if-none-match': etag, 'x-wait-position': position },
        })
      ).status,
    ).toBe(200);
  });
  test('finds % and _ as what they are', async () => {
    expect((await api.call('GET', '/api/ads?q=%25')).body).toMatchObject({ data: [] });
  });
});

describe('bad requests', () => {
  test.each([
    ['broken JSON', '{"a":', { 'content-type': 'application/json' }, 400, 'INVALID_JSON'],
    ['a list', '[]', { 'content-type': 'application/json' }, 400, 'INVALID_JSON'],
    ['text', '"x"', { 'content-type': 'application/json' }, 400, 'INVALID_JSON'],
    ['a form', 'a=b', { 'content-type': 'application/x-www-form-urlencoded' }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['no type', 'x', { 'content-type': '' }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['an unknown charset', '{}', { 'content-type': 'application/json; charset=utf-99' }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
    [
      'too much',
      JSON.stringify({ a: 'x'.repeat(70_000) }),
      { 'content-type': 'application/json' },
      413,
      'BODY_TOO_LARGE',
    ],
  ])('a body of %s is refused', async (_what, body, headers, status, code) => {
    for (const path of ['/api/auth/signup', '/api/auth/login', '/api/auth/verify-email', '/api/ads']) {
      const { token } = await api.signUp('provider');
      const answer = await api.call('POST', path, { body, headers, token });
      expect(answer, path).toMatchObject({ status, body: { success: false, code } });
      expect(answer.headers.get('content-type')).toContain('application/problem+json');
    }
  });
  test("a route that is not there: 'HTTP {status}', in JSON", async () => {
    expect(await api.call('GET', '/api/nothing')).toMatchObject({ status: 404, body: error('NOT_FOUND', 'HTTP 404') });
  });
  test('a method a route does not have is a 405 in JSON, with those it has', async () => {
    const answer = await api.call('DELETE', '/api/ads');
    expect(answer).toMatchObject({ status: 405, body: { success: false, code: 'METHOD_NOT_ALLOWED' } });
    expect(answer.headers.get('allow')).toContain('POST');
  });
  test('__proto__ in a body does no harm', async () => {
    const { token } = await api.signUp('provider');
    expect(
      (await api.call('POST', '/api/ads', { token, body: `{"__proto__":{"title":"x"},"constructor":1}` })).status,
    ).toBe(400);
  });
});

test('GET /health, and what balancers ask', async () => {
  expect(await api.call('GET', '/api/health')).toMatchObject({
    status: 200,
    body: { success: true, status: 'ok', version: 'test' },
  });
  expect((await api.call('GET', '/healthz')).status).toBe(200);
  expect((await api.call('GET', '/readyz')).status).toBe(200);
});

test('metrics: requests, lag of each projection, depth of each queue, live clients', async () => {
  // A figure that takes too long to read is left out.
  await eventually(async () => {
    const { status, body } = await api.call('GET', '/metrics');
    expect(status).toBe(200);
    const lines = String(body['text']).split('\n');
    for (const projection of ['accounts', 'ad_cards', 'ad_details', 'favorites', 'media_items', 'verification_codes'])
      expect(lines).toContainEqual(
        expect.stringMatching(new RegExp(`^projection_lag_seconds\\{name="${projection}"\\} \\d`, 'u')),
      );
    for (const kind of [
      'photo-variants',
      'video-probe',
      'account-mail',
      'take-report-in',
      'settle-case',
      'thread-replies',
      'reply-mail',
      'digest-mail',
    ])
      expect(lines).toContainEqual(
        expect.stringMatching(new RegExp(`^jobs\\{kind="${kind}",state="waiting"\\} \\d+$`, 'u')),
      );
    expect(lines).toContainEqual(expect.stringMatching(/^live_clients \d+$/u));
    expect(lines).toContainEqual(expect.stringMatching(/^http_request_duration_seconds_count\{.*\} \d+$/u));
  });
});
