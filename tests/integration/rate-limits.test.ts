import { formatWait } from '@alpenglow/domain';
import type { Pool } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createLogger, openSharedCounters } from '@alpenglow/infra';
import { apiClient, PASSWORD, type ApiResponse, type ApiClient } from '../support/api.ts';
import { createPreparedLocation, startTestProduct, type TestProduct } from '../support/product.ts';
import { isFullRun, sampleOf } from '../support/sample.ts';
import { createTestPool } from '../support/database.ts';

/**
 * Two processes of the product share one database behind a trusted proxy. Each test uses other client addresses or
 * accounts, so the request counts of other tests have no effect.
 */
let place: Awaited<ReturnType<typeof createPreparedLocation>>;
let products: readonly TestProduct[];
let apis: readonly [ApiClient, ApiClient];
let pool: Pool;

beforeAll(async () => {
  place = await createPreparedLocation();
  const start = () => startTestProduct({ rateLimits: true, trustedProxies: 1 }, place);
  const one = await start();
  const other = await start();
  products = [one, other];
  apis = [apiClient(one.url), apiClient(other.url)];
  pool = createTestPool(place.databaseUrl);
});
afterAll(async () => {
  await pool.end();
  for (const product of products) await product.stop();
  await place.remove();
});

// Stops only the clock, so that the tests decide when a time window ends.
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

const forwardedFor = (address: string) => ({ 'x-forwarded-for': address });

/** Sends requests to both processes in turn, and returns all responses. */
async function sendRepeatedly(
  times: number,
  sendRequest: (api: ApiClient, turn: number) => Promise<ApiResponse>,
): Promise<readonly ApiResponse[]> {
  const responses: ApiResponse[] = [];
  for (let turn = 0; turn < times; turn += 1)
    responses.push(await sendRequest(turn % 2 === 0 ? apis[0] : apis[1], turn));
  return responses;
}

function expectTooMany(response: ApiResponse | undefined, code: string): void {
  expect(response).toMatchObject({
    status: 429,
    body: { success: false, code, title: 'Too Many Requests', status: 429 },
  });
  const seconds = Number(response?.headers.get('retry-after'));
  expect(seconds).toBeGreaterThan(0);
  expect(response?.body['retryAfter_s']).toBe(seconds);
  expect(response?.body['message']).toContain(`again in ${formatWait(seconds)}.`);
}

describe('requests of one address are counted by both processes together', () => {
  test('POST /sync/force: ten per minute and address', async () => {
    const responses = await sendRepeatedly(11, (api) =>
      api.call('POST', '/api/sync/force', { headers: forwardedFor('203.0.113.1') }),
    );
    expect(responses.slice(0, 10).map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
    expectTooMany(responses[10], 'RATE_LIMITED');
    expect((await apis[0].call('POST', '/api/sync/force', { headers: forwardedFor('203.0.113.2') })).status).toBe(200);
  });

  test('an IPv6 subscriber has one count for all its addresses', async () => {
    const responses = await sendRepeatedly(11, (api, turn) =>
      api.call('POST', '/api/sync/force', { headers: forwardedFor(`2001:db8:1:2::${turn.toString(16)}`) }),
    );
    expectTooMany(responses[10], 'RATE_LIMITED');
    expect((await apis[0].call('POST', '/api/sync/force', { headers: forwardedFor('2001:db8:1:3::1') })).status).toBe(
      200,
    );
  });

  test('an IPv6 site has one count for all its subscribers', async () => {
    const responses = await sendRepeatedly(41, (api, turn) =>
      api.call('POST', '/api/sync/force', { headers: forwardedFor(`2001:db8:7:${turn.toString(16)}::1`) }),
    );
    expect(responses.slice(0, 40).map(({ status }) => status)).toEqual(Array.from({ length: 40 }, () => 200));
    expectTooMany(responses[40], 'RATE_LIMITED');
  });

  test('a forwarded address that the client sends itself has no effect', async () => {
    const responses = await sendRepeatedly(11, (api, turn) =>
      api.call('POST', '/api/sync/force', { headers: forwardedFor(`10.0.0.${turn}, 203.0.113.3`) }),
    );
    expectTooMany(responses[10], 'RATE_LIMITED');
  });

  if (isFullRun)
    test('POST /auth/signup: sixty per hour', async () => {
      const responses = await sendRepeatedly(61, (api) =>
        api.call('POST', '/api/auth/signup', { body: {}, headers: forwardedFor('203.0.113.4') }),
      );
      expect(responses[59]?.status).toBe(400);
      expectTooMany(responses[60], 'RATE_LIMITED');
    });

  if (isFullRun)
    test('GET /ads/{id}: 240 in ten minutes; lists are not limited', async () => {
      const headers = forwardedFor('203.0.113.5');
      const responses = await sendRepeatedly(241, (api) => api.call('GET', '/api/ads/none', { headers }));
      expect(responses[239]?.status).toBe(404);
      expectTooMany(responses[240], 'RATE_LIMITED');
      expect((await apis[0].call('GET', '/api/ads', { headers })).status).toBe(200);
    });

  if (isFullRun)
    test('POST /ads/{id}/views: 240 in ten minutes', async () => {
      const headers = forwardedFor('203.0.113.8');
      const count = (times: number) =>
        sendRepeatedly(times, (api) => api.call('POST', '/api/ads/none/views', { headers }));
      // All writes of an address have a limit of 120 a minute.
      for (let minute = 0; minute < 2; minute += 1) {
        expect((await count(120)).map(({ status }) => status)).toEqual(Array.from({ length: 120 }, () => 200));
        vi.setSystemTime(Date.now() + 60_001);
      }
      expectTooMany((await count(1))[0], 'RATE_LIMITED');
    });
});

describe('requests of one account', () => {
  test('that write: 120 per minute from all addresses together', async () => {
    const { token } = await apis[0].signUp('provider');
    // The account has already sent one write request: the verification of its e-mail address.
    const responses = await sendRepeatedly(120, (api, turn) =>
      api.call('DELETE', '/api/ads/none', { token, headers: forwardedFor(`198.51.100.${turn}`) }),
    );
    expect(responses.slice(0, 119).map(({ status }) => status)).toEqual(Array.from({ length: 119 }, () => 404));
    expectTooMany(responses[119], 'RATE_LIMITED');
    const other = await apis[0].signUp('provider');
    expect((await apis[0].call('DELETE', '/api/ads/none', { token: other.token })).status).toBe(404);
  });

  test('that upload a video: twenty per hour; photos are not limited by this', async () => {
    const { token } = await apis[0].signUp('provider');
    const responses = await sendRepeatedly(21, (api) => api.call('POST', '/api/uploads/video', { token }));
    expect(responses[19]?.status).toBe(400);
    expectTooMany(responses[20], 'RATE_LIMITED');
    expect((await apis[0].call('POST', '/api/uploads/photos', { token })).status).toBe(400);
  });

  if (isFullRun)
    test('that appeal with a token of a mail are counted by address, whatever the token', async () => {
      const headers = forwardedFor('203.0.113.77');
      const responses = await sendRepeatedly(121, (api, turn) =>
        api.call('POST', '/api/account/decisions/0193a1b2-0000-7000-8000-000000000001/appeal', {
          body: { text: 'Not so.' },
          headers: { ...headers, 'x-statement-token': `wrong${turn}` },
        }),
      );
      expect(responses[0]?.status).toBe(404);
      expectTooMany(responses[120], 'RATE_LIMITED');
    });

  if (isFullRun)
    test('with an invalid token are counted by address', async () => {
      const headers = forwardedFor('203.0.113.6');
      const responses = await sendRepeatedly(121, (api, turn) =>
        api.call('DELETE', '/api/ads/none', { token: `wrong${turn}`, headers }),
      );
      expect(responses[0]?.status).toBe(401);
      expectTooMany(responses[120], 'RATE_LIMITED');
    });
});

const signUp = (api: ApiClient, email: string, password: string, turn: number) =>
  api.call('POST', '/api/auth/signup', {
    body: { email, password, userType: 'client', displayName: 'Test', age: 30 },
    headers: forwardedFor(`192.0.2.${turn}`),
  });

describe('codes for one e-mail address', () => {
  test.each(sampleOf(['/api/auth/forgot-password', '/api/auth/resend-verification'], 1))(
    'are mailed by %s six times in 15 minutes to one client, whether the address is known or not',
    async (path) => {
      const email = `${path.slice(10, 16)}@example.com`;
      const responses = await sendRepeatedly(7, (api, turn) =>
        api.call('POST', path, {
          body: { email: turn % 2 ? email : email.toUpperCase() },
          headers: forwardedFor('198.18.0.1'),
        }),
      );
      expect(responses[5]?.status).toBe(200);
      expectTooMany(responses[6], 'RATE_LIMITED');
      const elsewhere = await apis[0].call('POST', path, { body: { email }, headers: forwardedFor('198.18.0.2') });
      expect(elsewhere.status, 'another client is not blocked').toBe(200);
    },
  );
  test.each(sampleOf(['known', 'unknown'], 1))(
    'are requested by up to six sign-ups in 15 minutes if the address is %s',
    async (kind) => {
      const email = kind === 'known' ? (await apis[0].signUp('client')).email : 'signed-up@example.com';
      const responses = await sendRepeatedly(7, (api, turn) => signUp(api, email, `a pony in the rain ${turn}`, 60));
      expect(responses.slice(0, 6).map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 201));
      expectTooMany(responses[6], 'RATE_LIMITED');
    },
  );
  test('can be guessed up to twenty times in 15 minutes by one client', async () => {
    const responses = await sendRepeatedly(21, (api) =>
      api.call('POST', '/api/auth/verify-email', {
        body: { email: 'guessed@example.com', code: '000000' },
        headers: forwardedFor('198.18.1.1'),
      }),
    );
    expect(responses[19]?.body['code']).toBe('VERIFICATION_FAILED');
    expectTooMany(responses[20], 'RATE_LIMITED');
  });
});

describe('failed logins', () => {
  const logIn = (api: ApiClient, email: string, password: string, turn: number) =>
    api.call('POST', '/api/auth/login', { body: { email, password }, headers: forwardedFor(`192.0.2.${turn}`) });

  test.each(sampleOf(['known', 'unknown'], 1))(
    'of a%.0s %s address are delayed after five failures, even with the right password, and longer the next time',
    async (kind) => {
      const email = kind === 'known' ? (await apis[0].signUp('client')).email : 'unknown@example.com';
      const responses = await sendRepeatedly(6, (api) => logIn(api, email, 'wrong password', 1));
      expect(responses.slice(0, 5).map(({ body }) => body['code'])).toEqual(
        Array.from({ length: 5 }, () => 'LOGIN_FAILED'),
      );
      expectTooMany(responses[5], 'LOGIN_DELAYED');
      expectTooMany(await logIn(apis[0], email, PASSWORD, 1), 'LOGIN_DELAYED');
      const first_s = Number(responses[5]?.headers.get('retry-after'));
      vi.setSystemTime(Date.now() + first_s * 1_000 + 100);
      expect((await logIn(apis[1], email, 'wrong password', 1)).status).toBe(401);
      const delayed = await logIn(apis[0], email, 'wrong password', 1);
      expectTooMany(delayed, 'LOGIN_DELAYED');
      expect(Number(delayed.headers.get('retry-after'))).toBeGreaterThan(first_s);
    },
  );

  test('are counted from 0 after a successful login', async () => {
    const { email } = await apis[0].signUp('client');
    for (let round = 0; round < 2; round += 1) {
      const failed = await sendRepeatedly(4, (api) => logIn(api, email, 'wrong password', 100));
      expect(failed.map(({ status }) => status)).toEqual([401, 401, 401, 401]);
      expect((await logIn(apis[1], email, PASSWORD, 100)).status).toBe(200);
    }
  });

  test.each(sampleOf(['taken', 'free'], 1))(
    'are not reset by logins to an unverified account, so a sign-up with a %s address allows no more guesses',
    async (kind) => {
      const email = kind === 'taken' ? (await apis[0].signUp('client')).email : 'not-verified@example.com';
      expect((await signUp(apis[0], email, 'second password', 120)).status).toBe(201);
      await sendRepeatedly(4, (api) => logIn(api, email, 'wrong password', 120));
      expect((await logIn(apis[1], email, 'second password', 120)).status).toBe(200);
      expect((await logIn(apis[0], email, 'wrong password', 120)).status).toBe(401);
      expectTooMany(await logIn(apis[1], email, 'wrong password', 120), 'LOGIN_DELAYED');
    },
  );

  if (isFullRun)
    test('of one client address: sixty requests in 15 minutes', async () => {
      const responses = await sendRepeatedly(61, (api) =>
        api.call('POST', '/api/auth/login', { body: {}, headers: forwardedFor('203.0.113.7') }),
      );
      expect(responses[59]?.status).toBe(400);
      expectTooMany(responses[60], 'RATE_LIMITED');
    });
});

test('counts contain no names, and expired counts are deleted', async () => {
  const { rows } = await pool.query<{ key: string }>('select key from requests.counts order by expire desc, key');
  expect(rows.length).toBeGreaterThan(10);
  for (const { key } of rows) expect(key).toMatch(/^[a-z-]+:[0-9a-f]{32}$/u);
  await pool.query('update requests.counts set expire = 1 where key = $1', [rows[0]?.key]);
  const counters = await openSharedCounters({
    redisUrl: null,
    databaseUrl: place.databaseUrl,
    log: createLogger('silent'),
  });
  await counters.sweep();
  await counters.close();
  const { rows: remaining } = await pool.query<{ key: string }>(
    'select key from requests.counts order by expire desc, key',
  );
  // Other counts may have expired too, so the test compares only the ten newest counts.
  expect(remaining.slice(0, 10)).toEqual(rows.slice(1, 11));
  expect(remaining).not.toContainEqual(rows[0]);
});

test('without rate limits, no requests are counted', async () => {
  const readCounts = async () => {
    const { rows } = await pool.query<{ key: string; points: number }>('select key, points from requests.counts');
    return rows;
  };
  const before = await readCounts();
  const unlimited = await startTestProduct({}, place);
  const statuses = await Promise.all(
    Array.from({ length: 20 }, () => apiClient(unlimited.url).call('POST', '/api/sync/force')),
  );
  await unlimited.stop();
  expect(new Set(statuses.map(({ status }) => status))).toEqual(new Set([200]));
  // The processes may have deleted expired counts in the meantime, so only new and increased counts are failures.
  const after = await readCounts();
  expect(before.length).toBeGreaterThan(0);
  expect(before).toEqual(expect.arrayContaining(after));
});
