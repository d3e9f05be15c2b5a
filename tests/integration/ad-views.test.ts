import { AD_VIEW_GUESTS_MAX, AD_VIEW_WINDOW_ms } from '@alpenglow/domain';
import type { Pool } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { after, apiClient, type ApiClient, type Person } from '../support/api.ts';
import { createTestPool } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { createPreparedLocation, startTestProduct, type TestProduct } from '../support/product.ts';

/**
 * Tests which views of an ad count. Two processes of the product share one database behind a trusted proxy.
 * The tests use different ads and visitors.
 */
let place: Awaited<ReturnType<typeof createPreparedLocation>>;
let products: readonly TestProduct[];
let apis: readonly [ApiClient, ApiClient];
let pool: Pool;
let barrier: string;

beforeAll(async () => {
  place = await createPreparedLocation();
  const start = () => startTestProduct({ trustedProxies: 1 }, place);
  const one = await start();
  const other = await start();
  products = [one, other];
  apis = [apiClient(one.url), apiClient(other.url)];
  pool = createTestPool(place.databaseUrl);
  ({ id: barrier } = await postAd());
});
afterAll(async () => {
  await pool?.end();
  for (const product of products) await product.stop();
  await place.remove();
});

// Stops only the clock, so that the tests decide when the time of a view ends.
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

interface Viewer {
  readonly token?: string;
  readonly address?: string;
  readonly userAgent?: string;
}

/** Posts an ad, and waits until both processes can read it. */
async function postAd(): Promise<{ readonly id: string; readonly owner: Person }> {
  const owner = await apis[0].signUp('provider');
  const { id, position } = await apis[0].postAd(owner.token);
  for (const api of apis) await api.call('GET', `/api/ads/${id}`, { headers: after(position) });
  return { id, owner };
}

async function view(id: string, { token, address = '203.0.113.1', userAgent = 'A' }: Viewer, api = apis[0]) {
  const { status, body } = await api.call('POST', `/api/ads/${id}/views`, {
    headers: { 'x-forwarded-for': address, 'user-agent': userAgent },
    ...(token !== undefined && { token }),
  });
  return { status, body };
}

const HANDLED = { status: 200, body: { success: true, message: 'Noted' } };
let visitors = 0;

/** Returns the number of views of an ad after both processes have written the views that they have counted. */
async function readViews(id: string): Promise<number> {
  return (await readViewsOf([id]))[0] ?? 0;
}

/** Does the same as `readViews` for several ads. */
async function readViewsOf(ids: readonly string[]): Promise<readonly number[]> {
  const read = async (adId: string) => {
    const { rows } = await pool.query<{ views: number }>('select views::int from stats.ad_views where ad_id = $1', [
      adId,
    ]);
    return rows[0]?.views ?? 0;
  };
  const before = await read(barrier);
  // Each process writes all views at once, so a written later view means that the earlier views are written too.
  for (const api of apis)
    await view(barrier, { address: `198.18.${Math.floor((visitors += 1) / 250)}.${visitors % 250}` }, api);
  await eventually(async () => expect(await read(barrier)).toBe(before + apis.length), { interval_ms: 100 });
  return Promise.all(ids.map(read));
}

test('a visitor counts once in 30 minutes, whichever process receives the request', async () => {
  const { id } = await postAd();
  for (const api of [...apis, ...apis]) expect(await view(id, {}, api)).toEqual(HANDLED);
  await Promise.all(Array.from({ length: 10 }, (_, turn) => view(id, { userAgent: 'B' }, apis[turn % 2])));
  expect(await readViews(id)).toBe(2);

  vi.setSystemTime(Date.now() + AD_VIEW_WINDOW_ms - 1_000);
  await view(id, {}, apis[1]);
  expect(await readViews(id)).toBe(2);
  vi.setSystemTime(Date.now() + 2_000);
  await view(id, {}, apis[1]);
  expect(await readViews(id)).toBe(3);
});

test('the views of one visitor count for each ad', async () => {
  const [one, other] = [await postAd(), await postAd()];
  await view(one.id, {});
  await view(other.id, {});
  expect(await readViewsOf([one.id, other.id])).toEqual([1, 1]);
});

test('visitors without an account are distinguished by their network and browser', async () => {
  const { id } = await postAd();
  await view(id, { address: '203.0.113.1', userAgent: 'A' });
  await view(id, { address: '203.0.113.2', userAgent: 'A' });
  await view(id, { address: '203.0.113.1', userAgent: 'B' });
  // Both addresses belong to one subscriber.
  await view(id, { address: '2001:db8:1:2::1' });
  await view(id, { address: '2001:db8:1:2::2' });
  expect(await readViews(id)).toBe(4);
});

test('a network with invented browsers counts 20 times, and another network still counts', async () => {
  const { id } = await postAd();
  for (let number = 0; number < 25; number += 1) await view(id, { userAgent: `Invented ${number}` }, apis[number % 2]);
  expect(await readViews(id)).toBe(AD_VIEW_GUESTS_MAX);
  await view(id, { address: '203.0.113.2', userAgent: 'Invented 1' });
  const { token } = await apis[0].signUp('client');
  await view(id, { token });
  expect(await readViews(id)).toBe(AD_VIEW_GUESTS_MAX + 2);
});

test('an account counts once, wherever it is used', async () => {
  const { id } = await postAd();
  const { token } = await apis[0].signUp('client');
  await view(id, { token, address: '203.0.113.1' });
  await view(id, { token, address: '203.0.113.2', userAgent: 'B' }, apis[1]);
  expect(await readViews(id)).toBe(1);
});

test('the owner does not count', async () => {
  const { id, owner } = await postAd();
  expect(await view(id, { token: owner.token })).toEqual(HANDLED);
  expect(await readViews(id)).toBe(0);
});

test('reading an ad does not count', async () => {
  const { id } = await postAd();
  const { token } = await apis[0].signUp('client');
  await apis[0].call('GET', `/api/ads/${id}`);
  await apis[1].call('GET', `/api/ads/${id}`, { token });
  expect(await readViews(id)).toBe(0);
});

test('an ad that visitors cannot open does not count, and the response does not show this', async () => {
  const [deleted, hidden] = [await postAd(), await postAd()];
  const removal = await apis[0].call('DELETE', `/api/ads/${deleted.id}`, { token: deleted.owner.token });
  const report = await apis[0].call('POST', '/api/reports', {
    body: { subject: { kind: 'ad', id: hidden.id }, reason: 'under_age', text: null },
  });
  for (const [id, { headers }] of [
    [deleted.id, removal],
    [hidden.id, report],
  ] as const) {
    const position = headers.get('x-position') ?? '';
    const { status } = await apis[0].call('GET', `/api/ads/${id}`, { headers: after(position) });
    expect(status).toBe(404);
  }
  const ids = [deleted.id, hidden.id, '0f6c9a3e-5b1d-4c53-9d51-0a6b7f1f3c11', 'x'.repeat(100)];
  for (const id of ids) expect(await view(id, {})).toEqual(HANDLED);
  expect(await readViewsOf(ids)).toEqual([0, 0, 0, 0]);
});

test('an invalid session is rejected', async () => {
  const { id } = await postAd();
  expect((await view(id, { token: 'wrong' })).status).toBe(401);
  expect(await readViews(id)).toBe(0);
});

test('the list and the ad show the number, and nothing that identifies a visitor is stored', async () => {
  const { id, owner } = await postAd();
  const { token, user } = await apis[0].signUp('client');
  await view(id, { token });
  await view(id, { address: '198.51.100.77', userAgent: 'Telltale' });
  await eventually(async () => {
    const { body } = await apis[1].call('GET', `/api/ads/${id}`, { token: owner.token });
    expect(body['data']).toMatchObject({ views: 2 });
  });
  const { rows } = await pool.query<{ line: string }>('select c::text as line from requests.counts c');
  const lines = rows.map(({ line }) => line);
  expect(lines.filter((line) => line.includes('view:')).length).toBeGreaterThanOrEqual(2);
  for (const secret of [id, user.id, '198.51.100.77', 'Telltale'])
    expect(lines.filter((line) => line.toLowerCase().includes(secret.toLowerCase()))).toEqual([]);
});
