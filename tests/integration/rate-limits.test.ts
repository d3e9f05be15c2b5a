import { Pool } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createLogger, openSharedCounters } from '@alpenglow/infra';
import { apiClient, PASSWORD, type Answer, type ApiClient } from '../support/api.ts';
import { preparedPlace, startTestProduct, type TestProduct } from '../support/product.ts';
import { isFullRun, sampleOf } from '../support/sample.ts';

/** Two processes' worth of the product on one database, behind a proxy that is believed: each test has visitors of its own. */
let place: Awaited<ReturnType<typeof preparedPlace>>;
let products: readonly TestProduct[];
let apis: readonly [ApiClient, ApiClient];
let pool: Pool;

beforeAll(async () => {
  place = await preparedPlace();
  const start = () => startTestProduct({ rateLimits: true, trustedProxies: 1 }, place);
  const one = await start();
  const other = await start();
  products = [one, other];
  apis = [apiClient(one.url), apiClient(other.url)];
  pool = new Pool({ connectionString: place.databaseUrl });
});
afterAll(async () => {
  await pool.end();
  for (const product of products) await product.stop();
  await place.remove();
});

// Only the clock is held: what is counted is over when a test says so, however long its calls take.
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

const from = (address: string) => ({ 'x-forwarded-for': address });

/** Calls in turn, on either process, and answers every answer. */
async function repeat(
  times: number,
  call: (api: ApiClient, turn: number) => Promise<Answer>,
): Promise<readonly Answer[]> {
  const answers: Answer[] = [];
  for (let turn = 0; turn < times; turn += 1) answers.push(await call(turn % 2 === 0 ? apis[0] : apis[1], turn));
  return answers;
}

function expectTooMany(answer: Answer | undefined, code: string): void {
  expect(answer).toMatchObject({
    status: 429,
    body: { success: false, code, title: 'Too Many Requests', status: 429 },
  });
  const seconds = Number(answer?.headers.get('retry-after'));
  expect(seconds).toBeGreaterThan(0);
  expect(answer?.body['retryAfter_s']).toBe(seconds);
  expect(answer?.body['message']).toContain(`${seconds} seconds`);
}

describe('calls of one address, counted by both processes together', () => {
  test('POST /sync/force: ten a minute; another address has its own ten', async () => {
    const answers = await repeat(11, (api) => api.call('POST', '/api/sync/force', { headers: from('203.0.113.1') }));
    expect(answers.slice(0, 10).map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
    expectTooMany(answers[10], 'RATE_LIMITED');
    expect((await apis[0].call('POST', '/api/sync/force', { headers: from('203.0.113.2') })).status).toBe(200);
  });

  test('an IPv6 subscriber is one, whichever of the addresses is used', async () => {
    const answers = await repeat(11, (api, turn) =>
      api.call('POST', '/api/sync/force', { headers: from(`2001:db8:1:2::${turn.toString(16)}`) }),
    );
    expectTooMany(answers[10], 'RATE_LIMITED');
    expect((await apis[0].call('POST', '/api/sync/force', { headers: from('2001:db8:1:3::1') })).status).toBe(200);
  });

  test('what a client says itself of where it comes from helps nobody', async () => {
    const answers = await repeat(11, (api, turn) =>
      api.call('POST', '/api/sync/force', { headers: from(`10.0.0.${turn}, 203.0.113.3`) }),
    );
    expectTooMany(answers[10], 'RATE_LIMITED');
  });

  if (isFullRun)
    test('POST /auth/signup: sixty an hour', async () => {
      const answers = await repeat(61, (api) =>
        api.call('POST', '/api/auth/signup', { body: {}, headers: from('203.0.113.4') }),
      );
      expect(answers[59]?.status).toBe(400);
      expectTooMany(answers[60], 'RATE_LIMITED');
    });

  if (isFullRun)
    test('GET /ads/{id}, where contact details are: 240 in ten minutes; lists go on', async () => {
      const headers = from('203.0.113.5');
      const answers = await repeat(241, (api) => api.call('GET', '/api/ads/none', { headers }));
      expect(answers[239]?.status).toBe(404);
      expectTooMany(answers[240], 'RATE_LIMITED');
      expect((await apis[0].call('GET', '/api/ads', { headers })).status).toBe(200);
    });
});

describe('calls of one account', () => {
  test('that write: 120 a minute, from wherever they come', async () => {
    const { token } = await apis[0].signUp('provider');
    const answers = await repeat(121, (api, turn) =>
      api.call('DELETE', '/api/ads/none', { token, headers: from(`198.51.100.${turn}`) }),
    );
    expect(answers[119]?.status).toBe(404);
    expectTooMany(answers[120], 'RATE_LIMITED');
    const other = await apis[0].signUp('provider');
    expect((await apis[0].call('DELETE', '/api/ads/none', { token: other.token })).status).toBe(404);
  });

  test('that upload a video: twenty an hour; photos go on', async () => {
    const { token } = await apis[0].signUp('provider');
    const answers = await repeat(21, (api) => api.call('POST', '/api/uploads/video', { token }));
    expect(answers[19]?.status).toBe(400);
    expectTooMany(answers[20], 'RATE_LIMITED');
    expect((await apis[0].call('POST', '/api/uploads/photos', { token })).status).toBe(400);
  });

  if (isFullRun)
    test('that appeal by a token of a mail count for the address, whatever the token', async () => {
      const headers = from('203.0.113.77');
      const answers = await repeat(121, (api, turn) =>
        api.call('POST', '/api/account/decisions/0193a1b2-0000-7000-8000-000000000001/appeal', {
          body: { text: 'Not so.' },
          headers: { ...headers, 'x-statement-token': `wrong${turn}` },
        }),
      );
      expect(answers[0]?.status).toBe(404);
      expectTooMany(answers[120], 'RATE_LIMITED');
    });

  if (isFullRun)
    test('with a wrong token count for the address', async () => {
      const headers = from('203.0.113.6');
      const answers = await repeat(121, (api, turn) =>
        api.call('DELETE', '/api/ads/none', { token: `wrong${turn}`, headers }),
      );
      expect(answers[0]?.status).toBe(401);
      expectTooMany(answers[120], 'RATE_LIMITED');
    });
});

const signUp = (api: ApiClient, email: string, password: string, turn: number) =>
  api.call('POST', '/api/auth/signup', {
    body: { email, password, userType: 'client', displayName: 'Test', age: 30 },
    headers: from(`192.0.2.${turn}`),
  });

describe('codes for one e-mail address', () => {
  test.each(sampleOf(['/api/auth/forgot-password', '/api/auth/resend-verification'], 1))(
    'are mailed six times an hour by %s, known or not',
    async (path) => {
      const email = `${path.slice(10, 16)}@example.com`;
      const answers = await repeat(7, (api, turn) =>
        api.call('POST', path, {
          body: { email: turn % 2 ? email : email.toUpperCase() },
          headers: from(`198.18.0.${turn}`),
        }),
      );
      expect(answers[5]?.status).toBe(200);
      expectTooMany(answers[6], 'RATE_LIMITED');
    },
  );
  test.each(sampleOf(['known', 'unknown'], 1))(
    'are asked for by six sign-ups an hour, where the address is %s',
    async (kind) => {
      const email = kind === 'known' ? (await apis[0].signUp('client')).email : 'signed-up@example.com';
      const answers = await repeat(7, (api, turn) => signUp(api, email, `password ${turn}`, turn));
      expect(answers[kind === 'known' ? 4 : 5]?.status).toBe(201);
      expectTooMany(answers[kind === 'known' ? 5 : 6], 'RATE_LIMITED');
    },
  );
  test('are guessed twenty times an hour at most', async () => {
    const answers = await repeat(21, (api, turn) =>
      api.call('POST', '/api/auth/verify-email', {
        body: { email: 'guessed@example.com', code: '000000' },
        headers: from(`198.18.1.${turn}`),
      }),
    );
    expect(answers[19]?.body['code']).toBe('VERIFICATION_FAILED');
    expectTooMany(answers[20], 'RATE_LIMITED');
  });
});

describe('logins', () => {
  const logIn = (api: ApiClient, email: string, password: string, turn: number) =>
    api.call('POST', '/api/auth/login', { body: { email, password }, headers: from(`192.0.2.${turn}`) });

  test.each(sampleOf(['known', 'unknown'], 1))(
    'of a%.0s %s address that fail five times have to wait, the right password too, and wait longer the next time',
    async (kind) => {
      const email = kind === 'known' ? (await apis[0].signUp('client')).email : 'unknown@example.com';
      const answers = await repeat(6, (api, turn) => logIn(api, email, 'wrong password', turn));
      expect(answers.slice(0, 5).map(({ body }) => body['code'])).toEqual(
        Array.from({ length: 5 }, () => 'LOGIN_FAILED'),
      );
      expectTooMany(answers[5], 'LOGIN_DELAYED');
      expectTooMany(await logIn(apis[0], email, PASSWORD, 50), 'LOGIN_DELAYED');
      const first_s = Number(answers[5]?.headers.get('retry-after'));
      vi.setSystemTime(Date.now() + first_s * 1_000 + 100);
      expect((await logIn(apis[1], email, 'wrong password', 51)).status).toBe(401);
      const delayed = await logIn(apis[0], email, 'wrong password', 52);
      expectTooMany(delayed, 'LOGIN_DELAYED');
      expect(Number(delayed.headers.get('retry-after'))).toBeGreaterThan(first_s);
    },
  );

  test('that succeed begin anew', async () => {
    const { email } = await apis[0].signUp('client');
    for (let round = 0; round < 2; round += 1) {
      const failed = await repeat(4, (api, turn) => logIn(api, email, 'wrong password', 100 + turn));
      expect(failed.map(({ status }) => status)).toEqual([401, 401, 401, 401]);
      expect((await logIn(apis[1], email, PASSWORD, 110)).status).toBe(200);
    }
  });

  test.each(sampleOf(['taken', 'free'], 1))(
    'to an account that nobody has verified do not: whoever signs up with a %s address cannot guess on',
    async (kind) => {
      const email = kind === 'taken' ? (await apis[0].signUp('client')).email : 'not-verified@example.com';
      expect((await signUp(apis[0], email, 'second password', 120)).status).toBe(201);
      await repeat(4, (api, turn) => logIn(api, email, 'wrong password', 120 + turn));
      expect((await logIn(apis[1], email, 'second password', 130)).status).toBe(200);
      expect((await logIn(apis[0], email, 'wrong password', 131)).status).toBe(401);
      expectTooMany(await logIn(apis[1], email, 'wrong password', 132), 'LOGIN_DELAYED');
    },
  );

  if (isFullRun)
    test('of one address: sixty in a quarter of an hour', async () => {
      const answers = await repeat(61, (api) =>
        api.call('POST', '/api/auth/login', { body: {}, headers: from('203.0.113.7') }),
      );
      expect(answers[59]?.status).toBe(400);
      expectTooMany(answers[60], 'RATE_LIMITED');
    });
});

test('what is counted names nobody, and goes when it is over', async () => {
  const { rows } = await pool.query<{ key: string }>('select key from requests.counts order by expire desc, key');
  expect(rows.length).toBeGreaterThan(10);
  for (const { key } of rows) expect(key).toMatch(/^[a-z-]+:[0-9a-f]{32}$/u);
  await pool.query('update requests.counts set expire = 1 where key = $1', [rows[0]?.key]);
  await (await openSharedCounters({ redisUrl: null, pool, log: createLogger('silent') })).sweep();
  const { rows: left } = await pool.query<{ key: string }>('select key from requests.counts order by expire desc, key');
  // Beside those whose time was over anyway.
  expect(left.slice(0, 10)).toEqual(rows.slice(1, 11));
  expect(left).not.toContainEqual(rows[0]);
});

test('where they are off, nobody is counted', async () => {
  const { rows: before } = await pool.query('select sum(points) from requests.counts');
  const free = await startTestProduct({}, place);
  const statuses = await Promise.all(
    Array.from({ length: 20 }, () => apiClient(free.url).call('POST', '/api/sync/force')),
  );
  await free.stop();
  expect(new Set(statuses.map(({ status }) => status))).toEqual(new Set([200]));
  expect((await pool.query('select sum(points) from requests.counts')).rows).toEqual(before);
});
