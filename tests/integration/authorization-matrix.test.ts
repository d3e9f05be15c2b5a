import { OPERATIONS } from '@alpenglow/domain/api';
import { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiClient, validAd, type ApiClient } from '../support/api.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { apiRoutesOf } from '../support/routes.ts';

/**
 * Who may call what. A row per route: the status each kind of asker gets. `other` is a provider with an ad of their own; `expired` holds the
 * token of a session that has run out. An `:id` is that of `provider`'s ad unless the row says whose or what it is; a bystander is a
 * provider with an ad who asks for nothing. Rows run in this order. A route without a row fails the test.
 */
type Asker = 'nobody' | 'client' | 'provider' | 'other' | 'admin' | 'expired';
const ASKERS: readonly Asker[] = ['nobody', 'client', 'provider', 'other', 'admin', 'expired'];
type Target = 'ad' | 'bystander' | 'bystander-ad';
/** What is sent; `FAVORITE` stands for a body that names `provider`'s ad. */
type Row = Readonly<Record<Asker, number>> & { readonly body?: unknown; readonly id?: Target };
const FAVORITE = Symbol('favorite');

const everybody = (status: number, body?: unknown): Row => ({ nobody: status, client: status, provider: status, other: status, admin: status, expired: status, body });
/** Public, but a token that is sent has to be one. */
const publicRead = (status: number): Row => ({ ...everybody(status), expired: 401 });
const signedIn = (status: number, body?: unknown): Row => ({ ...everybody(status, body), nobody: 401, expired: 401 });
/** `admin` signed up as a client. */
const clients = (status: number, body?: unknown): Row => ({ ...signedIn(status, body), provider: 403, other: 403 });
/** Of an ad: its owner alone; to anybody else it is not theirs. */
const ownerOnly = (status: number, body?: unknown): Row => ({ ...signedIn(403, body), provider: status });
const admins = (status: number, id: Target, body?: unknown): Row => ({ ...signedIn(403, body), admin: status, id });

const UNKNOWN = 'unknown@example.com';

const MATRIX: Readonly<Record<string, Row>> = {
  'GET /health': everybody(200),
  'GET /docs': everybody(200),
  'GET /docs/openapi.yaml': everybody(200),
  'GET /sync/status': everybody(200),
  'POST /sync/force': everybody(200),

  'GET /ads': everybody(200),
  'GET /ads/counts': everybody(200),
  'GET /ads/featured': everybody(200),
  'GET /ads/location/:first/:second': everybody(200),
  'GET /ads/user': signedIn(200),
  'GET /ads/:id': publicRead(200),
  'GET /uploads/photos/:mediaId/:variant': everybody(404),
  'GET /uploads/video/:mediaId': everybody(404),

  'POST /auth/signup': everybody(400, {}),
  'POST /auth/login': everybody(401, { email: UNKNOWN, password: 'wrong horse' }),
  'POST /auth/verify': signedIn(200),
  'POST /auth/verify-email': everybody(400, { email: UNKNOWN, code: '123456' }),
  'POST /auth/resend-verification': everybody(200, { email: UNKNOWN }),
  'POST /auth/forgot-password': everybody(200, { email: UNKNOWN }),
  'POST /auth/reset-password': everybody(400, { email: UNKNOWN, code: '123456', newPassword: 'correct horse' }),
  'POST /auth/change-password': signedIn(400, { currentPassword: 'wrong horse', newPassword: 'correct horse' }),
  'GET /auth/profile': signedIn(200),
  'PUT /auth/profile': signedIn(200, { displayName: 'Changed' }),
  'POST /auth/refresh': signedIn(200),

  'POST /uploads/photos': signedIn(400),
  'POST /uploads/video': signedIn(400),
  'POST /ads': { ...signedIn(403, validAd), provider: 409, other: 409 },
  'PUT /ads/:id': ownerOnly(200, { title: 'Changed' }),
  'POST /ads/:id/bump': ownerOnly(429),
  'POST /ads/:id/reviews': clients(201, { comment: 'Kind.', rating: 5 }),

  // A client's own; who has no business there learns nothing.
  'GET /favorites/:userId': { ...signedIn(404), client: 200, admin: 200 },
  'POST /favorites': clients(201, FAVORITE),
  'DELETE /favorites/:id': signedIn(200),

  'GET /admin/users': admins(200, 'bystander'),
  'GET /admin/ads': admins(200, 'bystander'),
  'GET /admin/verification-codes': admins(200, 'bystander'),
  'POST /admin/verification-codes/clear': admins(200, 'bystander'),
  'DELETE /admin/verification-codes/clear': admins(200, 'bystander'),
  'POST /admin/users/:id/verify': admins(200, 'bystander'),
  'PUT /admin/users/:id/verify': admins(200, 'bystander'),
  'PUT /admin/ads/:id/featured': admins(200, 'bystander-ad', { featured: true }),
  'DELETE /admin/ads/:id': admins(200, 'bystander-ad'),
  'DELETE /admin/users/:id': admins(200, 'bystander'),

  'DELETE /ads/:id': ownerOnly(200),
  'POST /auth/logout': signedIn(200),
};

let product: TestProduct;
let api: ApiClient;
const tokens: Partial<Record<Asker, string>> = {};
let ids: Readonly<Record<Target | 'client', string>>;

beforeAll(async () => {
  product = await startTestProduct();
  api = apiClient(product.url);
  const people = { client: 'client', provider: 'provider', other: 'provider', expired: 'provider', bystander: 'provider' } as const;
  const [client, provider, other, expired, bystander] = await Promise.all(Object.values(people).map((userType) => api.signUp(userType)));
  const admin = await api.signUp('client', { email: 'admin@example.com' });
  if (!client || !provider || !other || !expired || !bystander) throw new Error('Somebody did not sign up');
  const pool = new Pool({ connectionString: product.databaseUrl });
  await pool.query(`update auth.sessions set expires_at = now() where account_id = $1`, [expired.user.id]);
  await pool.end();
  const ad = await api.postAd(provider.token);
  await api.postAd(other.token);
  const bystanderAd = await api.postAd(bystander.token);
  await api.call('GET', `/api/ads/${bystanderAd.id}`, { headers: { 'x-wait-position': bystanderAd.position } });
  ids = { 'ad': ad.id, 'bystander': bystander.user.id, 'bystander-ad': bystanderAd.id, 'client': client.user.id };
  Object.assign(tokens, { client: client.token, provider: provider.token, other: other.token, admin: admin.token, expired: expired.token });
});
afterAll(() => product?.stop());

test('has a row for every route of both servers, and no other', () => {
  expect(Object.keys(MATRIX).sort()).toEqual(apiRoutesOf(product.handler).sort());
});

test.each(OPERATIONS.filter(({ isWebSocket }) => !isWebSocket))('openapi.yaml says the same of $method $path', ({ method, path, access }) => {
  const { nobody, client, expired } = MATRIX[`${method} ${path.replaceAll(/\{(\w+)\}/gu, ':$1')}`] ?? everybody(0);
  const isAskedWho = access === 'bearer' || access === 'admin';
  expect(nobody === 401 && !path.endsWith('/login'), 'without a token').toBe(isAskedWho);
  expect(expired === 401 && !path.endsWith('/login'), 'with a token that has run out').toBe(access !== 'none');
  if (access === 'admin') expect(client, 'as somebody else').toBe(403);
});

describe.each(Object.entries(MATRIX))('%s', (route, row) => {
  // The owner comes last: what they may do changes what the others find.
  const order = [...ASKERS].sort((a, b) => Number(a === 'provider') - Number(b === 'provider'));
  test.each(order)('%s', async (asker) => {
    const [method = '', pattern = ''] = route.split(' ');
    const path = pattern.replace(':first/:second', 'NV/Reno').replace(':mediaId/:variant', 'unknown/320.jpg').replace(':mediaId', 'unknown').replace(':userId', ids.client).replace(':id', ids[row.id ?? 'ad']);
    const token = tokens[asker];
    const body = row.body === FAVORITE ? { adId: ids.ad } : row.body;
    const answer = await api.call(method, `/api${path}`, { ...(token !== undefined && { token }), ...(body !== undefined && { body }) });
    expect(answer.status, JSON.stringify(answer.body)).toBe(row[asker]);
    // Whoever refreshes goes on with the new token.
    if (token !== undefined && typeof answer.body['token'] === 'string') tokens[asker] = answer.body['token'];
  });
});
