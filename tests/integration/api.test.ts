import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiClient, type ApiClient } from '../support/api.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';

let product: TestProduct;
let api: ApiClient;

beforeAll(async () => {
  product = await startTestProduct();
  api = apiClient(product.url);
});
afterAll(() => product.stop());

const error = (code: string, message: string) => ({ success: false, code, message, error: message, requestId: expect.any(String) as string });

describe('sign-up', () => {
  const signUp = (changes: Record<string, unknown>) =>
    api.call('POST', '/api/auth/signup', { body: { email: 'new@example.com', password: 'correct horse', userType: 'provider', displayName: 'New', age: 18, ...changes } });

  test('answers user, token, code and that verification is required', async () => {
    const answer = await signUp({ email: 'First@Example.com' });
    expect(answer).toMatchObject({
      status: 201,
      body: {
        success: true,
        token: expect.stringMatching(/^[\w-]{43}$/u) as string,
        verificationCode: expect.stringMatching(/^\d{6}$/u) as string,
        verificationRequired: true,
        user: { email: 'first@example.com', userType: 'provider', isProvider: true, isEmailVerified: false, isAdmin: false, canPostAds: false, displayName: 'New', age: 18 },
      },
    });
    expect(JSON.stringify(answer.body)).not.toMatch(/argon2|correct horse/u);
  });
  test('refuses an address in use, in any spelling', async () => {
    await signUp({ email: 'taken@example.com' });
    expect(await signUp({ email: ' TAKEN@example.com' })).toMatchObject({ status: 409, body: error('EMAIL_TAKEN', 'Signup failed') });
  });
  test.each([
    ['age 17', { age: 17 }, 'You must be at least 18 years old'],
    ['age as text', { age: '30' }, 'You must be at least 18 years old'],
    ['half a year', { age: 18.5 }, 'Age must be a whole number'],
    ['a bad address', { email: 'nobody' }, 'Please enter a valid e-mail address'],
    ['an address that is a list', { email: ['a@example.com'] }, 'Please enter a valid e-mail address'],
    ['a short password', { password: 'short' }, 'Password must be at least 8 characters'],
    ['another user type', { userType: 'admin' }, 'Please choose client or provider'],
    ['no display name', { displayName: '  ' }, 'Please enter a display name'],
  ])('refuses %s', async (_what, changes, message) => {
    expect(await signUp(changes)).toMatchObject({ status: 400, body: { success: false, message } });
  });
  test('takes no flag the server decides: isAdmin, verified', async () => {
    expect((await signUp({ email: 'sly@example.com', isAdmin: true, verified: true, isEmailVerified: true })).body['user']).toMatchObject({ isAdmin: false, verified: false, isEmailVerified: false });
  });
  test('of one address twenty times at once opens one account', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => signUp({ email: 'race@example.com' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 19 }, () => 409)]);
  });
});

describe('login', () => {
  test('answers user and token', async () => {
    const { email } = await api.signUp('client');
    expect(await api.call('POST', '/api/auth/login', { body: { email: email.toUpperCase(), password: 'correct horse' } })).toMatchObject({ status: 200, body: { success: true, user: { email }, token: expect.any(String) as string } });
  });
  test('refuses a wrong password and an unknown address alike', async () => {
    const { email } = await api.signUp('client');
    const wrong = await api.call('POST', '/api/auth/login', { body: { email, password: 'wrong horse' } });
    const unknown = await api.call('POST', '/api/auth/login', { body: { email: 'unknown@example.com', password: 'wrong horse' } });
    expect(wrong).toMatchObject({ status: 401, body: error('LOGIN_FAILED', 'Login failed') });
    expect({ ...unknown.body, requestId: '' }).toEqual({ ...wrong.body, requestId: '' });
  });
});

describe('a session', () => {
  test('is verified, and ends with logout', async () => {
    const { token, email } = await api.signUp('client');
    expect(await api.call('POST', '/api/auth/verify', { token })).toMatchObject({ status: 200, body: { user: { email } } });
    expect((await api.call('POST', '/api/auth/logout', { token })).status).toBe(200);
    expect(await api.call('POST', '/api/auth/verify', { token })).toMatchObject({ status: 401, body: error('AUTHENTICATION_REQUIRED', 'Authentication required') });
  });
  test.each(['', 'x', 'a'.repeat(43), '%00', 'a'.repeat(5000)])('with token %j is none', async (token) => {
    expect((await api.call('POST', '/api/auth/verify', { token })).status).toBe(401);
  });
});

describe('verifying the e-mail address', () => {
  test('a wrong code is refused, the right one accepted', async () => {
    const { email, verificationCode, token } = await api.signUp('provider', { verify: false });
    const wrong = verificationCode === '000000' ? '000001' : '000000';
    expect(await api.call('POST', '/api/auth/verify-email', { body: { email, code: wrong } })).toMatchObject({ status: 400, body: error('VERIFICATION_FAILED', 'Verification failed') });
    expect(await api.call('POST', '/api/auth/verify-email', { body: { email, code: verificationCode } })).toMatchObject({ status: 200, body: { user: { isEmailVerified: true, canPostAds: true } } });
    expect((await api.call('POST', '/api/auth/verify', { token })).body['user']).toMatchObject({ isEmailVerified: true });
  });
  test('five wrong codes at once, then the right one is refused too', async () => {
    const { email, verificationCode } = await api.signUp('provider', { verify: false });
    const wrong = verificationCode === '000000' ? '000001' : '000000';
    const answers = await Promise.all(Array.from({ length: 5 }, () => api.call('POST', '/api/auth/verify-email', { body: { email, code: wrong } })));
    expect(answers.every(({ status }) => status === 400 || status === 409)).toBe(true);
    for (let more = 0; more < 5; more += 1) await api.call('POST', '/api/auth/verify-email', { body: { email, code: wrong } });
    expect((await api.call('POST', '/api/auth/verify-email', { body: { email, code: verificationCode } })).status).toBe(400);
  });
  test('an unknown address is refused like a wrong code', async () => {
    expect(await api.call('POST', '/api/auth/verify-email', { body: { email: 'unknown@example.com', code: '123456' } })).toMatchObject({ status: 400, body: { code: 'VERIFICATION_FAILED' } });
  });
  test('the admin is the configured address once verified', async () => {
    const { email, token } = await api.signUp('client', { email: 'Admin@Example.com', verify: false });
    const isAdmin = async () => ((await api.call('POST', '/api/auth/verify', { token })).body['user'] as { isAdmin: boolean }).isAdmin;
    expect(await isAdmin()).toBe(false);
    const resent = await api.call('POST', '/api/auth/resend-verification', { body: { email } });
    expect(resent).toMatchObject({ status: 429, body: { message: 'Failed to resend verification code' } });
    expect(Number(resent.headers.get('retry-after'))).toBeGreaterThan(0);
  });
});

describe('the list', () => {
  test('pages by cursor, newest bump first, without repeats or gaps', async () => {
    const posted: string[] = [];
    for (let n = 0; n < 5; n += 1) posted.unshift((await api.postAd((await api.signUp('provider')).token, { city: 'Reno' })).id);
    const head = await api.postAd((await api.signUp('provider')).token, { city: 'Elko' });
    const seen: string[] = [];
    let cursor = '';
    do {
      const page = await api.call('GET', `/api/ads?city=Reno&limit=2${cursor}`, { headers: { 'x-wait-position': head.position } });
      expect(page.body).toMatchObject({ success: true, total: 5 });
      seen.push(...(page.body['data'] as { id: string }[]).map(({ id }) => id));
      cursor = typeof page.body['nextCursor'] === 'string' ? `&cursor=${page.body['nextCursor']}` : '';
    } while (cursor !== '');
    expect(seen).toEqual(posted);
  });
  test.each(['limit=0', 'limit=101', 'limit=x', 'limit=-1', 'category=other', 'state=ZZ', 'city=Atlantis', 'cursor=nonsense', 'sort=price2', `q=${'x'.repeat(101)}`, 'state=NV&state=CA', 'q=%00', 'q=a&q=b'])('refuses ?%s', async (query) => {
    expect(await api.call('GET', `/api/ads?${query}`)).toMatchObject({ status: 400, body: { success: false, code: 'INVALID_FIELDS' } });
  });
  test('answers 304 to its own ETag until something changes', async () => {
    const first = await api.call('GET', '/api/ads?city=Sparks');
    const etag = first.headers.get('etag') ?? '';
    expect((await api.call('GET', '/api/ads?city=Sparks', { headers: { 'if-none-match': etag } })).status).toBe(304);
    const { position } = await api.postAd((await api.signUp('provider')).token, { city: 'Sparks' });
    expect((await api.call('GET', '/api/ads?city=Sparks', { headers: { 'if-none-match': etag, 'x-wait-position': position } })).status).toBe(200);
  });
  test('finds % and _ as what they are', async () => {
    expect((await api.call('GET', '/api/ads?q=%25')).body).toMatchObject({ data: [] });
  });
});

describe('bad requests', () => {
  test.each([
    ['broken JSON', '{"a":', { 'content-type': 'application/json' }, 400, 'INVALID_JSON'],
    ['a list', '[]', { 'content-type': 'application/json' }, 400, 'INVALID_JSON'],
    ['text', '"x"', { 'content-type': 'application/json' }, 400, 'INVALID_JSON'],
    ['a form', 'a=b', { 'content-type': 'application/x-www-form-urlencoded' }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['no type', 'x', { 'content-type': '' }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['an unknown charset', '{}', { 'content-type': 'application/json; charset=utf-99' }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['too much', JSON.stringify({ a: 'x'.repeat(70_000) }), { 'content-type': 'application/json' }, 413, 'BODY_TOO_LARGE'],
  ])('a body of %s is refused', async (_what, body, headers, status, code) => {
    for (const path of ['/api/auth/signup', '/api/auth/login', '/api/auth/verify-email', '/api/ads']) {
      const { token } = await api.signUp('provider');
      const answer = await api.call('POST', path, { body, headers, token });
      expect(answer, path).toMatchObject({ status, body: { success: false, code } });
      expect(answer.headers.get('content-type')).toContain('application/problem+json');
    }
  });
  test('an unknown route is a 404 in JSON', async () => {
    expect(await api.call('GET', '/api/nothing')).toMatchObject({ status: 404, body: error('NOT_FOUND', 'HTTP 404') });
    expect(await api.call('DELETE', '/api/ads')).toMatchObject({ status: 404 });
  });
  test('__proto__ in a body does no harm', async () => {
    const { token } = await api.signUp('provider');
    expect((await api.call('POST', '/api/ads', { token, body: `{"__proto__":{"title":"x"},"constructor":1}` })).status).toBe(400);
  });
});

test('health', async () => {
  expect(await api.call('GET', '/api/health')).toMatchObject({ status: 200, body: { success: true, status: 'ok', version: 'test' } });
  expect((await api.call('GET', '/healthz')).status).toBe(200);
  expect((await api.call('GET', '/readyz')).status).toBe(200);
});

test('metrics: requests, lag of each projection, depth of each queue, live clients', async () => {
  const { status, body } = await api.call('GET', '/metrics');
  expect(status).toBe(200);
  const lines = String(body['text']).split('\n');
  for (const projection of ['accounts', 'ad_cards', 'ad_details', 'media_items']) expect(lines).toContainEqual(expect.stringMatching(new RegExp(`^projection_lag_seconds\\{name="${projection}"\\} \\d`, 'u')));
  for (const kind of ['photo-variants', 'video-probe', 'account-mail']) expect(lines).toContainEqual(expect.stringMatching(new RegExp(`^jobs\\{kind="${kind}",state="waiting"\\} \\d+$`, 'u')));
  expect(lines).toContainEqual(expect.stringMatching(/^live_clients \d+$/u));
  expect(lines).toContainEqual(expect.stringMatching(/^http_request_duration_seconds_count\{.*\} \d+$/u));
});

test('sync: status names every read model, force answers once they have caught up', async () => {
  await api.postAd((await api.signUp('provider')).token);
  const forced = await api.call('POST', '/api/sync/force');
  expect(forced).toMatchObject({ status: 200, body: { success: true } });
  const { head, projections } = forced.body['data'] as { head: string; projections: { name: string; position: string; lag: number; state: string }[] };
  expect(projections.map(({ name }) => name)).toEqual(['accounts', 'ad_cards', 'ad_details', 'media_items']);
  for (const projection of projections) expect(projection).toMatchObject({ position: head, lag: 0, state: 'live' });
  expect((await api.call('GET', '/api/sync/status')).body).toMatchObject({ success: true, data: { head } });
});
