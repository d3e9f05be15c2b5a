import { describe, expect, test } from 'vitest';
import { after, error } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { expectDocumentedMetrics } from '../support/metrics.ts';
import { METRICS_TOKEN } from '../support/product.ts';
import { whenAvailable } from '../support/when-available.ts';
import { testApi, testProduct } from '../support/fixtures.ts';

const product = testProduct();
const api = testApi(product);

describe('GET /ads', () => {
  test('pages by cursor, newest bump first, without duplicates or gaps', async () => {
    const posted: string[] = [];
    for (let n = 0; n < 5; n += 1)
      posted.unshift((await api.postAd((await api.signUp('provider')).token, { city: 'Reno' })).id);
    const head = await api.postAd((await api.signUp('provider')).token, { city: 'Elko' });
    const listed: string[] = [];
    let cursor = '';
    do {
      const page = await api.call('GET', `/api/ads?city=Reno&limit=2${cursor}`, {
        headers: after(head.position),
      });
      expect(page.body).toMatchObject({ success: true, total: 5 });
      listed.push(...(page.body['data'] as { id: string }[]).map(({ id }) => id));
      cursor = typeof page.body['nextCursor'] === 'string' ? `&cursor=${page.body['nextCursor']}` : '';
    } while (cursor !== '');
    expect(listed).toEqual(posted);
  });
  test('returns 304 for a matching ETag until the list changes', async () => {
    const first = await api.call('GET', '/api/ads?city=Sparks');
    const etag = first.headers.get('etag') ?? '';
    expect((await api.call('GET', '/api/ads?city=Sparks', { headers: { 'if-none-match': etag } })).status).toBe(304);
    const { position } = await api.postAd((await api.signUp('provider')).token, { city: 'Sparks' });
    expect(
      (
        await api.call('GET', '/api/ads?city=Sparks', {
          headers: { 'if-none-match': etag, ...after(position) },
        })
      ).status,
    ).toBe(200);
  });
  test('searches % and _ literally', async () => {
    expect((await api.call('GET', '/api/ads?q=%25')).body).toMatchObject({ data: [] });
  });
});

describe('bad requests', () => {
  test("returns 'HTTP {status}' as JSON for an unknown route", async () => {
    expect(await api.call('GET', '/api/nothing')).toMatchObject({ status: 404, body: error('NOT_FOUND', 'HTTP 404') });
  });
  test('returns 405 with the allowed methods for an unsupported method', async () => {
    const response = await api.call('DELETE', '/api/ads');
    expect(response).toMatchObject({ status: 405, body: { success: false, code: 'METHOD_NOT_ALLOWED' } });
    expect(response.headers.get('allow')).toContain('POST');
  });
});

test('reports health on /health, /healthz and /readyz', async () => {
  expect(await whenAvailable(() => api.call('GET', '/api/health'))).toMatchObject({
    status: 200,
    body: { success: true, status: 'ok', version: 'test' },
  });
  expect((await api.call('GET', '/healthz')).status).toBe(200);
  expect((await api.call('GET', '/readyz')).status).toBe(200);
});

test('exposes metrics only with the token', async () => {
  expect(await api.call('GET', '/metrics')).toMatchObject({ status: 401, body: { code: 'AUTHENTICATION_REQUIRED' } });
  expect((await api.call('GET', '/metrics', { token: `${METRICS_TOKEN}x` })).status).toBe(401);
});

test('exposes the metrics that docs/metrics.md lists for its services', async () => {
  await expectDocumentedMetrics(product.url, ['command-api', 'query-api', 'projectors', 'workers', 'shell']);
});

test('exposes metrics for requests, projection lag, queue depth and live clients', async () => {
  // If collecting a metric takes too long, the response omits the metric. The test therefore polls.
  await eventually(async () => {
    const { status, body } = await api.call('GET', '/metrics', { token: METRICS_TOKEN });
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
      'removal',
      'thread-replies',
      'reply-mail',
      'reply-mails',
      'digest-mail',
    ])
      expect(lines).toContainEqual(
        expect.stringMatching(new RegExp(`^jobs\\{kind="${kind}",state="waiting"\\} \\d+$`, 'u')),
      );
    expect(lines).toContainEqual(expect.stringMatching(/^live_clients \d+$/u));
    expect(lines).toContainEqual(expect.stringMatching(/^http_request_duration_seconds_count\{.*\} \d+$/u));
  });
});
