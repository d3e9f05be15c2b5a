import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { newAdFields } from '@alpenglow/domain/contracts';
import { ApiError, getErrorMessage, isApiError } from '../src/api/api-error.ts';
import { logIn, resendVerification, signUp as sendSignUp, verifyEmail } from '../src/api/account-calls.ts';
import { adsByLocation, getAd, listAds, nearbyAds, userAds } from '../src/api/ad-calls.ts';
import { createApi } from '../src/api/client.ts';
import { bumpAd, createAd, deleteAd, getAdToEdit, updateAd } from '../src/api/own-ad-calls.ts';
import { downloadSignedIn } from '../src/api/files.ts';
import { getSyncStatus } from '../src/api/system-calls.ts';
import { showFieldErrors } from '../src/components/form-errors.ts';
import { createPositionStore } from '../src/api/position-store.ts';
import { endSession, verifySession } from '../src/api/session-calls.ts';

/** Response that the fake server sends next. */
interface FakeResponse {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly text?: string;
}
let server: Server;
let baseUrl: string;
let nextResponse: FakeResponse = {};
const requests: { method: string; url: string; headers: IncomingMessage['headers']; body: string }[] = [];

beforeAll(async () => {
  server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      requests.push({
        method: req.method ?? '',
        url: req.url ?? '',
        headers: req.headers,
        body: Buffer.concat(chunks).toString(),
      });
      if (nextResponse.status === 0) return;
      res.writeHead(nextResponse.status ?? 200, { 'Content-Type': 'application/json', ...nextResponse.headers });
      res.end(nextResponse.text ?? JSON.stringify(nextResponse.body ?? { success: true }));
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
  nextResponse = {};
  requests.length = 0;
});

const api = (token: string | null = 'a-token') => createApi({ baseUrl, token, positions: createPositionStore(null) });

async function apiErrorOf(call: Promise<unknown>): Promise<ApiError> {
  const error: unknown = await call.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!isApiError(error)) throw new Error(`expected an ApiError, got ${String(error)}`);
  return error;
}

const newAd = newAdFields.parse({
  name: 'A',
  title: 'T',
  category: 'massage',
  state: 'NV',
  city: 'Reno',
  description: 'D',
});
const signUp = {
  email: 'a@example.com',
  password: 'correct horse',
  userType: 'client',
  displayName: 'A',
  age: 30,
} as const;
const errorResponse = (status: number, message: string, code = 'SOME_CODE', more = {}): FakeResponse => ({
  status,
  body: { success: false, error: message, message, code, requestId: 'r', ...more },
});

describe('requests of the API client', () => {
  test('a list request contains the selected filters only', async () => {
    nextResponse = { body: { success: true, data: [], nextCursor: null, total: 0 } };
    await listAds(api(null), { state: 'NV', city: 'Las Vegas', q: 'a&b', sort: 'newest' }, { cursor: 'c1', limit: 10 });
    expect(requests[0]?.url).toBe(
      '/api/ads?state=NV&city=Las+Vegas&q=a%26b&sort=newest&cursor=c1&limit=10&details=false',
    );
    expect(requests[0]?.headers.authorization).toBeUndefined();
    await listAds(api(null), {});
    expect(requests[1]?.url).toBe('/api/ads?details=false');
  });

  test('each request has its own trace, and leaves it to the server whether it is recorded (R-7.102)', async () => {
    await getSyncStatus(api());
    await endSession(api());
    await downloadSignedIn(api(), '/export');
    const sent = requests.map(({ headers }) => String(headers['traceparent']));
    for (const traceparent of sent) expect(traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/u);
    expect(new Set(sent.flatMap((traceparent) => traceparent.split('-').slice(1, 3))).size).toBe(6);
  });

  test('path segments are encoded', async () => {
    nextResponse = { body: { success: true, data: [], nextCursor: null, total: 0 } };
    await adsByLocation(api(null), 'NV', 'Las Vegas/..');
    expect(requests[0]?.url).toBe('/api/ads/location/NV/Las%20Vegas%2F..?details=false');
  });

  test('creating an ad sends the bearer token and the client id', async () => {
    await createAd(api(), newAd, 'client-1');
    expect(requests[0]?.headers).toMatchObject({
      authorization: 'Bearer a-token',
      'idempotency-key': 'client-1',
      'content-type': 'application/json',
    });
    expect(JSON.parse(requests[0]?.body ?? '')).toMatchObject({
      id: 'client-1',
      title: 'T',
      isActive: true,
      status: 'active',
      lastBumpedAt: expect.stringMatching(/^\d{4}-.*Z$/u),
      photos: [],
    });
  });

  test('an update contains the known revision of the ad', async () => {
    nextResponse = { headers: { ETag: '"7"' }, body: { success: true, data: { id: 'x' } } };
    expect(await getAdToEdit(api(), 'x')).toEqual({ ad: { id: 'x' }, revision: '"7"' });
    await updateAd(api(), 'x', { title: 'T' }, '"7"');
    await updateAd(api(), 'x', { title: 'T' });
    expect(requests.slice(1).map(({ method, url, headers }) => [method, url, headers['if-match']])).toEqual([
      ['PUT', '/api/ads/x', '"7"'],
      ['PUT', '/api/ads/x', undefined],
    ]);
  });

  test('a request that needs a token fails without one, before it is sent', async () => {
    expect(await apiErrorOf(createAd(api(null), newAd, 'c'))).toMatchObject({
      message: 'Authentication required',
      code: 'NO_TOKEN',
    });
    expect(requests).toHaveLength(0);
  });

  test('a read after a write waits for the write', async () => {
    const client = api();
    await listAds(client, {});
    expect(requests[0]?.headers['x-wait-position']).toBeUndefined();
    nextResponse = { headers: { 'X-Position': '0000000007' } };
    await bumpAd(client, 'ad-1');
    expect(requests[1]?.headers['x-wait-position'], 'only reads wait').toBeUndefined();
    nextResponse = {};
    await listAds(client, {});
    expect(requests[2]?.headers['x-wait-position']).toBe('0000000007');
  });
});

/** The expected messages are quoted from. */
describe('messages of API errors', () => {
  test.each<[string, () => Promise<unknown>, FakeResponse, string]>([
    [
      'login without a server message',
      () => logIn(api(null), 'a@b.ch', 'x'),
      { status: 401, body: {} },
      'Login failed',
    ],
    [
      'login with a server message',
      () => logIn(api(null), 'a@b.ch', 'x'),
      errorResponse(429, 'Too many requests. Please try again in 9 seconds.'),
      'Too many requests. Please try again in 9 seconds.',
    ],
    [
      'sign-up with a server message',
      () => sendSignUp(api(null), signUp),
      errorResponse(400, 'You must be at least 18 years old'),
      'You must be at least 18 years old',
    ],
    [
      'sign-up without a server message',
      () => sendSignUp(api(null), signUp),
      { status: 500, body: { success: false } },
      'Signup failed',
    ],
    [
      'sign-up without JSON',
      () => sendSignUp(api(null), signUp),
      { status: 502, text: '<h1>Bad Gateway</h1>' },
      'HTTP 502: Bad Gateway',
    ],
    ['create', () => createAd(api(), newAd, 'c'), errorResponse(409, 'One ad only'), 'HTTP 409: One ad only'],
    ['create without JSON', () => createAd(api(), newAd, 'c'), { status: 500, text: 'boom' }, 'HTTP 500: boom'],
    [
      'create with status 200 and success: false',
      () => createAd(api(), newAd, 'c'),
      { body: { success: false } },
      'Failed to create ad',
    ],
    [
      'create with status 200, success: false and a message',
      () => createAd(api(), newAd, 'c'),
      { body: { success: false, message: 'Not today' } },
      'Not today',
    ],
    ['token check', () => verifySession(api()), { status: 500, body: {} }, 'Token verification failed'],
    ['verification', () => verifyEmail(api(null), 'a@b.ch', '1'), { status: 400, body: {} }, 'Verification failed'],
    [
      'resend',
      () => resendVerification(api(null), 'a@b.ch'),
      { status: 500, body: {} },
      'Failed to resend verification code',
    ],
    ['list', () => listAds(api(null), {}), { status: 500, text: 'boom' }, 'Failed to load ads'],
    ['own ads', () => userAds(api()), { status: 500, text: '' }, 'Failed to load user ads'],
    ['one ad', () => getAd(api(null), 'x'), { status: 404, text: '' }, 'Ad not found'],
    ['update', () => updateAd(api(), 'x', {}), { status: 500, text: '' }, 'Failed to update ad'],
    [
      'update with status 200 and success: false',
      () => updateAd(api(), 'x', {}),
      { body: { success: false } },
      'Failed to update ad',
    ],
    ['a missing ad to edit', () => getAdToEdit(api(), 'x'), { status: 404, text: '' }, 'Ad not found'],
    [
      'an ad to edit that cannot be loaded',
      () => getAdToEdit(api(), 'x'),
      { status: 500, text: '' },
      'Error loading ads',
    ],
    ['delete', () => deleteAd(api(), 'x'), { status: 500, text: '' }, 'Failed to delete ad'],
    [
      'delete with a server message',
      () => deleteAd(api(), 'x'),
      errorResponse(401, 'Authentication required'),
      'Authentication required',
    ],
    [
      'bump with a server message',
      () => bumpAd(api(), 'x'),
      errorResponse(403, 'Only providers can bump ads'),
      'Only providers can bump ads',
    ],
    ['bump', () => bumpAd(api(), 'x'), { status: 500, text: '' }, 'Error bumping ad'],
    ['sync status', () => getSyncStatus(api(null)), { status: 500, text: '' }, 'Error getting sync status'],
    ['any other request', () => endSession(api()), { status: 503, text: '' }, 'HTTP 503'],
    ['a successful response that is no JSON', () => listAds(api(null), {}), { text: 'hello' }, 'HTTP 200'],
  ])('%s', async (_name, call, response, message) => {
    nextResponse = response;
    expect((await apiErrorOf(call())).message).toBe(message);
  });

  test('an error contains code, fields and the waiting time', async () => {
    nextResponse = errorResponse(429, 'You can bump your ad again in 26 min', 'BUMP_COOLDOWN', {
      retryAfter_s: 1560,
      fields: { title: 'Too long', odd: 7 },
    });
    expect(await apiErrorOf(bumpAd(api(), 'x'))).toMatchObject({
      status: 429,
      code: 'BUMP_COOLDOWN',
      retryAfter_s: 1560,
      fields: { title: 'Too long' },
    });
    nextResponse = { status: 429, headers: { 'Retry-After': '60' }, body: { message: 'Slow down' } };
    expect(await apiErrorOf(bumpAd(api(), 'x'))).toMatchObject({ code: 'UNKNOWN', retryAfter_s: 60 });
  });

  test('an unreachable server causes a network error, with a separate message for sign-up', async () => {
    const nowhere = createApi({ baseUrl: 'http://127.0.0.1:1/api', token: 't', positions: createPositionStore(null) });
    expect(await apiErrorOf(listAds(nowhere, {}))).toMatchObject({
      message: 'Network error - please check your connection',
      code: 'NETWORK',
      status: 0,
    });
    expect((await apiErrorOf(sendSignUp(nowhere, signUp))).message).toBe(
      'Cannot connect to server. Please check your internet connection.',
    );
  });

  test('a cancelled request has its own message and code', async () => {
    nextResponse = { status: 0 };
    const controller = new AbortController();
    const pending = apiErrorOf(listAds(api(null), {}, { signal: controller.signal }));
    controller.abort();
    expect(await pending).toMatchObject({ message: 'Request was cancelled. Please try again.', code: 'CANCELLED' });
  });
});

describe('the text of a page about an error (R-8.30)', () => {
  const REQUEST_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
  const textOf = async (response: FakeResponse) => {
    nextResponse = response;
    return getErrorMessage(await apiErrorOf(getSyncStatus(api())), 'No text');
  };

  test.each([500, 503])('ends with the reference of the request after status %i', async (status) => {
    expect(await textOf(errorResponse(status, 'Error', 'INTERNAL', { requestId: REQUEST_ID }))).toBe(
      'Error\nReference: 4bf92f3577b3',
    );
  });

  test('has no reference if the input was rejected, or if the response does not come from the API', async () => {
    expect(await textOf(errorResponse(400, 'Not so', 'INVALID_FIELDS', { requestId: REQUEST_ID }))).toBe('Not so');
    expect(await textOf({ status: 502, text: 'Bad Gateway' })).toBe('Error getting sync status');
  });

  test('is the fallback for errors that are no responses, and accepts errors of older front ends', async () => {
    expect(getErrorMessage(new TypeError('Cannot read'), 'Not saved')).toBe('Not saved');
    const older = Object.assign(new Error('Error'), { name: 'ApiError', status: 500, code: 'INTERNAL' });
    expect(getErrorMessage(older, 'Not saved')).toBe('Error');
  });

  test('shows the reference next to a form, too', () => {
    const error = new ApiError('Error', { status: 500, code: 'INTERNAL', requestId: REQUEST_ID });
    expect(showFieldErrors<{ email: string }>(error, ['email'], () => undefined, 'Not saved')).toBe(
      'Error\nReference: 4bf92f3577b3',
    );
  });
});

describe('the names of an ad', () => {
  const snakeCase = {
    id: '1',
    created_at: 'c',
    updated_at: 'u',
    last_bumped_at: 'b',
    is_featured: true,
    is_active: true,
    phone_number: '+1 702 555 0142',
    social_media: { instagram: 'i' },
  };
  const camelCase = {
    id: '1',
    createdAt: 'c',
    updatedAt: 'u',
    lastBumpedAt: 'b',
    isFeatured: true,
    isActive: true,
    phone: '+1 702 555 0142',
    socialMedia: { instagram: 'i' },
  };

  test.each([
    ['a list', () => listAds(api(), {}), (ads: unknown) => ({ data: [ads, ads] })],
    ['a list of a city', () => adsByLocation(api(), 'NV', 'Reno'), (ads: unknown) => ({ data: [ads] })],
    ['a list of cities nearby', () => nearbyAds(api(), { state: 'NV' }), (ads: unknown) => ({ data: [ads] })],
    ['favorites', () => api().favorites('u1'), (ads: unknown) => ({ data: [ads], adIds: ['1'] })],
    [
      'a search',
      () => api().request<'search'>({ path: '/search?q=a' }),
      (ads: unknown) => ({ data: { ads: { data: [ads] } } }),
    ],
  ] as const)('of %s are mapped from snake_case', async (_, send, toBody) => {
    nextResponse = { body: { success: true, ...toBody(snakeCase) } };
    expect(await send()).toEqual({ success: true, ...toBody(camelCase) });
  });

  test('of one ad and of own ads are mapped from snake_case', async () => {
    nextResponse = { body: { success: true, data: snakeCase } };
    expect(await getAd(api(), '1')).toEqual(camelCase);
    nextResponse = { body: { success: true, data: [snakeCase] } };
    expect(await userAds(api())).toEqual([camelCase]);
  });

  test('keep their values if both variants are present, and texts are not changed', async () => {
    const title = 'My "is_active": false and {"created_at": 1}';
    nextResponse = { body: { success: true, data: { ...snakeCase, ...camelCase, is_active: false, title } } };
    expect(await getAd(api(), '1')).toEqual({ ...camelCase, title });
  });

  test('paths of photos get the uploads prefix if they are neither absolute nor rooted', async () => {
    const paths = ['photos/1.jpg', '/uploads/photos/2.jpg', 'https://cdn.example/3.jpg'];
    const complete = ['/uploads/photos/1.jpg', ...paths.slice(1)];
    nextResponse = { body: { success: true, data: { id: '1', image: paths[0], photos: paths, images: paths } } };
    expect(await getAd(api(), '1')).toEqual({ id: '1', image: complete[0], photos: complete, images: complete });
    nextResponse = { body: { success: true, data: { id: '1', image: null, photos: paths.toReversed() } } };
    expect(await getAd(api(), '1')).toMatchObject({ photos: complete.toReversed() });
    const ids = ['7efc63ee-effb-4534-afae-7c39bca70b88'];
    nextResponse = { body: { success: true, data: { id: '1', photos: ids } } };
    expect(await getAd(api(), '1'), 'ids in the history of an ad').toMatchObject({ photos: ids });
  });

  test('of our server are parsed without a function for each value', async () => {
    const parse = vi.spyOn(JSON, 'parse');
    const photos = ['/uploads/1.jpg', 'https://cdn.example/2.jpg'];
    for (const images of [photos, []]) {
      nextResponse = { body: { success: true, data: { id: '1', image: photos[0], images, photos: [], title: 'A' } } };
      await getAd(api(), '1');
    }
    expect(new Set(parse.mock.calls.map(([, revive]) => revive))).toEqual(new Set([undefined]));
    parse.mockRestore();
  });
});
