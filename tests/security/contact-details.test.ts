import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { AdView } from '@alpenglow/domain';
import { after, apiClient, type ApiClient, type Person } from '../support/api.ts';
import { METRICS_TOKEN, startTestProduct, type TestProduct } from '../support/product.ts';

/** A client collects the phone numbers of all ads. */

const PHONE = '+17025550147';
const DIGITS = /555.?0147/u;
const HANDLE = 'anna.alpenglow';
const MAX_PER_HOUR = 30;

const lines: string[] = [];
let product: TestProduct;
let api: ApiClient;
let provider: Person;
let adId: string;

beforeAll(async () => {
  vi.stubEnv('TEST_LOG_LEVEL', 'warn');
  product = await startTestProduct({ rateLimits: true, trustedProxies: 1 });
  vi.unstubAllEnvs();
  api = apiClient(product.url);
  provider = await api.signUp('provider');
  const ad = await api.postAd(provider.token, { phone: PHONE, socialMedia: { instagram: `@${HANDLE}` } });
  adId = ad.id;
  await api.call('GET', `/api/ads/${adId}`, { headers: after(ad.position) });
});
afterAll(() => product?.stop());

// Stops only the clock, so that responses contain the full time of a limit and no limit starts again during a test.
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

beforeEach(() => {
  lines.length = 0;
  vi.spyOn(process.stderr, 'write').mockImplementation((line) => {
    lines.push(String(line));
    return true;
  });
});

const from = (address: string) => ({ 'x-forwarded-for': address });

async function fetchToken(address: string, id = adId): Promise<string> {
  const { body } = await api.call('GET', `/api/ads/${id}`, { headers: from(address) });
  return (body['data'] as AdView).contactToken ?? '';
}

const fetchDetails = (token: string, address: string, { id = adId, session = '' } = {}) =>
  api.call('POST', `/api/ads/${id}/contact`, {
    body: { token },
    headers: from(address),
    ...(session !== '' && { token: session }),
  });

test('no other response to a visitor contains contact details', async () => {
  const paths = ['', '/counts', '/featured', '/location/NV/Las%20Vegas', `/${adId}`].map((path) => `/api/ads${path}`);
  for (const path of [...paths, '/api/search?q=Anna', '/', '/listings', `/ad/${adId}`, '/sitemap.xml']) {
    const response = await fetch(`${product.url}${path}`, { headers: { accept: '*/*', ...from('192.0.2.1') } });
    const text = await response.text();
    expect(response.status, path).toBeLessThan(400);
    expect(text, path).not.toMatch(DIGITS);
    expect(text, path).not.toContain(HANDLE);
  }
});

test('a client, a logged-in client and another provider get a token instead of contact details', async () => {
  for (const userType of ['client', 'provider'] as const) {
    const { token } = await api.signUp(userType);
    const { body } = await api.call('GET', `/api/ads/${adId}`, { token });
    expect(body['data']).toMatchObject({ phone: null, socialMedia: { instagram: null }, isOwner: false });
    expect((body['data'] as AdView).contactToken).not.toBeNull();
  }
});

test('an ad without contact details has no token', async () => {
  const { token } = await api.signUp('provider');
  const { id, position } = await api.postAd(token);
  const { body } = await api.call('GET', `/api/ads/${id}`, { headers: after(position) });
  expect(body['data']).toMatchObject({ phone: null, contactToken: null });
});

test('the token of an ad returns its contact details, which no cache stores', async () => {
  const response = await fetchDetails(await fetchToken('192.0.2.2'), '192.0.2.2');
  expect(response).toMatchObject({
    status: 200,
    body: { success: true, data: { phone: PHONE, socialMedia: { instagram: `@${HANDLE}`, website: null } } },
  });
  expect(response.headers.get('cache-control')).toBe('no-store');
});

test('a token is rejected in another network, for another ad, when changed, expired or reused', async () => {
  const other = await api.signUp('provider');
  const { id: otherId, position } = await api.postAd(other.token, { phone: '+17025550199' });
  await api.call('GET', `/api/ads/${otherId}`, { headers: after(position) });
  const token = await fetchToken('192.0.2.3');
  const rejected = { status: 403, body: { code: 'CONTACT_TOKEN_INVALID' } };
  expect(await fetchDetails(token, '192.0.2.4')).toMatchObject(rejected);
  expect(await fetchDetails(token, '192.0.2.3', { id: otherId })).toMatchObject(rejected);
  for (const changed of ['', 'token', `9${token.slice(1)}`, token.slice(0, -1), `${token}A`])
    expect(await fetchDetails(changed, '192.0.2.3'), changed).toMatchObject(rejected);

  const issuedBefore_ms = Date.now();
  vi.setSystemTime(issuedBefore_ms + 16 * 60_000);
  expect(await fetchDetails(token, '192.0.2.3')).toMatchObject(rejected);
  vi.setSystemTime(issuedBefore_ms);

  const reused = await fetchToken('192.0.2.3');
  const statuses: number[] = [];
  for (let use = 0; use < 5; use += 1) statuses.push((await fetchDetails(reused, '192.0.2.3')).status);
  expect(statuses).toEqual([200, 200, 200, 403, 403]);
});

test('a network gets the contact details of 30 ads an hour, and the limit raises an alarm', async () => {
  const network = (turn: number) => `2001:db8:5:6::${turn.toString(16)}`;
  const statuses: number[] = [];
  for (let turn = 1; turn <= MAX_PER_HOUR; turn += 1)
    statuses.push((await fetchDetails(await fetchToken(network(turn)), network(turn + 100))).status);
  expect(statuses).toEqual(Array.from({ length: MAX_PER_HOUR }, () => 200));
  expect(lines.join('')).not.toContain('alarm');

  for (let turn = 0; turn < 3; turn += 1) {
    const limited = await fetchDetails(await fetchToken(network(1)), network(1));
    expect(limited).toMatchObject({ status: 429, body: { code: 'CONTACT_LIMIT_REACHED' } });
    expect(limited.body['message']).toMatch(
      /^You have viewed the contact details of many ads\. You can view more in (?:60|59) min\.$/u,
    );
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(3_000);
  }
  // One line per client and hour, without the address of the client.
  const alarms = lines.filter((line) => line.includes('"alarm":"contact-details"'));
  expect(alarms).toHaveLength(1);
  expect(lines.join('')).not.toMatch(/2001:db8|555.?0147/u);
  const metrics = await fetch(`${product.url}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } });
  expect(await metrics.text()).toContain('rate_limited_requests_total{limit="contact-details"} 3');
  expect((await fetchDetails(await fetchToken('192.0.2.7'), '192.0.2.7')).status).toBe(200);
});

test('an account gets the contact details of 30 ads an hour in all networks together', async () => {
  const { token: session } = await api.signUp('client');
  const statuses: number[] = [];
  for (let turn = 1; turn <= MAX_PER_HOUR + 1; turn += 1) {
    const address = `198.51.100.${turn}`;
    statuses.push((await fetchDetails(await fetchToken(address), address, { session })).status);
  }
  expect(statuses).toEqual([...Array.from({ length: MAX_PER_HOUR }, () => 200), 429]);
  expect(lines.filter((line) => line.includes('"alarm":"contact-details-of-account"'))).toHaveLength(1);
});
