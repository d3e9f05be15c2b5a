import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { NewAdFields } from '@alpenglow/domain/contracts';
import { isApiError, type ApiError } from '../src/api/api-error.ts';
import { createApi } from '../src/api/client.ts';
import { createPositions } from '../src/api/positions.ts';

/** A server that answers as it is told, and remembers what it was asked. */
interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly text?: string;
}
let server: Server;
let baseUrl: string;
let answer: Answer = {};
const asked: { method: string; url: string; headers: IncomingMessage['headers']; body: string }[] = [];

beforeAll(async () => {
  server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      asked.push({
        method: req.method ?? '',
        url: req.url ?? '',
        headers: req.headers,
        body: Buffer.concat(chunks).toString(),
      });
      if (answer.status === 0) return;
      res.writeHead(answer.status ?? 200, { 'Content-Type': 'application/json', ...answer.headers });
      res.end(answer.text ?? JSON.stringify(answer.body ?? { success: true }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  answer = {};
  asked.length = 0;
});

const api = (token: string | null = 'a-token') => createApi({ baseUrl, token, positions: createPositions(null) });

async function refusal(call: Promise<unknown>): Promise<ApiError> {
  const error: unknown = await call.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!isApiError(error)) throw new Error(`expected an ApiError, got ${String(error)}`);
  return error;
}

const newAd: NewAdFields = {
  name: 'A',
  title: 'T',
  category: 'massage',
  state: 'NV',
  city: 'Reno',
  description: 'D',
  price: null,
  body: null,
  phone: null,
  socialMedia: null,
  photos: [],
  video: null,
};
const signUp = {
  email: 'a@example.com',
  password: 'correct horse',
  userType: 'client',
  displayName: 'A',
  age: 30,
} as const;
const refused = (status: number, message: string, code = 'SOME_CODE', more = {}): Answer => ({
  status,
  body: { success: false, error: message, message, code, requestId: 'r', ...more },
});

describe('what is sent', () => {
  test('a list asks for what was chosen and nothing else', async () => {
    answer = { body: { success: true, data: [], nextCursor: null, total: 0 } };
    await api(null).listAds({ state: 'NV', city: 'Las Vegas', q: 'a&b', sort: 'newest' }, { cursor: 'c1', limit: 10 });
    expect(asked[0]?.url).toBe('/api/ads?state=NV&city=Las+Vegas&q=a%26b&sort=newest&cursor=c1&limit=10');
    expect(asked[0]?.headers.authorization).toBeUndefined();
    await api(null).listAds({});
    expect(asked[1]?.url).toBe('/api/ads');
  });

  test('parts of a path are encoded', async () => {
    answer = { body: { success: true, data: [], nextCursor: null, total: 0 } };
    await api(null).adsByLocation('NV', 'Las Vegas/..');
    expect(asked[0]?.url).toBe('/api/ads/location/NV/Las%20Vegas%2F..');
  });

  test('the token goes as a bearer, a new ad with its client id', async () => {
    await api().createAd(newAd, 'client-1');
    expect(asked[0]?.headers).toMatchObject({
      authorization: 'Bearer a-token',
      'idempotency-key': 'client-1',
      'content-type': 'application/json',
    });
    expect(JSON.parse(asked[0]?.body ?? '')).toMatchObject({
      id: 'client-1',
      title: 'T',
      isActive: true,
      status: 'active',
      lastBumpedAt: expect.stringMatching(/^\d{4}-.*Z$/u),
      photos: [
        '/uploads/photos/demo-01/1600.jpg',
        '/uploads/photos/demo-02/1600.jpg',
        '/uploads/photos/demo-03/1600.jpg',
      ],
    });
  });

  test('an update names what it is a change of, where that is known', async () => {
    answer = { headers: { ETag: '"7"' }, body: { success: true, data: { id: 'x' } } };
    expect(await api().getAdToEdit('x')).toEqual({ ad: { id: 'x' }, revision: '"7"' });
    await api().updateAd('x', { title: 'T' }, '"7"');
    await api().updateAd('x', { title: 'T' });
    expect(asked.slice(1).map(({ method, url, headers }) => [method, url, headers['if-match']])).toEqual([
      ['PUT', '/api/ads/x', '"7"'],
      ['PUT', '/api/ads/x', undefined],
    ]);
  });

  test('without a token, a call that needs one is not made', async () => {
    expect(await refusal(api(null).createAd(newAd, 'c'))).toMatchObject({
      message: 'Authentication required',
      code: 'NO_TOKEN',
    });
    expect(asked).toHaveLength(0);
  });

  test('a read after a write waits for the write', async () => {
    const one = api();
    await one.listAds({});
    expect(asked[0]?.headers['x-wait-position']).toBeUndefined();
    answer = { headers: { 'X-Position': '0000000007' } };
    await one.bumpAd('ad-1');
    expect(asked[1]?.headers['x-wait-position'], 'only reads wait').toBeUndefined();
    answer = {};
    await one.listAds({});
    expect(asked[2]?.headers['x-wait-position']).toBe('0000000007');
  });
});

/** Specification, section 8: the quoted texts. */
describe('what a refusal says', () => {
  test.each<[string, () => Promise<unknown>, Answer, string]>([
    ['login without a server message', () => api(null).login('a@b.ch', 'x'), { status: 401, body: {} }, 'Login failed'],
    [
      'login with one',
      () => api(null).login('a@b.ch', 'x'),
      refused(429, 'Too many requests. Please try again in 9 seconds.'),
      'Too many requests. Please try again in 9 seconds.',
    ],
    [
      'sign-up with an error',
      () => api(null).signup(signUp),
      refused(400, 'You must be at least 18 years old'),
      'You must be at least 18 years old',
    ],
    [
      'sign-up without words',
      () => api(null).signup(signUp),
      { status: 500, body: { success: false } },
      'Signup failed',
    ],
    [
      'sign-up without JSON',
      () => api(null).signup(signUp),
      { status: 502, text: '<h1>Bad Gateway</h1>' },
      'HTTP 502: Bad Gateway',
    ],
    ['create', () => api().createAd(newAd, 'c'), refused(409, 'One ad only'), 'HTTP 409: One ad only'],
    ['create without JSON', () => api().createAd(newAd, 'c'), { status: 500, text: 'boom' }, 'HTTP 500: boom'],
    [
      'create, OK and yet refused',
      () => api().createAd(newAd, 'c'),
      { body: { success: false } },
      'Failed to create ad',
    ],
    [
      'create, OK and refused with words',
      () => api().createAd(newAd, 'c'),
      { body: { success: false, message: 'Not today' } },
      'Not today',
    ],
    ['token check', () => api().verify(), { status: 500, body: {} }, 'Token verification failed'],
    ['verification', () => api(null).verifyEmail('a@b.ch', '1'), { status: 400, body: {} }, 'Verification failed'],
    [
      'resend',
      () => api(null).resendVerification('a@b.ch'),
      { status: 500, body: {} },
      'Failed to resend verification code',
    ],
    ['list', () => api(null).listAds({}), { status: 500, text: 'boom' }, 'Failed to load ads'],
    ['own ads', () => api().userAds(), { status: 500, text: '' }, 'Failed to load user ads'],
    ['one ad', () => api(null).getAd('x'), { status: 404, text: '' }, 'Ad not found'],
    ['update', () => api().updateAd('x', {}), { status: 500, text: '' }, 'Failed to update ad'],
    ['update, OK and yet refused', () => api().updateAd('x', {}), { body: { success: false } }, 'Failed to update ad'],
    ['an ad to edit that is not there', () => api().getAdToEdit('x'), { status: 404, text: '' }, 'Ad not found'],
    ['an ad to edit that cannot be had', () => api().getAdToEdit('x'), { status: 500, text: '' }, 'Error loading ads'],
    ['delete', () => api().deleteAd('x'), { status: 500, text: '' }, 'Failed to delete ad'],
    ['bump', () => api().bumpAd('x'), { status: 500, text: '' }, 'Error bumping ad'],
    ['sync status', () => api(null).syncStatus(), { status: 500, text: '' }, 'Error getting sync status'],
    ['any other', () => api().logout(), { status: 503, text: '' }, 'HTTP 503'],
    ['an OK answer that is no JSON', () => api(null).listAds({}), { text: 'hello' }, 'HTTP 200'],
  ])('%s', async (_name, call, given, message) => {
    answer = given;
    expect((await refusal(call())).message).toBe(message);
  });

  test('code, fields and the time left come along', async () => {
    answer = refused(429, 'You can bump your ad again in 26 min', 'BUMP_COOLDOWN', {
      retryAfter_s: 1560,
      fields: { title: 'Too long', odd: 7 },
    });
    expect(await refusal(api().bumpAd('x'))).toMatchObject({
      status: 429,
      code: 'BUMP_COOLDOWN',
      retryAfter_s: 1560,
      fields: { title: 'Too long' },
    });
    answer = { status: 429, headers: { 'Retry-After': '60' }, body: { message: 'Slow down' } };
    expect(await refusal(api().bumpAd('x'))).toMatchObject({ code: 'UNKNOWN', retryAfter_s: 60 });
  });

  test('no server: network failure, worded apart for sign-up', async () => {
    const nowhere = createApi({ baseUrl: 'http://127.0.0.1:1/api', token: 't', positions: createPositions(null) });
    expect(await refusal(nowhere.listAds({}))).toMatchObject({
      message: 'Network error - please check your connection',
      code: 'NETWORK',
      status: 0,
    });
    expect((await refusal(nowhere.signup(signUp))).message).toBe(
      'Cannot connect to server. Please check your internet connection.',
    );
  });

  test('a cancelled request', async () => {
    answer = { status: 0 };
    const controller = new AbortController();
    const pending = refusal(api(null).listAds({}, { signal: controller.signal }));
    controller.abort();
    expect(await pending).toMatchObject({ message: 'Request was cancelled. Please try again.', code: 'CANCELLED' });
  });
});
