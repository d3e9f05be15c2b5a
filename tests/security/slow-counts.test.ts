import type { AdView } from '@alpenglow/domain';
import type { PoolClient } from 'pg';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { after, PASSWORD, type ApiResponse, type Person } from '../support/api.ts';
import { createTestPool } from '../support/database.ts';
import { openRecording, type Recording } from '../support/recording.ts';
import { testApi, testProduct } from '../support/fixtures.ts';

/** A client makes the shared counts slow, so that limits that protect people start at 0 again. */

const MAX_CONTACTS_PER_HOUR = 30;
const MAX_REPORTS_PER_HOUR = 10;
const ATTEMPTS = 10;

const product = testProduct({ rateLimits: true, trustedProxies: 1 });
const api = testApi(product);
let recording: Recording;
let pool: ReturnType<typeof createTestPool>;
let adId: string;
let reporter: Person;
let lock: PoolClient | null = null;

beforeAll(async () => {
  recording = await openRecording(product);
  pool = createTestPool(product.databaseUrl, 1);
  const { token } = await recording.member({ userType: 'provider' });
  reporter = await recording.member({ userType: 'client' });
  const ad = await api.postAd(token, { phone: '+1 702 555 0147' });
  adId = ad.id;
  await api.call('GET', `/api/ads/${adId}`, { headers: after(ad.position) });
});
afterAll(async () => {
  await recording?.close();
  await pool?.end();
});
afterEach(async () => {
  vi.useRealTimers();
  await unlockCounts();
});

/** Makes every statement on the shared counts wait, as on an overloaded server. */
async function lockCounts(): Promise<void> {
  lock = await pool.connect();
  await lock.query('begin');
  await lock.query('lock table requests.counts in access exclusive mode');
}

async function unlockCounts(): Promise<void> {
  await lock?.query('rollback');
  lock?.release();
  lock = null;
}

const from = (address: string) => ({ 'x-forwarded-for': address });
const times = <T>(count: number, work: (turn: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, turn) => work(turn)));
const statusesOf = (responses: readonly ApiResponse[]) => [...new Set(responses.map(({ status }) => status))];

async function fetchToken(address: string): Promise<string> {
  const { body } = await api.call('GET', `/api/ads/${adId}`, { headers: from(address) });
  return (body['data'] as AdView).contactToken ?? '';
}

const fetchDetails = (token: string, address: string) =>
  api.call('POST', `/api/ads/${adId}/contact`, { body: { token }, headers: from(address) });
const logIn = (address: string, password = 'wrong password') =>
  api.call('POST', '/api/auth/login', { body: { email: 'anna@example.com', password }, headers: from(address) });
const report = (address: string, { browser = 'Test/1', token }: { browser?: string; token?: string } = {}) =>
  api.call('POST', '/api/reports', {
    body: { subject: { kind: 'ad', id: adId }, reason: 'other' },
    headers: { ...from(address), 'user-agent': browser },
    ...(token !== undefined && { token }),
  });

test('an exhausted limit stays exhausted while the counts are slow, and requests count afterwards', async () => {
  const network = '192.0.2.1';
  const tokens = await times(MAX_CONTACTS_PER_HOUR + ATTEMPTS, () => fetchToken(network));
  const first = await times(MAX_CONTACTS_PER_HOUR, (turn) => fetchDetails(tokens[turn] ?? '', network));
  expect(statusesOf(first)).toEqual([200]);
  await lockCounts();
  const during = await times(ATTEMPTS, (turn) => fetchDetails(tokens[MAX_CONTACTS_PER_HOUR + turn] ?? '', network));
  expect(statusesOf(during)).toEqual([429]);
});

test('requests that are counted while the counts are slow also count afterwards', async () => {
  const network = '192.0.2.2';
  const tokens = await times(MAX_CONTACTS_PER_HOUR + 1, () => fetchToken(network));
  expect((await fetchDetails(tokens[0] ?? '', network)).status).toBe(200);
  await lockCounts();
  // These requests continue with the last known count.
  const during = await times(MAX_CONTACTS_PER_HOUR - 1, (turn) => fetchDetails(tokens[turn + 1] ?? '', network));
  expect(statusesOf(during)).toEqual([200]);
  await unlockCounts();
  expect((await fetchDetails(tokens[MAX_CONTACTS_PER_HOUR] ?? '', network)).status).toBe(429);
});

test('limits that protect people reject a client whose count is unknown, and ask it to try again', async () => {
  const token = await fetchToken('192.0.2.3');
  await lockCounts();
  const body = { email: 'anna@example.com' };
  const responses = await Promise.all([
    fetchDetails(token, '192.0.2.3'),
    logIn('192.0.2.4'),
    api.call('POST', '/api/auth/forgot-password', { body, headers: from('192.0.2.5') }),
    api.call('POST', '/api/auth/verify-email', { body: { ...body, code: '000000' }, headers: from('192.0.2.6') }),
  ]);
  for (const { status, headers } of responses) {
    expect(status).toBe(503);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  }
  await unlockCounts();
  expect((await fetchDetails(token, '192.0.2.3')).status).toBe(200);
});

test('failed logins delay the next login while the counts are slow', async () => {
  // Stops the clock, so that the delay of the fifth failure does not end during the test.
  vi.useFakeTimers({ toFake: ['Date'] });
  for (let attempt = 0; attempt < 5; attempt += 1) expect((await logIn('192.0.2.7')).status).toBe(401);
  await lockCounts();
  expect(statusesOf(await times(ATTEMPTS, () => logIn('192.0.2.7', PASSWORD)))).toEqual([429]);
});

test('only a first report is accepted while the counts are slow', async () => {
  await lockCounts();
  expect((await report('192.0.2.8')).status).toBe(201);
  expect(statusesOf(await times(ATTEMPTS, () => report('192.0.2.8')))).toEqual([503]);
  // Other people in the same site or behind the same address have not reported yet.
  expect((await report('2001:db8:1:1::1')).status).toBe(201);
  expect((await report('2001:db8:1:2::1')).status).toBe(201);
  expect((await report('192.0.2.8', { browser: 'Test/2' })).status).toBe(201);
  expect((await report('192.0.2.8', { token: reporter.token })).status).toBe(201);
  expect((await report('192.0.2.8', { token: reporter.token })).status).toBe(503);
});

test('a network cannot report without limit as many people while the counts are slow', async () => {
  await lockCounts();
  const responses = await times(MAX_REPORTS_PER_HOUR + ATTEMPTS, (turn) =>
    report('192.0.2.10', { browser: `Test/${turn}` }),
  );
  expect(responses.filter(({ status }) => status === 201)).toHaveLength(MAX_REPORTS_PER_HOUR);
  expect(responses.filter(({ status }) => status === 429)).toHaveLength(ATTEMPTS);
});

test('reports continue with the last known count while the counts are slow', async () => {
  for (let count = 0; count < 3; count += 1) expect((await report('192.0.2.9')).status).toBe(201);
  await lockCounts();
  const further = await times(ATTEMPTS, () => report('192.0.2.9'));
  expect(further.filter(({ status }) => status === 201)).toHaveLength(7);
  expect(further.filter(({ status }) => status === 429)).toHaveLength(3);
});
