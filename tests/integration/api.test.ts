import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { apiClient, validAd, type ApiClient } from '../support/api.ts';
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

describe('an ad', () => {
  test('posted is in every list at once, with what the server decides', async () => {
    const { token, email } = await api.signUp('provider');
    const { id, position } = await api.postAd(token, { verified: false, views: 999, isFeatured: true, status: 'deleted', bumpCount: 7, email: 'x@example.com', id: 'my-own-id' });
    expect(id).not.toBe('my-own-id');
    const see = { 'x-wait-position': position };
    const lists = await Promise.all(
      ['/api/ads', '/api/ads?state=NV&city=Las%20Vegas&category=escort', '/api/ads?state=nevada&city=las-vegas', '/api/ads/location/NV/Las%20Vegas', '/api/ads?q=good+company'].map((path) => api.call('GET', path, { headers: see })),
    );
    for (const list of lists) {
      const found = (list.body['data'] as { id: string }[]).find((ad) => ad.id === id);
      expect(found).toMatchObject({ title: 'Good company', views: 0, bumpCount: 0, isFeatured: false, isActive: true, status: 'active', isOnline: true, location: 'Las Vegas, NV' });
      expect(found).not.toHaveProperty('phone');
      expect(JSON.stringify(list.body)).not.toContain(email);
    }
    expect((await api.call('GET', '/api/ads/user', { token, headers: see })).body['data']).toMatchObject([{ id }]);
  });
  test('in full shows phone and links, and the e-mail to its owner alone', async () => {
    const { token, email } = await api.signUp('provider');
    const { id, position } = await api.postAd(token, { phone_number: '+1 555 0100', social_media: { instagram: '@anna' } });
    const see = { 'x-wait-position': position };
    expect((await api.call('GET', `/api/ads/${id}`, { headers: see })).body['data']).toMatchObject({ phone: '+1 555 0100', socialMedia: { instagram: '@anna', website: null }, email: null, isOwner: false, reviews: [] });
    expect((await api.call('GET', `/api/ads/${id}`, { token })).body['data']).toMatchObject({ email, isOwner: true });
    const other = await api.signUp('client');
    expect((await api.call('GET', `/api/ads/${id}`, { token: other.token })).body['data']).toMatchObject({ email: null, isOwner: false });
  });
  test('without photos has the three demo pictures', async () => {
    const { token } = await api.signUp('provider');
    const { id, position } = await api.postAd(token);
    const { photos } = (await api.call('GET', `/api/ads/${id}`, { headers: { 'x-wait-position': position } })).body['data'] as { photos: string[] };
    expect(photos).toEqual(['/uploads/photos/demo-01/1600.jpg', '/uploads/photos/demo-02/1600.jpg', '/uploads/photos/demo-03/1600.jpg']);
  });
  test('only one a provider: twenty at once leave one', async () => {
    const { token } = await api.signUp('provider');
    const answers = await Promise.all(Array.from({ length: 20 }, () => api.call('POST', '/api/ads', { token, body: validAd })));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    for (const refused of answers.filter(({ status }) => status !== 201)) {
      expect(refused).toMatchObject({ status: 409, body: error('ONE_ACTIVE_AD', 'You can only have one active ad. Please delete your existing ad first or edit it instead.') });
    }
  });
  test('the same client id twice at once is one request', async () => {
    const { token } = await api.signUp('provider');
    const answers = await Promise.all(Array.from({ length: 5 }, () => api.call('POST', '/api/ads', { token, body: { ...validAd, id: '1767-abc' } })));
    expect(new Set(answers.map(({ status, body }) => JSON.stringify([status, (body['ad'] as { id: string }).id]))).size).toBe(1);
  });
  test.each([
    ['nothing', {}, 'Please fill in all required fields'],
    ['no title', { ...validAd, title: '' }, 'Please fill in all required fields'],
    ['a number as description', { ...validAd, description: 5 }, 'Please fill in all required fields'],
    ['an unknown category', { ...validAd, category: 'other' }, 'Please choose a category'],
    ['a city elsewhere', { ...validAd, city: 'Chicago' }, 'Please choose a state and one of its cities'],
    ['six photos', { ...validAd, photos: Array.from({ length: 6 }, (_, n) => `/uploads/photos/demo-0${n + 1}/1600.jpg`) }, 'Maximum 5 photos allowed'],
    ['a photo nobody uploaded', { ...validAd, photos: ['/uploads/photos/nobody/1600.jpg'] }, 'A photo must be the address its upload answered'],
    ['photos that are no list', { ...validAd, photos: 'x' }, 'Photos must be a list'],
    ['a null character', { ...validAd, title: 'a\u0000b' }, 'Title has characters that cannot be shown'],
  ])('with %s is refused', async (_what, body, message) => {
    const { token } = await api.signUp('provider');
    expect(await api.call('POST', '/api/ads', { token, body })).toMatchObject({ status: 400, body: { success: false, message } });
    expect((await api.call('GET', '/api/ads/user', { token })).body['data']).toEqual([]);
  });
  test('is for verified providers', async () => {
    const client = await api.signUp('client');
    expect(await api.call('POST', '/api/ads', { token: client.token, body: validAd })).toMatchObject({ status: 403, body: { code: 'ONLY_PROVIDERS_POST' } });
    const unverified = await api.signUp('provider', { verify: false });
    expect(await api.call('POST', '/api/ads', { token: unverified.token, body: validAd })).toMatchObject({ status: 403, body: { code: 'VERIFICATION_REQUIRED' } });
    expect(await api.call('POST', '/api/ads', { body: validAd })).toMatchObject({ status: 401, body: error('AUTHENTICATION_REQUIRED', 'Authentication required') });
  });
  test('is updated in the fields sent, and honours If-Match', async () => {
    const { token } = await api.signUp('provider');
    const { id, revision } = await api.postAd(token, { phone: '+1 555 0100' });
    const updated = await api.call('PUT', `/api/ads/${id}`, { token, body: { title: 'Changed', phone: null }, headers: { 'if-match': revision } });
    expect(updated).toMatchObject({ status: 200, body: { success: true, ad: { id } } });
    const shown = await api.call('GET', `/api/ads/${id}`, { headers: { 'x-wait-position': updated.headers.get('x-position') ?? '' } });
    expect(shown.body['data']).toMatchObject({ title: 'Changed', phone: null, name: 'Anna' });
    expect(shown.headers.get('etag')).toBe(updated.headers.get('etag'));
    expect(await api.call('PUT', `/api/ads/${id}`, { token, body: { title: 'Late' }, headers: { 'if-match': revision } })).toMatchObject({ status: 412, body: { code: 'STALE' } });
    expect(await api.call('PUT', `/api/ads/${id}`, { token, body: { city: 'Chicago' } })).toMatchObject({ status: 400, body: { message: 'Please choose a state and one of its cities' } });
  });
  test('is bumped once in 30 minutes, and the refusal says how long is left', async () => {
    const { token } = await api.signUp('provider');
    const { id } = await api.postAd(token);
    const refused = await api.call('POST', `/api/ads/${id}/bump`, { token });
    expect(refused).toMatchObject({ status: 429, body: { code: 'BUMP_COOLDOWN', message: expect.stringMatching(/^You can bump your ad again in (29 min \d+ s|30 min)$/u) as string } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(1_700);
    const client = await api.signUp('client');
    expect(await api.call('POST', `/api/ads/${id}/bump`, { token: client.token })).toMatchObject({ status: 403, body: error('ONLY_PROVIDERS_BUMP', 'Only providers can bump ads') });
  });
  test('counts its views, not those of its owner', async () => {
    const { token } = await api.signUp('provider');
    const { id, position } = await api.postAd(token, { city: 'Fallon' });
    for (let n = 0; n < 3; n += 1) await api.call('GET', `/api/ads/${id}`, { headers: { 'x-wait-position': position } });
    await api.call('GET', `/api/ads/${id}`, { token });
    await vi.waitFor(
      async () => {
        expect((await api.call('GET', `/api/ads/${id}`, { token })).body['data']).toMatchObject({ views: 3 });
        expect((await api.call('GET', '/api/ads?city=Fallon')).body['data']).toMatchObject([{ id, views: 3 }]);
      },
      { timeout: 10_000, interval: 100 },
    );
  });
  test('of somebody else cannot be changed, bumped or deleted', async () => {
    const owner = await api.signUp('provider');
    const { id, position } = await api.postAd(owner.token);
    await api.call('GET', `/api/ads/${id}`, { headers: { 'x-wait-position': position } });
    const other = await api.signUp('provider');
    for (const [method, path] of [['PUT', ''], ['DELETE', ''], ['POST', '/bump']] as const) {
      expect(await api.call(method, `/api/ads/${id}${path}`, { token: other.token, ...(method === 'PUT' && { body: { title: 'Mine' } }) })).toMatchObject({ status: 403, body: { code: 'ONLY_OWNER' } });
    }
    expect((await api.call('GET', `/api/ads/${id}`)).body['data']).toMatchObject({ title: 'Good company' });
  });
  test('deleted is gone everywhere, and the next one can be posted', async () => {
    const { token } = await api.signUp('provider');
    const { id } = await api.postAd(token);
    const deleted = await api.call('DELETE', `/api/ads/${id}`, { token });
    expect(deleted.status).toBe(200);
    const see = { 'x-wait-position': deleted.headers.get('x-position') ?? '' };
    expect(await api.call('GET', `/api/ads/${id}`, { headers: see })).toMatchObject({ status: 404, body: error('AD_NOT_FOUND', 'Ad not found') });
    expect((await api.call('GET', '/api/ads/user', { token, headers: see })).body['data']).toEqual([]);
    expect(await api.call('DELETE', `/api/ads/${id}`, { token })).toMatchObject({ status: 404, body: { code: 'AD_NOT_FOUND' } });
    expect((await api.postAd(token)).id).not.toBe(id);
  });
  test.each(['6', 'nothing', '%00', '..%2f..%2fetc', 'a'.repeat(300), "'; drop table rm.ad_cards; --"])('with id %s is not found', async (id) => {
    const { token } = await api.signUp('provider');
    const path = `/api/ads/${id.startsWith('%') || id.includes('%2f') ? id : encodeURIComponent(id)}`;
    expect((await api.call('GET', path)).status).toBe(404);
    expect((await api.call('DELETE', path, { token })).status).toBe(404);
    expect((await api.call('PUT', path, { token, body: { title: 'x' } })).status).toBe(404);
    expect((await api.call('POST', `${path}/bump`, { token })).status).toBe(404);
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
