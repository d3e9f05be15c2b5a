import { afterAll, beforeAll, expect, test } from 'vitest';
import { apiClient, PASSWORD, type ApiClient } from '../support/api.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';

/** A client locks another person out of their account by failed logins, or by requests for codes (decision 0025). */

let product: TestProduct;
let api: ApiClient;
beforeAll(async () => {
  product = await startTestProduct({ rateLimits: true, trustedProxies: 1 });
  api = apiClient(product.url);
});
afterAll(() => product?.stop());

const ATTACKER = '203.0.113.9';
const OWNER = '198.51.100.7';
const send = (path: string, body: unknown, address: string) =>
  api.call('POST', `/api/auth/${path}`, { body, headers: { 'x-forwarded-for': address } });

test('twelve wrong passwords from one address do not affect the owner at another address', async () => {
  const { email } = await api.signUp('client', { email: 'admin@example.com' });
  const statuses: number[] = [];
  for (let turn = 0; turn < 12; turn += 1)
    statuses.push((await send('login', { email, password: `wrong horse ${turn}` }, ATTACKER)).status);
  expect(statuses.slice(0, 5)).toEqual([401, 401, 401, 401, 401]);
  expect(statuses.slice(5)).toEqual(Array.from({ length: 7 }, () => 429));
  expect((await send('login', { email, password: PASSWORD }, OWNER)).status).toBe(200);
});

test.each(['forgot-password', 'resend-verification'])(
  'requests for codes with %s from one address do not block the owner at another address',
  async (path) => {
    // A known address may also have to wait for a minute between two codes, so this address is unknown.
    const email = `${path}@example.com`;
    const statuses: number[] = [];
    for (let turn = 0; turn < 8; turn += 1) statuses.push((await send(path, { email }, ATTACKER)).status);
    expect(statuses.at(-1)).toBe(429);
    expect((await send(path, { email }, OWNER)).status).toBe(200);
  },
);

test('wrong codes from one address do not use up the rate limit of the owner', async () => {
  const { email } = await api.signUp('client', { verify: false });
  const statuses: number[] = [];
  for (let turn = 0; turn < 21; turn += 1)
    statuses.push((await send('verify-email', { email, code: String(100_000 + turn) }, ATTACKER)).status);
  expect(statuses.at(-1)).toBe(429);
  expect((await send('verify-email', { email, code: '999999' }, OWNER)).body['code']).toBe('VERIFICATION_FAILED');
});

test('many addresses together are delayed after a hundred wrong passwords', async () => {
  const { email } = await api.signUp('client');
  const statuses: number[] = [];
  for (let turn = 0; turn < 101; turn += 1)
    statuses.push((await send('login', { email, password: 'wrong horse' }, `10.1.${turn}.1`)).status);
  expect(new Set(statuses.slice(0, 100))).toEqual(new Set([401]));
  expect(statuses[100]).toBe(429);
});
