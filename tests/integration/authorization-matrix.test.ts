import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Pool } from 'pg';
import { apiClient, validAd, type ApiClient } from '../support/api.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { apiRoutesOf } from '../support/routes.ts';

/**
 * Who may call what. A row per route: the status each kind of asker gets. `other` is a provider with an ad of their own; ids in
 * paths are of `provider`'s ad. `expired` holds the token of a session that has run out. A route without a row fails the test.
 */
type Asker = 'nobody' | 'client' | 'provider' | 'other' | 'admin' | 'expired';
const ASKERS: readonly Asker[] = ['nobody', 'client', 'provider', 'other', 'admin', 'expired'];
type Row = Readonly<Record<Asker, number>> & { readonly body?: unknown };

const everybody = (status: number, body?: unknown): Row => ({ nobody: status, client: status, provider: status, other: status, admin: status, expired: status, body });
/** Public, but a token that is sent has to be one. */
const publicRead = (status: number): Row => ({ ...everybody(status), expired: 401 });
const signedIn = (status: number, body?: unknown): Row => ({ ...everybody(status, body), nobody: 401, expired: 401 });

const MATRIX: Readonly<Record<string, Row>> = {
  'GET /health': everybody(200),
  'GET /sync/status': everybody(200),
  'POST /sync/force': everybody(200),
  'GET /ads': everybody(200),
  'GET /ads/location/:first/:second': everybody(200),
  'GET /ads/user': signedIn(200),
  'GET /ads/:id': publicRead(200),
  'GET /uploads/photos/:mediaId/:variant': everybody(404),
  'POST /auth/signup': everybody(400, {}),
  'POST /auth/login': everybody(401, { email: 'unknown@example.com', password: 'wrong horse' }),
  'POST /auth/verify': signedIn(200),
  'POST /auth/verify-email': everybody(400, { email: 'unknown@example.com', code: '123456' }),
  'POST /auth/resend-verification': everybody(200, { email: 'unknown@example.com' }),
  'POST /uploads/photos': { ...signedIn(400) },
  'POST /ads': { nobody: 401, client: 403, provider: 409, other: 409, admin: 403, expired: 401, body: validAd },
  'PUT /ads/:id': { nobody: 401, client: 403, provider: 200, other: 403, admin: 403, expired: 401, body: { title: 'Changed' } },
  'POST /ads/:id/bump': { nobody: 401, client: 403, provider: 429, other: 403, admin: 403, expired: 401 },
  'POST /ads/:id/reviews': { nobody: 401, client: 201, provider: 403, other: 403, admin: 201, expired: 401, body: { comment: 'Kind.', rating: 5 } },
  'DELETE /ads/:id': { nobody: 401, client: 403, provider: 200, other: 403, admin: 403, expired: 401 },
  'POST /auth/logout': signedIn(200),
};

let product: TestProduct;
let api: ApiClient;
let tokens: Readonly<Record<Asker, string | undefined>>;
let adId: string;

beforeAll(async () => {
  product = await startTestProduct();
  api = apiClient(product.url);
  const [client, provider, other, admin, expired] = await Promise.all([
    api.signUp('client'),
    api.signUp('provider'),
    api.signUp('provider'),
    api.signUp('client', { email: 'admin@example.com' }),
    api.signUp('provider'),
  ]);
  const pool = new Pool({ connectionString: product.databaseUrl });
  await pool.query(`update auth.sessions set expires_at = now() where account_id = $1`, [expired.user.id]);
  await pool.end();
  const { id, position } = await api.postAd(provider.token);
  await api.postAd(other.token);
  await api.call('GET', `/api/ads/${id}`, { headers: { 'x-wait-position': position } });
  adId = id;
  tokens = { nobody: undefined, client: client.token, provider: provider.token, other: other.token, admin: admin.token, expired: expired.token };
});
afterAll(() => product.stop());

test('has a row for every route of both servers, and no other', () => {
  expect(Object.keys(MATRIX).sort()).toEqual(apiRoutesOf(product.handler).sort());
});

describe.each(Object.entries(MATRIX))('%s', (route, row) => {
  // The owner comes last: what they may do changes what the others find.
  const order = [...ASKERS].sort((a, b) => Number(a === 'provider') - Number(b === 'provider'));
  test.each(order)('%s', async (asker) => {
    const [method = '', pattern = ''] = route.split(' ');
    const path = pattern.replace(':first/:second', 'NV/Reno').replace(':mediaId/:variant', 'unknown/320.jpg').replace(':id', adId);
    const token = tokens[asker];
    const answer = await api.call(method, `/api${path}`, { ...(token !== undefined && { token }), ...(row.body !== undefined && { body: row.body }) });
    expect(answer.status, JSON.stringify(answer.body)).toBe(row[asker]);
  });
});
