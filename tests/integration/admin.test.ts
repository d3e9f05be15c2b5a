import {
  account,
  listing,
  moderationCase,
  EMPTY_OPTIONAL_FIELDS,
  type AdminUserView,
  type ListingEvent,
  type StreamId,
  toCaseId,
  toStreamId,
} from '@alpenglow/domain';
import { registerAccount } from '@alpenglow/domain/deciders';
import { createDataKeys, createPostgresEventStore, loadSecrets, withPersonalData } from '@alpenglow/infra';
import type { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { after, apiClient, error, validAd, type ApiResponse, type ApiClient, type Person } from '../support/api.ts';
import { connectLive } from '../support/live.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { TEST_ORIGIN, openRecording, type Recording } from '../support/recording.ts';
import { createTestPool } from '../support/database.ts';
import { waitForReadModels as waitForReadModelsOf } from '../support/threads.ts';

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
  pool = createTestPool(product.databaseUrl);
  admin = await api.signUp('client', { email: 'admin@example.com' });
  [client, provider] = await Promise.all([api.signUp('client'), api.signUp('provider')]);
});
afterAll(async () => {
  await pool.end();
  await recording.close();
  await product.stop();
});

const REASON = { reason: 'The photos show another person.' };

type View = Readonly<Record<string, unknown>>;
const dataOf = ({ body }: ApiResponse) => body['data'] as readonly View[];
const asAdmin = (method: string, path: string, options: { body?: unknown; headers?: Record<string, string> } = {}) =>
  api.call(method, `/api/admin${path}`, { ...options, token: admin.token });
const logIn = (email: string) => api.call('POST', '/api/auth/login', { body: { email, password: 'correct horse' } });
const getAd = async (adId: string, headers: Record<string, string>) => api.call('GET', `/api/ads/${adId}`, { headers });

/** Waits until the read models have processed all writes. */
const waitForReadModels = () => waitForReadModelsOf(product.url);

/** Reads all pages of a list. */
async function readAllPages(path: string, limit: number): Promise<readonly View[]> {
  const rows: View[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = await asAdmin('GET', `${path}${path.includes('?') ? '&' : '?'}limit=${limit}&cursor=${cursor}`);
    expect(page.status, JSON.stringify(page.body)).toBe(200);
    expect(dataOf(page).length).toBeLessThanOrEqual(limit);
    rows.push(...dataOf(page));
    cursor = page.body['nextCursor'] as string | null;
  }
  return rows;
}

/** Creates the event of a posted ad with a given id. */
function createAdPosted({ user }: Person, adId: string): ListingEvent {
  const fields = { ...validAd, category: 'escort' as const, ...EMPTY_OPTIONAL_FIELDS };
  return {
    type: 'AdPosted',
    data: { accountId: user.id, adId, clientId: null, ...fields, photos: [], video: null, isDemo: false },
  };
}

/** Reads the type and the metadata of the last event of a stream. */
async function readLastEvent(stream: StreamId): Promise<{ readonly type: string; readonly meta: unknown }> {
  const { rows } = await pool.query<{ type: string; meta: unknown }>(
    'select type, meta from es.events where stream = $1 order by revision desc limit 1',
    [stream],
  );
  if (!rows[0]) throw new Error(`${stream} is empty`);
  return rows[0];
}

describe('GET /admin/users', () => {
  test('returns every field of R-3.1 and no password', async () => {
    const { id, position } = await api.postAd(provider.token);
    const listed = await asAdmin('GET', `/users?q=${encodeURIComponent(provider.email)}`, {
      headers: after(position),
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
  test('marks the admin as an admin', async () => {
    expect(dataOf(await asAdmin('GET', '/users?q=admin@example.com'))).toMatchObject([{ isAdmin: true, adId: null }]);
  });
  test('searches any part of an address or a name, ignores case and treats q as plain text', async () => {
    const email = `odd_name-${crypto.randomUUID()}@example.com`;
    const person = await api.signUp('client', { email });
    const renamed = await api.call('PUT', '/api/auth/profile', {
      token: person.token,
      body: { displayName: 'Zoë 100% Überall' },
    });
    const search = async (q: string) =>
      dataOf(await asAdmin('GET', `/users?q=${encodeURIComponent(q)}`, { headers: after(renamed) })).map(
        ({ email: listed }) => listed,
      );
    for (const q of ['odd_name', 'ODD_NAME', 'überall', '100% ü', email]) expect(await search(q), q).toEqual([email]);
    for (const q of ['odd%name', '_dd_name', '100%%', 'no such user', "' or 1=1 --"])
      expect(await search(q), q).toEqual([]);
  });
  test('pages in a stable order, newest first, during other sign-ups', async () => {
    const q = crypto.randomUUID();
    const people: Person[] = [];
    for (let count = 0; count < 7; count += 1)
      people.push(await api.signUp('client', { email: `${count}.${q}@example.com`, verify: false }));
    await waitForReadModels();
    const first = await asAdmin('GET', `/users?q=${q}&limit=3`);
    expect(first.body['total']).toBe(7);
    expect(dataOf(first)).toHaveLength(3);
    await api.signUp('client', { email: `late.${q}@example.com`, verify: false });
    await waitForReadModels();
    const rest = await readAllPages(`/users?q=${q}`, 2);
    expect(rest).toHaveLength(8);
    const second = await asAdmin('GET', `/users?q=${q}&limit=100&cursor=${String(first.body['nextCursor'])}`);
    expect([...dataOf(first), ...dataOf(second)].map(({ email }) => email)).toEqual(
      people.map(({ email }) => email).reverse(),
    );
    const times = rest.map(({ registeredAt }) => String(registeredAt));
    expect(times).toEqual([...times].sort().reverse());
  });
  test('lists every user exactly once when several signed up at the same time', async () => {
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
      await recording.commands.execute(account, accountId, registerAccount, command, TEST_ORIGIN, { now });
    }
    await waitForReadModels();
    expect((await readAllPages(`/users?q=${q}`, 2)).map(({ id }) => id)).toEqual([...ids].sort().reverse());
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
  ])('rejects %s', async (query) => {
    expect(await asAdmin('GET', `/users?${query}`)).toMatchObject({ status: 400, body: { code: 'INVALID_FIELDS' } });
  });
  test('does not list a repeated sign-up with an existing address', async () => {
    await api.call('POST', '/api/auth/signup', {
      body: { email: client.email, password: 'another horse', userType: 'client', displayName: 'Again', age: 30 },
    });
    expect(await readAllPages(`/users?q=${encodeURIComponent(client.email)}`, 10)).toHaveLength(1);
  });
});

describe('GET /admin/users with sort order and filters', () => {
  const q = crypto.randomUUID().slice(0, 8);
  const names = ['Ängela', 'bert', 'Anna', 'Zoë', 'Berta'];
  const listNames = async (query: string, limit = 2) =>
    (await readAllPages(`/users?q=${q}${query}`, limit)).map(({ displayName }) => displayName);

  beforeAll(async () => {
    for (const name of names) {
      const person = await api.signUp(name === 'Zoë' || name === 'bert' ? 'provider' : 'client', {
        email: `${crypto.randomUUID()}@${q}.example.com`,
      });
      await api.call('PUT', '/api/auth/profile', { token: person.token, body: { displayName: name } });
      if (name === 'Zoë') await api.postAd(person.token);
      if (name === 'Berta') await asAdmin('POST', `/users/${person.user.id}/verify`);
    }
    await waitForReadModels();
  });

  test('sorts by name in alphabetical order across pages', async () => {
    expect(await listNames('&sort=name')).toEqual(
      ['Ängela', 'Anna', 'bert', 'Berta', 'Zoë'].sort((a, b) => a.localeCompare(b, 'en')),
    );
  });
  test('sorts by oldest, newest and ads', async () => {
    expect(await listNames('&sort=oldest')).toEqual(names);
    expect(await listNames('&sort=newest')).toEqual([...names].reverse());
    const byAds = await listNames('&sort=ads');
    expect(byAds[0]).toBe('Zoë');
    expect([...byAds].sort()).toEqual([...names].sort());
  });
  test('filters by user type and by verification', async () => {
    expect(await listNames('&type=provider&sort=oldest')).toEqual(['bert', 'Zoë']);
    expect(await listNames('&verified=true')).toEqual(['Berta']);
    expect(await listNames('&verified=false&type=client&sort=oldest')).toEqual(['Ängela', 'Anna']);
  });
  test('filters by role and includes the configured admin', async () => {
    expect(await listNames('&role=none')).toHaveLength(names.length);
    expect(await listNames('&role=moderator')).toEqual([]);
    expect(dataOf(await asAdmin('GET', '/users?role=admin')).map(({ email }) => email)).toContain(admin.email);
  });
  test.each(['sort=price', 'type=admin', 'role=owner', 'verified=maybe'])('rejects %s', async (query) => {
    expect(await asAdmin('GET', `/users?${query}`)).toMatchObject({ status: 400, body: { code: 'INVALID_FIELDS' } });
  });
  test('rejects a cursor of another sort order', async () => {
    const { body } = await asAdmin('GET', `/users?q=${q}&sort=name&limit=2`);
    expect(await asAdmin('GET', `/users?q=${q}&sort=newest&cursor=${String(body['nextCursor'])}`)).toMatchObject({
      status: 400,
      body: { code: 'INVALID_FIELDS' },
    });
  });
});

describe('GET /admin/users/{id}', () => {
  test('returns a user with ad, code, role and counts, and logs the read', async () => {
    const person = await api.signUp('provider', { verify: false });
    await asAdmin('POST', `/users/${person.user.id}/verify`);
    const { id, position } = await api.postAd(person.token);
    const response = await asAdmin('GET', `/users/${person.user.id}`, {
      headers: { ...after(position), 'x-request-id': 'read-user' },
    });
    expect(response).toMatchObject({
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
    expect(response.headers.get('cache-control')).toBe('no-store');
    const { rows } = await pool.query(
      `select staff_id, what, people, request_id from audit.staff_reads where subject_id = $1`,
      [person.user.id],
    );
    expect(rows).toEqual([{ staff_id: admin.user.id, what: 'getUser', people: 1, request_id: 'read-user' }]);
  });
  test('returns the configured admin without an ad or a code', async () => {
    expect((await asAdmin('GET', `/users/${admin.user.id}`)).body['data']).toMatchObject({
      isAdmin: true,
      isConfiguredAdmin: true,
      role: null,
      ad: null,
      code: null,
    });
  });
  test.each(['unknown', 'a%20b', 'x'.repeat(65)])('returns User not found for %j', async (id) => {
    expect(await asAdmin('GET', `/users/${id}`)).toMatchObject({
      status: 404,
      body: error('USER_NOT_FOUND', 'User not found'),
    });
  });
  test('returns User not found for a closed account', async () => {
    const person = await api.signUp('client');
    const closed = await asAdmin('DELETE', `/users/${person.user.id}`, { body: REASON });
    expect((await asAdmin('GET', `/users/${person.user.id}`, { headers: after(closed) })).status).toBe(404);
  });
});

describe('the log of staff reads', () => {
  test.each(['users', 'ads', 'verification-codes'])(
    'records each list of %s with the number of people in it',
    async (list) => {
      await api.signUp('client', { verify: false });
      await waitForReadModels();
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

describe('the log of staff reads for a list with one person', () => {
  test.each([
    ['users', (email: string) => `/users?q=${email}`],
    ['ads', (email: string) => `/ads?q=${email}`],
    ['codes', () => '/verification-codes?limit=1'],
  ])('records the id of the person for a list of %s', async (list, path) => {
    const person = await api.signUp('provider', { verify: false });
    if (list === 'ads') {
      await asAdmin('POST', `/users/${person.user.id}/verify`);
      await api.postAd(person.token);
    }
    await waitForReadModels();
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

describe('the reason of an admin action', () => {
  const reason = 'Requested by phone, twice';
  /** Reads the stored data of the last event of a stream. The reason in the data is encrypted. */
  const readStoredData = async (stream: StreamId) =>
    JSON.stringify(
      (await pool.query('select data from es.events where stream = $1 order by revision desc limit 1', [stream]))
        .rows[0],
    );
  /** Reads and decrypts the reason in the last event of a stream. */
  async function readLastReason(stream: StreamId): Promise<unknown> {
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
  ] as const)('%s stores the sealed reason in the event', async (method, path, type, aggregate) => {
    const person = await api.signUp('client', { verify: false });
    expect((await asAdmin(method, path(person.user.id), { body: { reason: `  ${reason} ` } })).status).toBe(200);
    const stream = toStreamId({ name: aggregate }, person.user.id);
    expect(await readLastEvent(stream)).toMatchObject({ type });
    expect(await readStoredData(stream)).not.toContain(reason);
    expect(await readLastReason(stream)).toBe(reason);
  });
  test('is null when the request has none', async () => {
    const person = await api.signUp('client');
    await asAdmin('POST', `/users/${person.user.id}/verify`);
    expect(await readLastReason(toStreamId(account, person.user.id))).toBeNull();
  });
  test.each([
    [{ reason: 'x'.repeat(501) }, 'INVALID_FIELDS'],
    [{ reason: 'x' }, 'INVALID_FIELDS'],
    [{ reason: 'Enough.', rule: 'taste' }, 'INVALID_FIELDS'],
    [{ reason: 1 }, 'REQUIRED_FIELDS'],
    [{}, 'REQUIRED_FIELDS'],
  ])('is rejected when it is invalid, and the account stays open: %j', async (body, code) => {
    const person = await api.signUp('client');
    expect(await asAdmin('DELETE', `/users/${person.user.id}`, { body })).toMatchObject({
      status: 400,
      body: { code },
    });
    expect((await api.call('POST', '/api/auth/verify', { token: person.token })).status).toBe(200);
  });
});

describe('DELETE /admin/verification-codes/{id}', () => {
  test('revokes only the code of this user', async () => {
    const [target, other] = [
      await api.signUp('client', { verify: false }),
      await api.signUp('client', { verify: false }),
    ];
    expect(await asAdmin('DELETE', `/verification-codes/${target.user.id}`)).toMatchObject({
      status: 200,
      body: { data: { cleared: 1 } },
    });
    expect(await asAdmin('DELETE', `/verification-codes/${target.user.id}`)).toMatchObject({
      status: 200,
      body: { data: { cleared: 0 } },
    });
    const enterCode = ({ email, verificationCode, token }: Person) =>
      api.call('POST', '/api/auth/verify-email', { token, body: { email, code: verificationCode } });
    expect((await enterCode(target)).status).toBe(400);
    expect((await enterCode(other)).status).toBe(200);
  });
  test('returns User not found for an unknown user', async () => {
    expect(await asAdmin('DELETE', '/verification-codes/unknown')).toMatchObject({
      status: 404,
      body: error('USER_NOT_FOUND', 'User not found'),
    });
  });
});

describe('GET /admin/ads', () => {
  test('lists ads with their owners', async () => {
    const poster = await api.signUp('provider');
    const { id, position } = await api.postAd(poster.token, { title: 'Quillon evenings' });
    const options = { headers: after(position) };
    const expected = {
      id,
      title: 'Quillon evenings',
      email: poster.email,
      ownerId: poster.user.id,
      status: 'active',
      isFeatured: false,
    };
    for (const q of ['quillon', poster.email, poster.email.slice(0, 12)]) {
      expect((await asAdmin('GET', `/ads?q=${encodeURIComponent(q)}`, options)).body, q).toMatchObject({
        success: true,
        data: [expected],
        nextCursor: null,
        total: 1,
      });
    }
    expect(dataOf(await asAdmin('GET', '/ads', options))[0]).toMatchObject(expected);
    expect((await asAdmin('GET', '/ads?q=nothing-like-this')).body).toMatchObject({ data: [], total: 0 });
  });
  test('lists the ad with id 6, which visitors never receive', async () => {
    const poster = await api.signUp('provider');
    await recording.commands.handle(listing, poster.user.id, () => [createAdPosted(poster, '6')], TEST_ORIGIN);
    await waitForReadModels();
    expect(dataOf(await asAdmin('GET', `/ads?q=${encodeURIComponent(poster.email)}`))).toMatchObject([
      { id: '6', status: 'hidden' },
    ]);
    expect(dataOf(await api.call('GET', '/api/ads?limit=100')).map(({ id }) => id)).not.toContain('6');
    expect(await asAdmin('DELETE', '/ads/6', { body: REASON })).toMatchObject({ status: 200 });
  });
  test('hides configured ads from all lists, searches and counts of visitors but keeps their page', async () => {
    const hidingProduct = await startTestProduct({ hiddenAdIds: ['hidden-1', 'hidden-2'] });
    const hidingRecording = await openRecording(hidingProduct);
    const { call, signUp, postAd } = apiClient(hidingProduct.url);
    for (const adId of ['hidden-1', 'hidden-2', '6']) {
      const poster = await signUp('provider');
      await hidingRecording.commands.handle(listing, poster.user.id, () => [createAdPosted(poster, adId)], TEST_ORIGIN);
    }
    const { id, position } = await postAd((await signUp('provider')).token);
    const headers = after(position);
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
    await hidingRecording.close();
    await hidingProduct.stop();
  });
  test('pages in a stable order, newest first', async () => {
    const ids: string[] = [];
    let position = '';
    for (let count = 0; count < 5; count += 1) {
      const ad = await api.postAd((await api.signUp('provider')).token, { title: 'Velbrandt' });
      ids.unshift(ad.id);
      ({ position } = ad);
    }
    await asAdmin('GET', '/ads', { headers: after(position) });
    expect((await readAllPages('/ads?q=velbrandt', 2)).map(({ id }) => id)).toEqual(ids);
    expect((await readAllPages('/ads', 3)).slice(0, 5).map(({ id }) => id)).toEqual(ids);
  });
  test('sorts by title, oldest and last bump, and filters featured and hidden ads', async () => {
    const word = 'Marrowgate';
    const ids: Record<string, string> = {};
    for (const title of ['calm', 'Bright', 'airy'])
      ids[title] = (await api.postAd((await api.signUp('provider')).token, { title: `${title} ${word}` })).id;
    await asAdmin('PUT', `/ads/${ids['Bright']}/featured`, { body: { featured: true } });
    await waitForReadModels();
    const titles = async (query: string) =>
      (await readAllPages(`/ads?q=${word}${query}`, 2)).map(({ title }) => String(title).split(' ')[0]);
    expect(await titles('&sort=title')).toEqual(['airy', 'Bright', 'calm']);
    expect(await titles('&sort=oldest')).toEqual(['calm', 'Bright', 'airy']);
    expect(await titles('&sort=bumped')).toEqual(['airy', 'Bright', 'calm']);
    expect(await titles('&featured=true')).toEqual(['Bright']);
    expect(await titles('&featured=false&sort=title')).toEqual(['airy', 'calm']);
    expect(await titles('&hidden=true')).toEqual([]);
    expect(await titles('&hidden=false')).toHaveLength(3);
  });
  test.each(['limit=0', 'cursor=nonsense', 'q=%00', 'sort=price', 'hidden=2'])('rejects %s', async (query) => {
    expect(await asAdmin('GET', `/ads?${query}`)).toMatchObject({ status: 400, body: { code: 'INVALID_FIELDS' } });
  });
});

describe('GET /admin/verification-codes', () => {
  const findCode = async (person: Person) =>
    (await readAllPages('/verification-codes', 50)).find(({ userId }) => userId === person.user.id);

  test('lists address, issue time, expiry, attempts left and, if codes are exposed, the code', async () => {
    const person = await api.signUp('client', { verify: false });
    await waitForReadModels();
    expect(await findCode(person)).toMatchObject({
      email: person.email,
      attemptsLeft: 5,
      code: person.verificationCode,
    });
    const { issuedAt, expiresAt } = (await findCode(person)) as { issuedAt: string; expiresAt: string };
    expect(Date.parse(expiresAt) - Date.parse(issuedAt)).toBe(15 * 60_000);
  });
  test('shows the remaining attempts and omits codes without attempts left', async () => {
    const person = await api.signUp('client', { verify: false });
    const wrong = person.verificationCode === '000000' ? '000001' : '000000';
    const enter = (code: string) =>
      api.call('POST', '/api/auth/verify-email', { token: person.token, body: { email: person.email, code } });
    await enter(wrong);
    await waitForReadModels();
    expect(await findCode(person)).toMatchObject({ attemptsLeft: 4 });
    for (let attempt = 0; attempt < 4; attempt += 1) await enter(wrong);
    await waitForReadModels();
    expect(await findCode(person)).toBeUndefined();
  });
  test('omits used and expired codes', async () => {
    const [verified, unverified] = [await api.signUp('client'), await api.signUp('client', { verify: false })];
    await waitForReadModels();
    expect(await findCode(unverified)).toBeDefined();
    await pool.query('update rm.verification_codes set expires_at = now() where account_id = $1', [unverified.user.id]);
    expect(await findCode(unverified)).toBeUndefined();
    expect(await findCode(verified)).toBeUndefined();
  });
  test('pages by issue time, newest first', async () => {
    await Promise.all([1, 2, 3].map(() => api.signUp('client', { verify: false })));
    await waitForReadModels();
    const times = (await readAllPages('/verification-codes', 2)).map(({ issuedAt }) => String(issuedAt));
    expect(times).toEqual([...times].sort().reverse());
  });
});

describe('/admin/verification-codes/clear', () => {
  test.each(['POST', 'DELETE'])('%s revokes all open codes and returns their number', async (method) => {
    const people = await Promise.all([1, 2, 3].map(() => api.signUp('client', { verify: false })));
    await waitForReadModels();
    const open = (await readAllPages('/verification-codes', 50)).length;
    const cleared = await asAdmin(method, '/verification-codes/clear', {
      headers: { 'x-request-id': `clear-${method}` },
    });
    expect(cleared).toMatchObject({
      status: 200,
      body: { success: true, data: { cleared: open }, message: `Verification codes cleared: ${open}` },
    });
    expect((await asAdmin('GET', '/verification-codes', { headers: after(cleared) })).body['data']).toEqual([]);
    for (const { email, verificationCode, user, token } of people) {
      expect(
        await api.call('POST', '/api/auth/verify-email', { token, body: { email, code: verificationCode } }),
      ).toMatchObject({ status: 400, body: error('VERIFICATION_FAILED', 'Verification failed') });
      expect(await readLastEvent(toStreamId(account, user.id))).toMatchObject({
        type: 'EmailVerificationCleared',
        meta: { actor: { kind: 'account', accountId: admin.user.id }, correlationId: `clear-${method}` },
      });
    }
    expect(await asAdmin(method, '/verification-codes/clear')).toMatchObject({
      status: 200,
      body: { data: { cleared: 0 } },
    });
    const [first] = people as [Person];
    expect(
      (await api.call('POST', '/api/auth/resend-verification', { token: first.token, body: { email: first.email } }))
        .status,
    ).toBe(200);
  });
});

describe('POST and PUT /admin/users/{id}/verify', () => {
  test.each(['POST', 'PUT'])('%s marks the account and its ad as verified by an admin', async (method) => {
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
    expect(await readLastEvent(toStreamId(account, person.user.id))).toMatchObject({
      type: 'AccountVerifiedByAdmin',
      meta: { actor: { kind: 'account', accountId: admin.user.id }, correlationId: 'verify-this' },
    });
  });
  test('allows a provider with an unverified e-mail to post', async () => {
    const person = await api.signUp('provider', { verify: false });
    expect((await api.call('POST', '/api/ads', { token: person.token, body: validAd })).status).toBe(403);
    await asAdmin('POST', `/users/${person.user.id}/verify`);
    expect((await api.call('POST', '/api/ads', { token: person.token, body: validAd })).status).toBe(201);
  });
  test.each(['unknown', 'a%20b', '%00', 'x'.repeat(65)])('returns User not found for %j', async (id) => {
    expect(await asAdmin('POST', `/users/${id}/verify`)).toMatchObject({
      status: 404,
      body: error('USER_NOT_FOUND', 'User not found'),
    });
  });
});

describe('DELETE /admin/users/{id}', () => {
  test('closes the account, deletes its ad, ends its sessions and prevents logins', async () => {
    const person = await api.signUp('provider');
    const { id } = await api.postAd(person.token);
    const live = await connectLive(product.url);
    const deleted = await asAdmin('DELETE', `/users/${person.user.id}`, {
      headers: { 'x-request-id': 'delete-this' },
      body: REASON,
    });
    expect(deleted).toMatchObject({ status: 200, body: { success: true } });
    expect(await live.next((message) => message.type === 'ad_deleted' && message.adId === id)).toBeDefined();
    live.close();
    expect((await getAd(id, after(deleted))).status).toBe(404);
    expect(await api.call('POST', '/api/auth/verify', { token: person.token })).toMatchObject({ status: 401 });
    expect(await api.call('POST', '/api/ads', { token: person.token, body: validAd })).toMatchObject({ status: 401 });
    expect(await logIn(person.email)).toMatchObject({ status: 401, body: error('LOGIN_FAILED', 'Login failed') });
    await waitForReadModels();
    expect(await readAllPages(`/users?q=${encodeURIComponent(person.email)}`, 10)).toEqual([]);
    const meta = { actor: { kind: 'account', accountId: admin.user.id }, correlationId: 'delete-this' };
    expect(await readLastEvent(toStreamId(account, person.user.id))).toMatchObject({ type: 'AccountClosed', meta });
    const { state } = await recording.commands.load(moderationCase, toCaseId({ kind: 'account', id: person.user.id }));
    expect(state).toMatchObject({
      isOpen: false,
      decision: { outcome: 'account_closed', moderatorId: admin.user.id, facts: REASON.reason, isAutomated: false },
    });
  });
  test('allows a new sign-up with the address, without old data and old sessions', async () => {
    const person = await api.signUp('client');
    const ad = await api.postAd((await api.signUp('provider')).token);
    await api.call('POST', '/api/favorites', { token: person.token, body: { adId: ad.id } });
    await asAdmin('POST', `/users/${person.user.id}/verify`);
    await asAdmin('DELETE', `/users/${person.user.id}`, { body: REASON });
    const again = await api.signUp('provider', { email: person.email });
    expect((await api.call('POST', '/api/auth/verify', { token: person.token })).status).toBe(401);
    expect((await api.call('POST', '/api/auth/verify', { token: again.token })).body['user']).toMatchObject({
      userType: 'provider',
      verified: false,
    });
    const posted = await api.postAd(again.token);
    const [listed] = dataOf(
      await asAdmin('GET', `/users?q=${encodeURIComponent(person.email)}`, {
        headers: after(posted.position),
      }),
    ) as unknown as AdminUserView[];
    expect(listed).toMatchObject({ isProvider: true, verified: false, adId: posted.id });
    expect(
      (
        await api.call('GET', `/api/favorites/${again.user.id}`, {
          token: again.token,
          headers: after(posted.position),
        })
      ).body['adIds'],
    ).toEqual([]);
  });
  test('completes an interrupted deletion on a repeated request', async () => {
    const person = await api.signUp('provider');
    await asAdmin('DELETE', `/users/${person.user.id}`, { body: REASON });
    // This ad simulates a posting that ran in parallel with the deletion of the account.
    const id = crypto.randomUUID();
    await recording.commands.handle(listing, person.user.id, () => [createAdPosted(person, id)], TEST_ORIGIN);
    const again = await asAdmin('DELETE', `/users/${person.user.id}`, { body: REASON });
    expect(again.status).toBe(200);
    expect((await getAd(id, after(again))).status).toBe(404);
    const third = await asAdmin('DELETE', `/users/${person.user.id}`, { body: REASON });
    expect(third.status).toBe(200);
    expect(third.headers.get('etag')).toBe(again.headers.get('etag'));
  });
  test("rejects the deletion of the admin's own account", async () => {
    expect(await asAdmin('DELETE', `/users/${admin.user.id}`, { body: REASON })).toMatchObject({
      status: 409,
      body: error('OWN_ACCOUNT', 'Admins cannot delete their own account'),
    });
    expect((await asAdmin('GET', '/users')).status).toBe(200);
  });
  test.each(['unknown', 'a%20b', '%00', 'x'.repeat(65)])('returns User not found for %j', async (id) => {
    expect(await asAdmin('DELETE', `/users/${id}`, { body: REASON })).toMatchObject({
      status: 404,
      body: error('USER_NOT_FOUND', 'User not found'),
    });
  });
});

describe('DELETE /admin/ads/{id}', () => {
  test('removes the ad, notifies live clients, and sends its owner a statement that can be appealed', async () => {
    const poster = await api.signUp('provider');
    const { id } = await api.postAd(poster.token);
    const live = await connectLive(product.url);
    const removed = await asAdmin('DELETE', `/ads/${id}`, {
      headers: { 'x-request-id': 'delete-ad' },
      body: { ...REASON, rule: 'stolen' },
    });
    expect(removed).toMatchObject({ status: 200, body: { success: true, ad: { id }, data: { id } } });
    expect(await live.next((message) => message.type === 'ad_deleted' && message.adId === id)).toBeDefined();
    live.close();
    expect((await getAd(id, after(removed))).status).toBe(404);
    expect(await readLastEvent(toStreamId(listing, poster.user.id))).toMatchObject({
      type: 'AdHidden',
      meta: { actor: { kind: 'account', accountId: admin.user.id }, correlationId: 'delete-ad' },
    });
    await waitForReadModels();
    const statements = dataOf(await api.call('GET', '/api/account/decisions', { token: poster.token }));
    expect(statements).toMatchObject([
      {
        outcome: 'removed',
        rule: { id: 'stolen' },
        facts: REASON.reason,
        isAutomated: false,
        appealableUntil: expect.any(String),
      },
    ]);
  });
  test('makes one decision of a repeated request', async () => {
    const poster = await api.signUp('provider');
    const { id } = await api.postAd(poster.token);
    const first = await asAdmin('DELETE', `/ads/${id}`, { body: REASON });
    const again = await asAdmin('DELETE', `/ads/${id}`, { body: REASON });
    expect(again).toMatchObject({ status: 200 });
    expect(again.headers.get('etag')).toBe(first.headers.get('etag'));
    await waitForReadModels();
    expect(dataOf(await api.call('GET', '/api/account/decisions', { token: poster.token }))).toHaveLength(1);
  });
  test('is rejected without a reason', async () => {
    const { id } = await api.postAd((await api.signUp('provider')).token);
    expect(await asAdmin('DELETE', `/ads/${id}`)).toMatchObject({ status: 400, body: { code: 'REQUIRED_FIELDS' } });
    expect((await getAd(id, {})).status).toBe(200);
  });
  test("returns 'Ad not found' for an unknown or a deleted ad", async () => {
    const poster = await api.signUp('provider');
    const { id } = await api.postAd(poster.token);
    await api.call('DELETE', `/api/ads/${id}`, { token: poster.token });
    for (const adId of [id, 'unknown', 'a%20b', '%00'])
      expect(await asAdmin('DELETE', `/ads/${adId}`, { body: REASON }), adId).toMatchObject({
        status: 404,
        body: error('AD_NOT_FOUND', 'Ad not found'),
      });
  });
});

describe('PUT /admin/ads/{id}/featured', () => {
  const feature = (id: string, featured: unknown) => asAdmin('PUT', `/ads/${id}/featured`, { body: { featured } });
  const isListed = async (id: string, response: ApiResponse) =>
    dataOf(await api.call('GET', '/api/ads/featured', { headers: after(response) })).some((ad) => ad['id'] === id);

  test('adds the ad to the featured ads and removes it', async () => {
    const poster = await api.signUp('provider');
    const { id } = await api.postAd(poster.token);
    const featured = await feature(id, true);
    expect(featured).toMatchObject({ status: 200, body: { success: true, ad: { id } } });
    expect(await isListed(id, featured)).toBe(true);
    expect((await getAd(id, {})).body['data']).toMatchObject({ isFeatured: true });
    expect(await readLastEvent(toStreamId(listing, poster.user.id))).toMatchObject({
      type: 'AdFeatured',
      meta: { actor: { kind: 'account', accountId: admin.user.id } },
    });
    expect((await feature(id, true)).headers.get('etag')).toBe(featured.headers.get('etag'));
    expect(await isListed(id, await feature(id, false))).toBe(false);
  });
  test.each([undefined, null, 'true', 1])('rejects featured: %j', async (featured) => {
    expect(await feature('unknown', featured)).toMatchObject({ status: 400, body: { code: 'INVALID_FIELDS' } });
  });
  test("returns 'Ad not found' for an unknown ad", async () => {
    expect(await feature('unknown', true)).toMatchObject({ status: 404, body: error('AD_NOT_FOUND', 'Ad not found') });
  });
});
