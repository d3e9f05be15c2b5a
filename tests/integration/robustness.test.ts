import net from 'node:net';
import { describe, expect, test } from 'vitest';
import { createDataKeys } from '@alpenglow/infra';
import { LIVE_CLOSE_CODES } from '@alpenglow/domain';
import { after, apiClient } from '../support/api.ts';
import { openMailboxes } from '../support/inbox.ts';
import { connectLive } from '../support/live.ts';
import { MAX_WAIT_ms } from '../support/max-wait.ts';
import { startTestProduct } from '../support/product.ts';
import { createTestPool } from '../support/database.ts';
import { testApi, testProduct } from '../support/fixtures.ts';

const product = testProduct({ exposeVerificationCodes: false });
const api = testApi(product);

/**
 * Sends bytes unchanged and returns the response until the server closes the connection. With `reset`, the
 * client resets the connection after it has sent the bytes.
 */
function sendBytes(request: string, { reset = false } = {}): Promise<string> {
  const { port } = new URL(product.url);
  return new Promise((resolve, reject) => {
    let response = '';
    const socket = net.connect(Number(port), '127.0.0.1', () => {
      socket.write(request, () => {
        if (reset) socket.resetAndDestroy();
      });
    });
    socket.on('data', (chunk) => (response += chunk.toString('latin1')));
    socket.on('close', () => resolve(response));
    socket.on('error', (error) => (reset ? resolve(response) : reject(error)));
    socket.setTimeout(MAX_WAIT_ms, () => reject(new Error('the server did not close the connection')));
  });
}

const upgrade = (target: string) =>
  `GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n` +
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n';

describe('an upgrade request', () => {
  test.each(['//', 'http://[', '/\\', '/api/live/x', '/%', '*'])(
    'for %s is rejected with the end of its connection, and the product continues',
    async (target) => {
      expect(await sendBytes(upgrade(target))).toMatch(/^HTTP\/1\.1 40[04]/u);
      expect((await api.call('GET', '/api/health')).status).toBe(200);
    },
  );
  test('that is reset at once does not affect the product', async () => {
    for (let n = 0; n < 20; n += 1) await sendBytes(upgrade('/elsewhere'), { reset: true });
    for (let n = 0; n < 20; n += 1) await sendBytes(upgrade('/api/live'), { reset: true });
    expect((await api.call('GET', '/api/health')).status).toBe(200);
  });
  test.each(['5', 'x', '9'.repeat(19), '-1', '0'.repeat(18)])(
    'of the live channel with since=%s is closed with the code for a reload',
    async (since) => {
      expect(await (await connectLive(product.url, { since })).closed).toBe(LIVE_CLOSE_CODES.tooOld);
    },
  );
});

describe('if codes are not exposed', () => {
  test('sign-up and resend return no code, and there is no inbox', async () => {
    const body = {
      email: 'quiet@example.com',
      password: 'correct horse',
      userType: 'client',
      displayName: 'Quiet',
      age: 30,
    };
    const signedUp = await api.call('POST', '/api/auth/signup', { body });
    expect(signedUp.status).toBe(201);
    expect(signedUp.body).not.toHaveProperty('verificationCode');
    const inbox = await fetch(`${product.url}/dev/inbox`);
    expect(await inbox.text()).not.toContain('quiet@example.com');
  });
  test('a request for another code does not reveal whether the address is known', async () => {
    const known = await api.call('POST', '/api/auth/resend-verification', { body: { email: 'quiet@example.com' } });
    const unknown = await api.call('POST', '/api/auth/resend-verification', { body: { email: 'nobody@example.com' } });
    const comparable = ({ status, body, headers }: typeof known) => ({
      status,
      body,
      headers: [...headers].filter(([name]) => !['date', 'x-request-id', 'etag'].includes(name)),
    });
    expect(comparable(known)).toEqual(comparable(unknown));
    expect(known.status).toBe(200);
  });
  test('GET /admin/verification-codes lists address, times and remaining attempts, but no code', async () => {
    const { email, token } = await api.signUp('client', { email: 'admin@example.com', verify: false });
    const mailboxes = openMailboxes(product);
    const code = await mailboxes.waitForCode(email, 'code');
    await mailboxes.close();
    const verified = await api.call('POST', '/api/auth/verify-email', { token, body: { email, code } });
    const { body } = await api.call('GET', '/api/admin/verification-codes', {
      token,
      headers: after(verified),
    });
    expect(body['data']).toContainEqual({
      userId: expect.any(String) as string,
      email: 'quiet@example.com',
      issuedAt: expect.any(String) as string,
      expiresAt: expect.any(String) as string,
      attemptsLeft: 5,
      code: null,
    });
  });
});

test.each(['+275760-09-13T00:00:00.000Z', '-000001-01-01T00:00:00.000Z', '2026-13-01T00:00:00.000Z'])(
  'a cursor at %s is rejected',
  async (at) => {
    const cursor = Buffer.from(`${at} some-id`).toString('base64url');
    expect(await api.call('GET', `/api/ads?cursor=${cursor}`)).toMatchObject({
      status: 400,
      body: { code: 'INVALID_FIELDS' },
    });
  },
);

test('an ad page never responds with 304: its ETag is only for If-Match', async () => {
  const ownProduct = await startTestProduct();
  const ownApi = apiClient(ownProduct.url);
  const { token } = await ownApi.signUp('provider');
  const { id, position } = await ownApi.postAd(token);
  const first = await ownApi.call('GET', `/api/ads/${id}`, { headers: after(position) });
  expect(first.status).toBe(200);
  expect(
    (await ownApi.call('GET', `/api/ads/${id}`, { headers: { 'if-none-match': first.headers.get('etag') ?? '' } }))
      .status,
  ).toBe(200);
  await ownProduct.stop();
});

test('the encryption keys of more accounts than fit into the cache are found', async () => {
  const pool = createTestPool(product.databaseUrl);
  try {
    const keys = createDataKeys(pool, 'ab'.repeat(32));
    const ids: string[] = [];
    const next = Array.from({ length: 10_400 }, (_, n) => `many-${n}`).values();
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        for (const accountId of next) ids.push((await keys.obtain(accountId)).id);
      }),
    );
    const batch = [...ids.slice(-600), ...ids.slice(0, 400)];
    const found = await keys.find(batch);
    expect(batch.filter((id) => !found.get(id))).toEqual([]);
  } finally {
    await pool.end();
  }
});
