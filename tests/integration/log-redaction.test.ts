import type { Pool } from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { apiClient, validAd, type ApiClient } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { connectLive } from '../support/live.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { createTestPool } from '../support/database.ts';

// Personal data and secrets that the test sends. No log line may contain them in any form.
const EMAIL = 'secret.person@private.example';
const PASSWORD = 'TopSecretPassword7';
const WRONG_PASSWORD = 'AlmostSecretPassword8';
const PHONE = '+41797654321';
const NAME = 'Philippa Private';
const DESCRIPTION = 'Whisper of the tall grass';
/** Invalid signature of an unsubscribe token. No log line may contain this signature. */
const UNSUBSCRIBE_SEAL = 'Zx7dWcE0RjzT0mAjQkPqFvYb2uXhS1n9eGgJ4oKtM8w';

const lines: string[] = [];
const logText = () => lines.join('');
/** Captures the log. The test calls this function again because mocks are restored before each test. */
const captureLog = () =>
  vi.spyOn(process.stderr, 'write').mockImplementation((line) => {
    lines.push(String(line));
    return true;
  });
let product: TestProduct;
let api: ApiClient;
let pool: Pool;

beforeAll(async () => {
  captureLog();
  vi.stubEnv('TEST_LOG_LEVEL', 'trace');
  product = await startTestProduct();
  api = apiClient(product.url);
  pool = createTestPool(product.databaseUrl);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await pool.end();
  await product.stop();
});

/** Renames a table while `action` runs, so that queries on the table fail. */
async function withoutTable(table: string, action: () => Promise<unknown>): Promise<void> {
  const [schema = '', name = ''] = table.split('.');
  await pool.query(`alter table ${schema}.${name} rename to ${name}_gone`);
  await action();
  await pool.query(`alter table ${schema}.${name}_gone rename to ${name}`);
}

test('the log contains no secrets, phone numbers, names, e-mail addresses or texts at level trace', async () => {
  captureLog();
  const secrets = new Set([PASSWORD, WRONG_PASSWORD, PHONE, NAME, DESCRIPTION, UNSUBSCRIBE_SEAL]);

  // Sends secrets in valid bodies.
  const signedUp = await api.call('POST', '/api/auth/signup', {
    body: { email: EMAIL, password: PASSWORD, userType: 'provider', displayName: NAME, age: 30 },
  });
  expect(signedUp.status).toBe(201);
  const { token, verificationCode } = signedUp.body as { token: string; verificationCode: string };
  secrets.add(token).add(verificationCode);
  await api.call('POST', '/api/auth/verify-email', { token, body: { email: EMAIL, code: '135791' } });
  await api.call('POST', '/api/auth/verify-email', { token, body: { email: EMAIL, code: verificationCode } });
  secrets.add('135791');
  await api.call('POST', '/api/auth/login', { body: { email: EMAIL, password: WRONG_PASSWORD } });
  const login = await api.call('POST', '/api/auth/login', { body: { email: EMAIL, password: PASSWORD } });
  secrets.add((login.body as { token: string }).token);
  await api.call('POST', '/api/auth/forgot-password', { body: { email: EMAIL } });
  await api.call('POST', '/api/auth/reset-password', {
    body: { email: EMAIL, code: '246802', newPassword: WRONG_PASSWORD },
  });
  secrets.add('246802');
  const posted = await api.call('POST', '/api/ads', {
    token,
    body: { ...validAd, name: NAME, phone: PHONE, description: DESCRIPTION },
  });
  expect(posted.status).toBe(201);

  // Sends secrets like a person who opens the links of mails.
  const { user } = signedUp.body as { user: { id: string } };
  const unsubscribe = `${user.id}.all.${UNSUBSCRIBE_SEAL}`;
  expect((await api.call('POST', '/api/community/unsubscribe', { body: { token: unsubscribe } })).status).toBe(400);
  expect(
    (
      await api.call('POST', `/api/community/unsubscribe/${unsubscribe}`, {
        body: 'List-Unsubscribe=One-Click',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      })
    ).status,
  ).toBe(400);
  await fetch(`${product.url}/api/community/unsubscribe/${unsubscribe}`, { redirect: 'manual' });
  await fetch(`${product.url}/community/unsubscribe/${unsubscribe}?token=${unsubscribe}`);

  // Sends secrets in invalid bodies and in unexpected fields, paths and headers.
  await api.call('POST', '/api/auth/login', {
    body: `{"email":"${EMAIL}","password":"${PASSWORD}"`,
    headers: { 'content-type': 'application/json' },
  });
  await api.call('POST', '/api/auth/login', {
    body: `email=${EMAIL}&password=${PASSWORD}`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
  await api.call('POST', '/api/auth/signup', {
    body: { email: [EMAIL], password: { is: PASSWORD }, displayName: NAME },
  });
  await api.call('PUT', '/api/ads/none', { token, body: { phone: `${PHONE} ${EMAIL}`, [PASSWORD]: PASSWORD } });
  for (const secret of [EMAIL, PASSWORD, token, verificationCode, PHONE, DESCRIPTION]) {
    const text = encodeURIComponent(secret);
    for (const path of [
      `/api/ads/${text}`,
      `/api/favorites/${text}`,
      `/api/${text}`,
      `/api/ads?q=${text}&${text}=1`,
      `/uploads/photos/${text}/${text}`,
      `/${text}`,
      `/login?password=${text}`,
      `/mf/${text}`,
      `/api/ads/location/${text}/${text}`,
    ]) {
      await api.call('GET', path, {
        headers: { accept: 'text/html', cookie: `session=${text}`, referer: `https://x.example/${text}` },
      });
    }
    await api.call('DELETE', `/api/ads/${text}`, { token });
  }
  (await connectLive(product.url, { token })).close();
  await (await connectLive(product.url, { token: PASSWORD })).closed;

  // Sends secrets while the database fails.
  await withoutTable('auth.sessions', async () => {
    expect((await api.call('POST', '/api/auth/verify', { token })).status).toBe(500);
    await api.call('POST', '/api/auth/login', { body: { email: EMAIL, password: PASSWORD } });
  });
  await withoutTable('es.events', async () => {
    expect(
      (
        await api.call('POST', '/api/auth/signup', {
          body: { email: `other.${EMAIL}`, password: PASSWORD, userType: 'client', displayName: NAME, age: 30 },
        })
      ).status,
    ).toBeGreaterThanOrEqual(500);
    await api.call('POST', '/api/auth/reset-password', {
      body: { email: EMAIL, code: '246802', newPassword: WRONG_PASSWORD },
    });
  });
  await withoutTable('mail.inbox', async () => {
    await api.call('POST', '/api/auth/signup', {
      body: { email: `mailed.${EMAIL}`, password: PASSWORD, userType: 'client', displayName: NAME, age: 30 },
    });
    await eventually(() => expect(logText()).toMatch(/inbox/u));
  });

  expect(lines.filter((line) => line.includes('"msg":"request"')).length).toBeGreaterThan(50);
  expect(logText()).toContain('"msg":"not answered"');
  for (const secret of secrets) {
    for (const shape of [secret, encodeURIComponent(secret), secret.toLowerCase()])
      expect(lines.filter((line) => line.includes(shape))).toEqual([]);
  }
  expect(logText()).not.toMatch(/secret\.person|private\.example|7654321|765 43 21/u);
});
