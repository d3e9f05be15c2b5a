import { account, listing, registerAccount, type AdminUserView, type ListingEvent } from '@alpenglow/domain';
import { createDataKeys, createPostgresEventStore, loadSecrets, withPersonalData } from '@alpenglow/infra';
import { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiClient, validAd, type Answer, type ApiClient, type Person } from '../support/api.ts';
import { connectLive } from '../support/live.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { BY_TEST, openRecording, type Recording } from '../support/recording.ts';

let product: TestProduct;
let api: ApiClient;
let recording: Recording;
let pool: Pool;
let admin: Person;
let client: Person;
let provider: Person;

beforeAll(async () => {
  product = await startTestProduct();
  api = apiClient(product.url);
  recording = await openRecording(product);
  pool = new Pool({ connectionString: product.databaseUrl });
  admin = await api.signUp('client', { email: 'admin@example.com' });
  [client, provider] = await Promise.all([api.signUp('client'), api.signUp('provider')]);
});
afterAll(async () => {
  await pool.end();
  await recording.close();
  await product.stop();
});

type View = Readonly<Record<string, unknown>>;
const error = (code: string, message: string) => ({
  success: false,
  code,
  message,
  error: message,
  requestId: expect.any(String) as string,
});
/** Headers that make a read wait for what an answer has written. */
const after = ({ headers }: Answer) => ({ 'x-wait-position': headers.get('x-position') ?? '' });
const dataOf = ({ body }: Answer) => body['data'] as readonly View[];
const asAdmin = (method: string, path: string, options: { body?: unknown; headers?: Record<string, string> } = {}) =>
  api.call(method, `/api/admin${path}`, { ...options, token: admin.token });
const logIn = (email: string) => api.call('POST', '/api/auth/login', { body: { email, password: 'correct horse' } });
const adWith = async (adId: string, headers: Record<string, string>) =>
  api.call('GET', `/api/ads/${adId}`, { headers });

/** Lets the read models come to what was written until now. */
const caughtUp = () => api.call('POST', '/api/sync/force');

/** Everything a list has, page by page. */
async function everyPage(path: string, limit: number): Promise<readonly View[]> {
  const found: View[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = await asAdmin('GET', `${path}${path.includes('?') ? '&' : '?'}limit=${limit}&cursor=${cursor}`);
    expect(page.status, JSON.stringify(page.body)).toBe(200);
    expect(dataOf(page).length).toBeLessThanOrEqual(limit);
    found.push(...dataOf(page));
    cursor = page.body['nextCursor'] as string | null;
  }
  return found;
}

/** An ad with an id of the test's choice. */
function adPosted({ user }: Person, adId: string): ListingEvent {
  const fields = { ...validAd, category: 'escort' as const, price: null, body: null, phone: null, socialMedia: null };
  return {
    type: 'AdPosted',
    data: { accountId: user.id, adId, clientId: null, ...fields, photos: [], video: null, isDemo: false },
  };
}

/** Who did the last thing in a stream, and as part of which request. */
async function lastEventOf(stream: string): Promise<{ readonly type: string; readonly meta: unknown }> {
  const { rows } = await pool.query<{ type: string; meta: unknown }>(
    'select type, meta from es.events where stream = $1 order by revision desc limit 1',
    [stream],
  );
  if (!rows[0]) throw new Error(`${stream} is empty`);
  return rows[0];
}

/** Specification, section 6: the backend admin operations of section 7 are the admin's alone. */
describe('only an admin', () => {
  const calls = [
    ['GET', '/users'],
    ['GET', '/users/unknown'],
    ['GET', '/ads'],
    ['GET', '/verification-codes'],
    ['DELETE', '/users/unknown'],
    ['POST', '/users/unknown/verify'],
    ['PUT', '/users/unknown/verify'],
    ['DELETE', '/ads/unknown'],
    ['PUT', '/ads/unknown/featured'],
    ['POST', '/verification-codes/clear'],
    ['DELETE', '/verification-codes/clear'],
    ['DELETE', '/verification-codes/unknown'],
  ] as const;
  test.each(calls)('%s /admin%s', async (method, path) => {
    const call = (token?: string) => api.call(method, `/api/admin${path}`, token === undefined ? {} : { token });
    for (const token of [undefined, 'x'.repeat(43)])
      expect(await call(token)).toMatchObject({
        status: 401,
        body: error('AUTHENTICATION_REQUIRED', 'Authentication required'),
      });
    for (const { token } of [client, provider])
      expect(await call(token)).toMatchObject({ status: 403, body: error('ONLY_ADMINS', 'Only admins can do this') });
  });
});

describe('GET /admin/users', () => {
  test('shows a user with everything of section 3, and no password', async () => {
    const { id, position } = await api.postAd(provider.token);
    const listed = await asAdmin('GET', `/users?q=${encodeURIComponent(provider.email)}`, {
      headers: { 'x-wait-position': position },
    });
    expect(listed).toMatchObject({
      status: 200,
      body: {
        success: true,
        total: 1,
        nextCursor: null,
        data: [
          {
            id: provider.user.id,
            email: provider.email,
            userType: 'provider',
            verified: false,
            isEmailVerified: true,
            isAdmin: false,
            isProvider: true,
            displayName: 'Test',
            age: 30,
            canPostAds: true,
            subscriptionStatus: 'none',
            isFreeTrial: false,
            isDemo: false,
            adId: id,
          },
        ],
      },
    });
    expect(listed.headers.get('cache-control')).toBe('no-store');
    expect(JSON.stringify(listed.body)).not.toMatch(/argon2|password/iu);
    await api.call('DELETE', `/api/ads/${id}`, { token: provider.token });
  });
  test('shows the admin as one', async () => {
    expect(dataOf(await asAdmin('GET', '/users?q=admin@example.com'))).toMatchObject([{ isAdmin: true, adId: null }]);
  });
  test('q is any part of an address or a name, whatever its case, and nothing but text', async () => {
    const email = `odd_name-${crypto.randomUUID()}@example.com`;
    const person = await api.signUp('client', { email });
    const renamed = await api.call('PUT', '/api/auth/profile', {
      token: person.token,
      body: { displayName: 'Zoë 100% Überall' },
    });
    const search = async (q: string) =>
      dataOf(await asAdmin('GET', `/users?q=${encodeURIComponent(q)}`, { headers: after(renamed) })).map(
        ({ email: one }) => one,
      );
    for (const q of ['odd_name', 'ODD_NAME', 'überall', '100% ü', email]) expect(await search(q), q).toEqual([email]);
    for (const q of ['odd%name', '_dd_name', '100%%', 'nobody like this', "' or 1=1 --"])
      expect(await search(q), q).toEqual([]);
  });
  test('pages in a stable order, the newest first, while others sign up', async () => {
    const q = crypto.randomUUID();
    const people: Person[] = [];
    for (let count = 0; count < 7; count += 1)
      people.push(await api.signUp('client', { email: `${count}.${q}@example.com`, verify: false }));
    await caughtUp();
    const first = await asAdmin('GET', `/users?q=${q}&limit=3`);
    expect(first.body['total']).toBe(7);
    expect(dataOf(first)).toHaveLength(3);
    await api.signUp('client', { email: `late.${q}@example.com`, verify: false });
    await caughtUp();
    const rest = await everyPage(`/users?q=${q}`, 2);
    expect(rest).toHaveLength(8);
    const second = await asAdmin('GET', `/users?q=${q}&limit=100&cursor=${String(first.body['nextCursor'])}`);
    expect([...dataOf(first), ...dataOf(second)].map(({ email }) => email)).toEqual(
      people.map(({ email }) => email).reverse(),
    );
    const times = rest.map(({ registeredAt }) => String(registeredAt));
    expect(times).toEqual([...times].sort().reverse());
  });
  test('people who signed up at the same moment are all there, once', async () => {
    const q = crypto.randomUUID().slice(0, 8);
    const now = new Date().toISOString();
    const ids = Array.from({ length: 5 }, () => crypto.randomUUID().replaceAll('-', ''));
    for (const accountId of ids) {
      const command = {
        accountId,
        email: `${accountId}@${q}.example.com`,
        passwordHash: null,
        userType: 'client',
        displayName: q,
        age: 30,
        isDemo: true,
      } as const;
      await recording.commands.handle(
        account,
        accountId,
        (state, context) => registerAccount(command, state, context),
        BY_TEST,
        { now },
      );
    }
    await caughtUp();
    expect((await everyPage(`/users?q=${q}`, 2)).map(({ id }) => id)).toEqual([...ids].sort().reverse());
  });
  test.each([
    'limit=0',
    'limit=101',
    'limit=x',
    'cursor=nonsense',
    'q=%00',
    'q=a&q=b',
    `q=${'x'.repeat(101)}`,
    `cursor=${Buffer.from('0000-02-30T00:00:00.000Z x').toString('base64url')}`,
  ])('refuses %s', async (query) => {
    expect(await asAdmin('GET', `/users?${query}`)).toMatchObject({ status: 400, body: { code: 'INVALID_FIELDS' } });
  });
  test('does not know who only tried a taken address', async () => {
    await api.call('POST', '/api/auth/signup', {
      body: { email: client.email, password: 'another horse', userType: 'client', displayName: 'Again', age: 30 },
    });
    expect(await everyPage(`/users?q=${encodeURIComponent(client.email)}`, 10)).toHaveLength(1);
  });
});

describe('GET /admin/users, in another order or fewer of them', () => {
  const q = crypto.randomUUID().slice(0, 8);
  const names = ['Ängela', 'bert', 'Anna', 'Zoë', 'Berta'];
  const shown = async (query: string, limit = 2) =>
    (await everyPage(`/users?q=${q}${query}`, limit)).map(({ displayName }) => displayName);

  beforeAll(async () => {
    for (const name of names) {
      const person = await api.signUp(name === 'Zoë' || name === 'bert' ? 'provider' : 'client', {
        email: `${crypto.randomUUID()}@${q}.example.com`,
      });
      await api.call('PUT', '/api/auth/profile', { token: person.token, body: { displayName: name } });
      if (name === 'Zoë') await api.postAd(person.token);
      if (name === 'Berta') await asAdmin('POST', `/users/${person.user.id}/verify`);
    }
    await caughtUp();
  });

  test('by name, as people expect it, page by page', async () => {
    expect(await shown('&sort=name')).toEqual(
      ['Ängela', 'Anna', 'bert', 'Berta', 'Zoë'].sort((a, b) => a.localeCompare(b, 'en')),
    );
  });
  test('the oldest first, the newest first, those with an ad first', async () => {
    expect(await shown('&sort=oldest')).toEqual(names);
    expect(await shown('&sort=newest')).toEqual([...names].reverse());
    const byAds = await shown('&sort=ads');
    expect(byAds[0]).toBe('Zoë');
    expect([...byAds].sort()).toEqual([...names].sort());
  });
  test('only of one type, only verified ones, only the others', async () => {
    expect(await shown('&type=provider&sort=oldest')).toEqual(['bert', 'Zoë']);
    expect(await shown('&verified=true')).toEqual(['Berta']);
    expect(await shown('&verified=false&type=client&sort=oldest')).toEqual(['Ängela', 'Anna']);
  });
  test('only of one role: the configured admin is one', async () => {
    expect(await shown('&role=none')).toHaveLength(names.length);
    expect(await shown('&role=moderator')).toEqual([]);
    expect(dataOf(await asAdmin('GET', '/users?role=admin')).map(({ email }) => email)).toContain(admin.email);
  });
  test.each(['sort=price', 'type=admin', 'role=owner', 'verified=maybe'])('refuses %s', async (query) => {
    expect(await asAdmin('GET', `/users?${query}`)).toMatchObject({ status: 400, body: { code: 'INVALID_FIELDS' } });
  });
  test('a cursor belongs to its order', async () => {
    const { body } = await asAdmin('GET', `/users?q=${q}&sort=name&limit=2`);
    expect(await asAdmin('GET', `/users?q=${q}&sort=newest&cursor=${String(body['nextCursor'])}`)).toMatchObject({
      status: 400,
      body: { code: 'INVALID_FIELDS' },
    });
  });
});

describe('GET /admin/users/{id}', () => {
  test('shows one user with ad, code, role and counts, and is kept in the log of reads', async () => {
    const person = await api.signUp('provider', { verify: false });
    await asAdmin('POST', `/users/${person.user.id}/verify`);
    const { id, position } = await api.postAd(person.token);
    const found = await asAdmin('GET', `/users/${person.user.id}`, {
      headers: { 'x-wait-position': position, 'x-request-id': 'look-at-them' },
    });
    expect(found).toMatchObject({
      status: 200,
      body: {
        data: {
          id: person.user.id,
          email: person.email,
          role: null,
          isConfiguredAdmin: false,
          ad: { id, ownerId: person.user.id },
          code: { code: person.verificationCode },
          counts: { threads: 0, posts: 0, hiddenPosts: 0, favorites: 0, follows: 0, sessions: 1 },
        },
      },
    });
    expect(found.headers.get('cache-control')).toBe('no-store');
    const { rows } = await pool.query(
      `select staff_id, what, people, request_id from audit.staff_reads where subject_id = $1`,
      [person.user.id],
    );
    expect(rows).toEqual([{ staff_id: admin.user.id, what: 'getUser', people: 1, request_id: 'look-at-them' }]);
  });
  test('shows the configured admin as one, without an ad or a code', async () => {
    expect((await asAdmin('GET', `/users/${admin.user.id}`)).body['data']).toMatchObject({
      isAdmin: true,
      isConfiguredAdmin: true,
      role: null,
      ad: null,
      code: null,
    });
  });
  test.each(['unknown', 'a%20b', 'x'.repeat(65)])('of user %j: User not found', async (id) => {
    expect(await asAdmin('GET', `/users/${id}`)).toMatchObject({
      status: 404,
      body: error('USER_NOT_FOUND', 'User not found'),
    });
  });
  test('of somebody whose account is closed: User not found', async () => {
    const person = await api.signUp('client');
    const closed = await asAdmin('DELETE', `/users/${person.user.id}`);
    expect((await asAdmin('GET', `/users/${person.user.id}`, { headers: after(closed) })).status).toBe(404);
  });
});

describe('the log of what staff read', () => {
  test.each(['users', 'ads', 'verification-codes'])(
    'has lists of %s, with how many people were in it',
    async (list) => {
      await api.signUp('client', { verify: false });
      await caughtUp();
      const requestId = `list-${list}`;
      const { length } = dataOf(await asAdmin('GET', `/${list}?limit=2`, { headers: { 'x-request-id': requestId } }));
      const { rows } = await pool.query(
        'select staff_id, people, subject_id from audit.staff_reads where request_id = $1',
        [requestId],
      );
      expect(rows).toEqual(
        length === 0
          ? []
          : [{ staff_id: admin.user.id, people: length, subject_id: length === 1 ? expect.any(String) : null }],
      );
    },
  );
});

describe('the log of what staff read, where a list showed one person alone,', () => {
  test.each([
    ['users', (email: string) => `/users?q=${email}`],
    ['ads', (email: string) => `/ads?q=${email}`],
    ['codes', () => '/verification-codes?limit=1'],
  ])('says whose %s it was', async (list, path) => {
    const person = await api.signUp('provider', { verify: false });
    if (list === 'ads') {
      await asAdmin('POST', `/users/${person.user.id}/verify`);
      await api.postAd(person.token);
    }
    await caughtUp();
    const requestId = `only-${list}`;
    expect(
      dataOf(await asAdmin('GET', path(encodeURIComponent(person.email)), { headers: { 'x-request-id': requestId } })),
    ).toHaveLength(1);
    const { rows } = await pool.query('select people, subject_id from audit.staff_reads where request_id = $1', [
      requestId,
    ]);
    expect(rows).toEqual([{ people: 1, subject_id: person.user.id }]);
  });
});

describe('a reason', () => {
  const reason = 'Asked for by phone, twice';
  /** The reason of the last event of a stream as it is stored: sealed, so not in clear. */
  const storedText = async (stream: string) =>
    JSON.stringify(
      (await pool.query('select data from es.events where stream = $1 order by revision desc limit 1', [stream]))
        .rows[0],
    );
  /** The reason of the last event of a stream, opened. */
  async function lastReasonOf(stream: string): Promise<unknown> {
    const { dataKeys } = await loadSecrets(product.dataDir);
    const store = withPersonalData(
      createPostgresEventStore({ pool, connectionString: product.databaseUrl }),
      createDataKeys(pool, dataKeys),
    );
    const events = await store.readStream(stream, { from: 0, limit: 100 });
    await store.close();
    return (events.at(-1)?.data as { reason: unknown }).reason;
  }

  test.each([
    ['POST', (id: string) => `/users/${id}/verify`, 'AccountVerifiedByAdmin', 'account'],
    ['DELETE', (id: string) => `/verification-codes/${id}`, 'EmailVerificationCleared', 'account'],
    ['DELETE', (id: string) => `/users/${id}`, 'AccountClosed', 'account'],
  ] as const)('%s lands in the event, sealed', async (method, path, type, aggregate) => {
    const person = await api.signUp('client', { verify: false });
    expect((await asAdmin(method, path(person.user.id), { body: { reason: `  ${reason} ` } })).status).toBe(200);
    const stream = `${aggregate}-${person.user.id}`;
    expect(await lastEventOf(stream)).toMatchObject({ type });
    expect(await storedText(stream)).not.toContain(reason);
    expect(await lastReasonOf(stream)).toBe(reason);
  });
  test('of an ad taken down, too', async () => {
    const poster = await api.signUp('provider');
    const { id } = await api.postAd(poster.token);
    expect((await asAdmin('DELETE', `/ads/${id}`, { body: { reason } })).status).toBe(200);
    expect(await lastReasonOf(`listing-${poster.user.id}`)).toBe(reason);
  });
  test('is null where none is given', async () => {
    const person = await api.signUp('client');
    await asAdmin('POST', `/users/${person.user.id}/verify`);
    expect(await lastReasonOf(`account-${person.user.id}`)).toBeNull();
  });
  test.each([{ reason: 'x'.repeat(501) }, { reason: 1 }])(
    'is refused where it is none, and nothing happens',
    async (body) => {
      const person = await api.signUp('client');
      expect(await asAdmin('DELETE', `/users/${person.user.id}`, { body })).toMatchObject({
        status: 400,
        body: { code: 'INVALID_FIELDS' },
      });
      expect((await api.call('POST', '/api/auth/verify', { token: person.token })).status).toBe(200);
    },
  );
});

describe('DELETE /admin/verification-codes/{id}', () => {
  test('makes the code of this user useless, and no other', async () => {
    const [one, other] = [await api.signUp('client', { verify: false }), await api.signUp('client', { verify: false })];
    expect(await asAdmin('DELETE', `/verification-codes/${one.user.id}`)).toMatchObject({
      status: 200,
      body: { data: { cleared: 1 } },
    });
    expect(await asAdmin('DELETE', `/verification-codes/${one.user.id}`)).toMatchObject({
      status: 200,
      body: { data: { cleared: 0 } },
    });
    const enter = ({ email, verificationCode }: Person) =>
      api.call('POST', '/api/auth/verify-email', { body: { email, code: verificationCode } });
    expect((await enter(one)).status).toBe(400);
    expect((await enter(other)).status).toBe(200);
  });
  test('of nobody: User not found', async () => {
    expect(await asAdmin('DELETE', '/verification-codes/unknown')).toMatchObject({
      status: 404,
      body: error('USER_NOT_FOUND', 'User not found'),
    });
  });
});

describe('GET /admin/ads', () => {
  test('shows ads with their owners', async () => {
    const poster = await api.signUp('provider');
    const { id, position } = await api.postAd(poster.token, { title: 'Quillon evenings' });
    const see = { headers: { 'x-wait-position': position } };
    const expected = {
      id,
      title: 'Quillon evenings',
      email: poster.email,
      ownerId: poster.user.id,
      status: 'active',
      isFeatured: false,
    };
    for (const q of ['quillon', poster.email, poster.email.slice(0, 12)]) {
      expect((await asAdmin('GET', `/ads?q=${encodeURIComponent(q)}`, see)).body, q).toMatchObject({
        success: true,
        data: [expected],
        nextCursor: null,
        total: 1,
      });
    }
    expect(dataOf(await asAdmin('GET', '/ads', see))[0]).toMatchObject(expected);
    expect((await asAdmin('GET', '/ads?q=nothing-like-this')).body).toMatchObject({ data: [], total: 0 });
  });
  test('shows the ad with id 6, which no list of visitors has', async () => {
    const poster = await api.signUp('provider');
    const { position } = await recording.commands.handle(
      listing,
      poster.user.id,
      () => [adPosted(poster, '6')],
      BY_TEST,
    );
    const headers = { 'x-wait-position': String(position) };
    expect(dataOf(await asAdmin('GET', `/ads?q=${encodeURIComponent(poster.email)}`, { headers }))).toMatchObject([
      { id: '6', status: 'hidden' },
    ]);
    expect(dataOf(await api.call('GET', '/api/ads?limit=100', { headers })).map(({ id }) => id)).not.toContain('6');
    expect(await asAdmin('DELETE', '/ads/6')).toMatchObject({ status: 200 });
  });
  test('which ads are hidden is configured: they are in no list, search or count of visitors, and keep their own page', async () => {
    const hiding = await startTestProduct({ hiddenAdIds: ['hidden-1', 'hidden-2'] });
    const there = await openRecording(hiding);
    const { call, signUp, postAd } = apiClient(hiding.url);
    for (const adId of ['hidden-1', 'hidden-2', '6']) {
      const poster = await signUp('provider');
      await there.commands.handle(listing, poster.user.id, () => [adPosted(poster, adId)], BY_TEST);
    }
    const { id, position } = await postAd((await signUp('provider')).token);
    const headers = { 'x-wait-position': position };
    for (const query of ['', '?q=calm', '?state=NV&city=las-vegas&category=escort', '?sort=price']) {
      expect(
        dataOf(await call('GET', `/api/ads${query}`, { headers })).map((ad) => ad['id']),
        query,
      ).toEqual([id, '6']);
    }
    expect((await call('GET', '/api/ads', { headers })).body).toMatchObject({ total: 2 });
    expect((await call('GET', '/api/ads/counts')).body).toMatchObject({
      data: {
        total: 2,
        states: [{ state: 'NV', count: 2 }],
        cities: [{ city: 'Las Vegas', count: 2 }],
        categories: [{ category: 'escort', count: 2 }],
      },
    });
    expect((await call('GET', '/api/ads/hidden-1')).status).toBe(200);
    await there.close();
    await hiding.stop();
  });
  test('pages in a stable order, the newest first', async () => {
    const ids: string[] = [];
    let position = '';
    for (let count = 0; count < 5; count += 1) {
      const ad = await api.postAd((await api.signUp('provider')).token, { title: 'Velbrandt' });
      ids.unshift(ad.id);
      ({ position } = ad);
    }
    await asAdmin('GET', '/ads', { headers: { 'x-wait-position': position } });
    expect((await everyPage('/ads?q=velbrandt', 2)).map(({ id }) => id)).toEqual(ids);
    expect((await everyPage('/ads', 3)).slice(0, 5).map(({ id }) => id)).toEqual(ids);
  });
  test('by title, the oldest first, the last bump first; only featured ones, only hidden ones', async () => {
    const word = 'Marrowgate';
    const ids: Record<string, string> = {};
    for (const title of ['calm', 'Bright', 'airy'])
      ids[title] = (await api.postAd((await api.signUp('provider')).token, { title: `${title} ${word}` })).id;
    await asAdmin('PUT', `/ads/${ids['Bright']}/featured`, { body: { featured: true } });
    await caughtUp();
    const titles = async (query: string) =>
      (await everyPage(`/ads?q=${word}${query}`, 2)).map(({ title }) => String(title).split(' ')[0]);
    expect(await titles('&sort=title')).toEqual(['airy', 'Bright', 'calm']);
    expect(await titles('&sort=oldest')).toEqual(['calm', 'Bright', 'airy']);
    expect(await titles('&sort=bumped')).toEqual(['airy', 'Bright', 'calm']);
    expect(await titles('&featured=true')).toEqual(['Bright']);
    expect(await titles('&featured=false&sort=title')).toEqual(['airy', 'calm']);
    expect(await titles('&hidden=true')).toEqual([]);
    expect(await titles('&hidden=false')).toHaveLength(3);
  });
  test.each(['limit=0', 'cursor=nonsense', 'q=%00', 'sort=price', 'hidden=2'])('refuses %s', async (query) => {
    expect(await asAdmin('GET', `/ads?${query}`)).toMatchObject({ status: 400, body: { code: 'INVALID_FIELDS' } });
  });
});

describe('GET /admin/verification-codes', () => {
  const codeOf = async (person: Person) =>
    (await everyPage('/verification-codes', 50)).find(({ userId }) => userId === person.user.id);

  test('lists address, issue time, expiry, attempts left, and the code where codes are exposed', async () => {
    const person = await api.signUp('client', { verify: false });
    await caughtUp();
    expect(await codeOf(person)).toMatchObject({ email: person.email, attemptsLeft: 5, code: person.verificationCode });
    const { issuedAt, expiresAt } = (await codeOf(person)) as { issuedAt: string; expiresAt: string };
    expect(Date.parse(expiresAt) - Date.parse(issuedAt)).toBe(15 * 60_000);
  });
  test('counts attempts down, and lists no code that can no longer be entered', async () => {
    const person = await api.signUp('client', { verify: false });
    const wrong = person.verificationCode === '000000' ? '000001' : '000000';
    const enter = (code: string) => api.call('POST', '/api/auth/verify-email', { body: { email: person.email, code } });
    await enter(wrong);
    await caughtUp();
    expect(await codeOf(person)).toMatchObject({ attemptsLeft: 4 });
    for (let more = 0; more < 4; more += 1) await enter(wrong);
    await caughtUp();
    expect(await codeOf(person)).toBeUndefined();
  });
  test('lists no code that was used, and none that has run out', async () => {
    const [used, late] = [await api.signUp('client'), await api.signUp('client', { verify: false })];
    await caughtUp();
    expect(await codeOf(late)).toBeDefined();
    await pool.query('update rm.verification_codes set expires_at = now() where account_id = $1', [late.user.id]);
    expect(await codeOf(late)).toBeUndefined();
    expect(await codeOf(used)).toBeUndefined();
  });
  test('pages, the code issued last first', async () => {
    await Promise.all([1, 2, 3].map(() => api.signUp('client', { verify: false })));
    await caughtUp();
    const times = (await everyPage('/verification-codes', 2)).map(({ issuedAt }) => String(issuedAt));
    expect(times).toEqual([...times].sort().reverse());
  });
});

describe('/admin/verification-codes/clear', () => {
  test.each(['POST', 'DELETE'])('%s makes every open code useless and tells how many', async (method) => {
    const people = await Promise.all([1, 2, 3].map(() => api.signUp('client', { verify: false })));
    await caughtUp();
    const open = (await everyPage('/verification-codes', 50)).length;
    const cleared = await asAdmin(method, '/verification-codes/clear', {
      headers: { 'x-request-id': `clear-${method}` },
    });
    expect(cleared).toMatchObject({
      status: 200,
      body: { success: true, data: { cleared: open }, message: `Verification codes cleared: ${open}` },
    });
    expect((await asAdmin('GET', '/verification-codes', { headers: after(cleared) })).body['data']).toEqual([]);
    for (const { email, verificationCode, user } of people) {
      expect(
        await api.call('POST', '/api/auth/verify-email', { body: { email, code: verificationCode } }),
      ).toMatchObject({ status: 400, body: error('VERIFICATION_FAILED', 'Verification failed') });
      expect(await lastEventOf(`account-${user.id}`)).toMatchObject({
        type: 'EmailVerificationCleared',
        meta: { actor: { kind: 'account', accountId: admin.user.id }, correlationId: `clear-${method}` },
      });
    }
    expect(await asAdmin(method, '/verification-codes/clear')).toMatchObject({
      status: 200,
      body: { data: { cleared: 0 } },
    });
    const [first] = people as [Person];
    expect((await api.call('POST', '/api/auth/resend-verification', { body: { email: first.email } })).status).toBe(
      200,
    );
  });
});

describe.each(['POST', 'PUT'])('%s /admin/users/{id}/verify', (method) => {
  test('says that an admin has looked into who this is; their ad shows it', async () => {
    const person = await api.signUp('provider');
    const { id } = await api.postAd(person.token);
    const verified = await asAdmin(method, `/users/${person.user.id}/verify`, {
      headers: { 'x-request-id': 'verify-this' },
    });
    expect(verified).toMatchObject({
      status: 200,
      body: { success: true, user: { id: person.user.id, verified: true, isEmailVerified: true } },
    });
    expect((await api.call('POST', '/api/auth/verify', { token: person.token })).body['user']).toMatchObject({
      verified: true,
    });
    expect(
      dataOf(await asAdmin('GET', `/users?q=${encodeURIComponent(person.email)}`, { headers: after(verified) })),
    ).toMatchObject([{ verified: true }]);
    expect(dataOf(await asAdmin('GET', `/ads?q=${encodeURIComponent(person.email)}`))).toMatchObject([
      { id, verified: true },
    ]);
    expect(await lastEventOf(`account-${person.user.id}`)).toMatchObject({
      type: 'AccountVerifiedByAdmin',
      meta: { actor: { kind: 'account', accountId: admin.user.id }, correlationId: 'verify-this' },
    });
  });
  test('lets a provider post whose e-mail is not verified', async () => {
    const person = await api.signUp('provider', { verify: false });
    expect((await api.call('POST', '/api/ads', { token: person.token, body: validAd })).status).toBe(403);
    await asAdmin(method, `/users/${person.user.id}/verify`);
    expect((await api.call('POST', '/api/ads', { token: person.token, body: validAd })).status).toBe(201);
  });
  test('twice changes nothing more', async () => {
    const person = await api.signUp('client');
    const first = await asAdmin(method, `/users/${person.user.id}/verify`);
    const second = await asAdmin(method, `/users/${person.user.id}/verify`);
    expect(second).toMatchObject({ status: 200, body: { user: { verified: true } } });
    expect(second.headers.get('etag')).toBe(first.headers.get('etag'));
  });
  test.each(['unknown', 'a%20b', '%00', 'x'.repeat(65)])('of user %j: User not found', async (id) => {
    expect(await asAdmin(method, `/users/${id}/verify`)).toMatchObject({
      status: 404,
      body: error('USER_NOT_FOUND', 'User not found'),
    });
  });
});

describe('DELETE /admin/users/{id}', () => {
  test('closes the account: its ad is down, its sessions are over, nobody signs in', async () => {
    const person = await api.signUp('provider');
    const { id, position } = await api.postAd(person.token);
    const live = await connectLive(product.url);
    const deleted = await asAdmin('DELETE', `/users/${person.user.id}`, { headers: { 'x-request-id': 'delete-this' } });
    expect(deleted).toMatchObject({ status: 200, body: { success: true } });
    expect(await live.next((message) => message.type === 'ad_deleted' && message.adId === id)).toBeDefined();
    live.close();
    expect((await adWith(id, after(deleted))).status).toBe(404);
    expect(position < (deleted.headers.get('x-position') ?? '')).toBe(true);
    expect(await api.call('POST', '/api/auth/verify', { token: person.token })).toMatchObject({ status: 401 });
    expect(await api.call('POST', '/api/ads', { token: person.token, body: validAd })).toMatchObject({ status: 401 });
    expect(await logIn(person.email)).toMatchObject({ status: 401, body: error('LOGIN_FAILED', 'Login failed') });
    await caughtUp();
    expect(await everyPage(`/users?q=${encodeURIComponent(person.email)}`, 10)).toEqual([]);
    const meta = { actor: { kind: 'account', accountId: admin.user.id }, correlationId: 'delete-this' };
    expect(await lastEventOf(`account-${person.user.id}`)).toMatchObject({ type: 'AccountClosed', meta });
    expect(await lastEventOf(`listing-${person.user.id}`)).toMatchObject({ type: 'AdDeleted', meta });
  });
  test('the address may sign up again and starts anew; the old sessions stay over', async () => {
    const person = await api.signUp('client');
    const ad = await api.postAd((await api.signUp('provider')).token);
    await api.call('POST', '/api/favorites', { token: person.token, body: { adId: ad.id } });
    await asAdmin('POST', `/users/${person.user.id}/verify`);
    await asAdmin('DELETE', `/users/${person.user.id}`);
    const again = await api.signUp('provider', { email: person.email });
    expect((await api.call('POST', '/api/auth/verify', { token: person.token })).status).toBe(401);
    expect((await api.call('POST', '/api/auth/verify', { token: again.token })).body['user']).toMatchObject({
      userType: 'provider',
      verified: false,
    });
    const posted = await api.postAd(again.token);
    const [listed] = dataOf(
      await asAdmin('GET', `/users?q=${encodeURIComponent(person.email)}`, {
        headers: { 'x-wait-position': posted.position },
      }),
    ) as unknown as AdminUserView[];
    expect(listed).toMatchObject({ isProvider: true, verified: false, adId: posted.id });
    expect(
      (
        await api.call('GET', `/api/favorites/${again.user.id}`, {
          token: again.token,
          headers: { 'x-wait-position': posted.position },
        })
      ).body['adIds'],
    ).toEqual([]);
  });
  test('again finishes what broke off, and changes nothing more', async () => {
    const person = await api.signUp('provider');
    await asAdmin('DELETE', `/users/${person.user.id}`);
    // As a request that was under way meanwhile would leave behind.
    const id = crypto.randomUUID();
    await recording.commands.handle(listing, person.user.id, () => [adPosted(person, id)], BY_TEST);
    const again = await asAdmin('DELETE', `/users/${person.user.id}`);
    expect(again.status).toBe(200);
    expect((await adWith(id, after(again))).status).toBe(404);
    const third = await asAdmin('DELETE', `/users/${person.user.id}`);
    expect(third.status).toBe(200);
    expect(third.headers.get('etag')).toBe(again.headers.get('etag'));
  });
  test('an admin cannot delete themselves', async () => {
    expect(await asAdmin('DELETE', `/users/${admin.user.id}`)).toMatchObject({
      status: 409,
      body: error('OWN_ACCOUNT', 'Admins cannot delete their own account'),
    });
    expect((await asAdmin('GET', '/users')).status).toBe(200);
  });
  test.each(['unknown', 'a%20b', '%00', 'x'.repeat(65)])('of user %j: User not found', async (id) => {
    expect(await asAdmin('DELETE', `/users/${id}`)).toMatchObject({
      status: 404,
      body: error('USER_NOT_FOUND', 'User not found'),
    });
  });
});

describe('DELETE /admin/ads/{id}', () => {
  test('takes it down for everybody, live as well; its owner may post another', async () => {
    const poster = await api.signUp('provider');
    const { id } = await api.postAd(poster.token);
    const live = await connectLive(product.url);
    const deleted = await asAdmin('DELETE', `/ads/${id}`, { headers: { 'x-request-id': 'take-down' } });
    expect(deleted).toMatchObject({ status: 200, body: { success: true, ad: { id }, data: { id } } });
    expect(await live.next((message) => message.type === 'ad_deleted' && message.adId === id)).toBeDefined();
    live.close();
    expect((await adWith(id, after(deleted))).status).toBe(404);
    expect(await lastEventOf(`listing-${poster.user.id}`)).toMatchObject({
      type: 'AdDeleted',
      meta: { actor: { kind: 'account', accountId: admin.user.id }, correlationId: 'take-down' },
    });
    expect((await api.call('POST', '/api/ads', { token: poster.token, body: validAd })).status).toBe(201);
  });
  test("'Ad not found': one that is not there, or not any more", async () => {
    const { id } = await api.postAd((await api.signUp('provider')).token);
    await asAdmin('DELETE', `/ads/${id}`);
    for (const one of [id, 'unknown', 'a%20b', '%00'])
      expect(await asAdmin('DELETE', `/ads/${one}`), one).toMatchObject({
        status: 404,
        body: error('AD_NOT_FOUND', 'Ad not found'),
      });
  });
});

describe('PUT /admin/ads/{id}/featured', () => {
  const feature = (id: string, featured: unknown) => asAdmin('PUT', `/ads/${id}/featured`, { body: { featured } });
  const isListed = async (id: string, answer: Answer) =>
    dataOf(await api.call('GET', '/api/ads/featured', { headers: after(answer) })).some((ad) => ad['id'] === id);

  test('puts it among the featured ads, and takes it out again', async () => {
    const poster = await api.signUp('provider');
    const { id } = await api.postAd(poster.token);
    const featured = await feature(id, true);
    expect(featured).toMatchObject({ status: 200, body: { success: true, ad: { id } } });
    expect(await isListed(id, featured)).toBe(true);
    expect((await adWith(id, {})).body['data']).toMatchObject({ isFeatured: true });
    expect(await lastEventOf(`listing-${poster.user.id}`)).toMatchObject({
      type: 'AdFeatured',
      meta: { actor: { kind: 'account', accountId: admin.user.id } },
    });
    expect((await feature(id, true)).headers.get('etag')).toBe(featured.headers.get('etag'));
    expect(await isListed(id, await feature(id, false))).toBe(false);
  });
  test.each([undefined, null, 'true', 1])('refuses featured: %j', async (featured) => {
    expect(await feature('unknown', featured)).toMatchObject({ status: 400, body: { code: 'INVALID_FIELDS' } });
  });
  test("'Ad not found'", async () => {
    expect(await feature('unknown', true)).toMatchObject({ status: 404, body: error('AD_NOT_FOUND', 'Ad not found') });
  });
});
