import { OPERATIONS } from '@alpenglow/domain/api';
import { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiClient, validAd, type ApiClient } from '../support/api.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { openRecording } from '../support/recording.ts';
import { apiRoutesOf } from '../support/routes.ts';
import { isFullRun, sampleOf } from '../support/sample.ts';

/**
 * Who may call what. A row per route: the status each kind of asker gets. `other` is a provider with an ad of their own; `expired` holds the
 * token of a session that has run out. An `:id` is that of `provider`'s ad unless the row says whose or what it is, a `:number` that of an
 * opening post; a bystander is a provider with an ad who asks for nothing. Rows run in this order. A route without a row fails the test.
 */
type Asker = 'nobody' | 'client' | 'provider' | 'other' | 'moderator' | 'admin' | 'expired';
const ASKERS: readonly Asker[] = ['nobody', 'client', 'provider', 'other', 'moderator', 'admin', 'expired'];
type Target = 'ad' | 'thread' | 'bystander' | 'bystander-ad';
/** What is sent; `FAVORITE` stands for a body that names `provider`'s ad, `REPORT` for one that names the opening post of `provider`'s thread. */
type Row = Readonly<Record<Asker, number>> & { readonly body?: unknown; readonly id?: Target };
const FAVORITE = Symbol('favorite');
const REPORT = Symbol('report');

const everybody = (status: number, body?: unknown): Row => ({
  nobody: status,
  client: status,
  provider: status,
  other: status,
  moderator: status,
  admin: status,
  expired: status,
  body,
});
/** Public, but a token that is sent has to be one. */
const publicRead = (status: number): Row => ({ ...everybody(status), expired: 401 });
const signedIn = (status: number, body?: unknown): Row => ({ ...everybody(status, body), nobody: 401, expired: 401 });
/** `admin` and `moderator` signed up as clients. */
const clients = (status: number, body?: unknown): Row => ({ ...signedIn(status, body), provider: 403, other: 403 });
/** Of an ad: its owner alone; to anybody else it is not theirs. */
const ownerOnly = (status: number, body?: unknown): Row => ({ ...signedIn(403, body), provider: status });
const admins = (status: number, id: Target, body?: unknown): Row => ({ ...signedIn(403, body), admin: status, id });
const moderators = (status: number, id: Target, body?: unknown): Row => ({
  ...admins(status, id, body),
  moderator: status,
});

const UNKNOWN = 'unknown@example.com';
const ARTICLE = { slug: 'meeting-safely', title: 'Meeting safely', summary: 'What helps.', body: 'Text' };

const RULE = { title: 'Copied words', phrases: ['copied'], rule: 'spam', facts: 'Copied from elsewhere.' };

const PLACE = { state: 'NV', city: 'Las Vegas' };

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
  // Whoever has the token of a mail has no need to be anybody.
  'GET /community/unsubscribe/:token': everybody(303),
  'POST /community/unsubscribe': everybody(400, { token: 'unknown' }),
  'POST /community/unsubscribe/:token': everybody(400),

  'GET /community/threads': everybody(200),
  'GET /community/locations': everybody(200),
  'GET /community/threads/:id': { ...publicRead(200), id: 'thread' },
  'GET /community/threads/:id/posts/:number/history': { ...ownerOnly(200), moderator: 200, admin: 200, id: 'thread' },
  'GET /community/follows': signedIn(200),
  'GET /search': everybody(200),

  'GET /blog/articles': everybody(200),
  'GET /blog/articles/:slug': everybody(404),
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
  'GET /auth/two-step': signedIn(200),
  'POST /auth/two-step/setup': signedIn(400, { password: 'wrong horse' }),
  'POST /auth/two-step/confirm': signedIn(409, { code: '123456' }),
  'POST /auth/two-step/disable': signedIn(400, { password: 'wrong horse', code: '123456' }),
  'GET /auth/profile': signedIn(200),
  'PUT /auth/profile': signedIn(200, { displayName: 'Changed' }),
  'POST /auth/refresh': signedIn(200),

  'POST /uploads/photos': signedIn(400),
  'POST /uploads/video': signedIn(400),
  'POST /ads': { ...signedIn(403, validAd), provider: 409, other: 409 },
  'PUT /ads/:id': ownerOnly(200, { title: 'Changed' }),
  'POST /ads/:id/bump': ownerOnly(429),
  'POST /ads/:id/reviews': clients(201, { comment: 'Kind.', rating: 5 }),

  'POST /community/threads': signedIn(201, { ...PLACE, title: 'Another thread', body: 'Another thread.' }),
  'POST /community/threads/:id/replies': { ...signedIn(201, { body: 'A reply.' }), id: 'thread' },
  'POST /community/preview': signedIn(200, { body: 'A *calm* place.' }),
  'PUT /community/threads/:id/posts/:number': { ...ownerOnly(200, { body: 'Changed.' }), id: 'thread' },
  'POST /community/threads/:id/posts/:number/helpful': { ...signedIn(200), provider: 403, id: 'thread' },
  'DELETE /community/threads/:id/posts/:number/helpful': { ...signedIn(200), id: 'thread' },
  'PUT /community/threads/:id/follow': { ...signedIn(200, { mail: 'daily' }), id: 'thread' },
  'DELETE /community/threads/:id/follow': { ...signedIn(200), id: 'thread' },
  'POST /reports': { ...publicRead(201), body: REPORT },
  'GET /reports/:reference': everybody(404),
  'GET /account/decisions': signedIn(200),
  'GET /account/decisions/:id': signedIn(404),
  'POST /account/decisions/:id/appeal': signedIn(404, { text: 'It is mine.' }),
  'GET /admin/moderation/cases': moderators(200, 'bystander'),
  'GET /admin/moderation/cases/:id': moderators(404, 'bystander'),
  'POST /admin/moderation/cases/:id/claim': moderators(404, 'bystander'),
  'POST /admin/moderation/cases/:id/release': moderators(404, 'bystander'),
  'POST /admin/moderation/cases/:id/decide': moderators(404, 'bystander', {
    outcome: 'kept',
    rule: 'other',
    facts: 'Nothing is wrong.',
  }),
  'POST /admin/moderation/cases/:id/appeal': moderators(404, 'bystander', { outcome: 'upheld', facts: 'So it stays.' }),

  // A client's own; who has no business there learns nothing.
  'GET /favorites/:userId': { ...signedIn(404), client: 200, admin: 200 },
  'POST /favorites': clients(201, FAVORITE),
  'DELETE /favorites/:id': signedIn(200),

  'POST /admin/blog/articles': admins(201, 'bystander', ARTICLE),
  'GET /admin/blog/articles': admins(200, 'bystander'),
  'GET /admin/blog/articles/:slug': admins(200, 'bystander'),
  'PUT /admin/blog/articles/:slug': admins(200, 'bystander', { title: 'Changed' }),
  'POST /admin/blog/articles/:slug/publish': admins(200, 'bystander', {}),
  'POST /admin/blog/articles/:slug/unschedule': admins(200, 'bystander'),
  'POST /admin/blog/articles/:slug/correct': admins(200, 'bystander', { body: 'Clearer', note: 'Clearer.' }),
  'POST /admin/blog/articles/:slug/withdraw': admins(200, 'bystander', {}),
  // It was published once.
  'DELETE /admin/blog/articles/:slug': admins(409, 'bystander'),
  'POST /admin/blog/preview': admins(200, 'bystander', { body: 'Text' }),

  'GET /admin/overview': admins(200, 'bystander'),
  'GET /admin/rules': admins(200, 'bystander'),
  'POST /admin/rules': admins(201, 'bystander', RULE),
  'POST /admin/rules/try': admins(200, 'bystander', RULE),
  // There is no such rule.
  'PUT /admin/rules/:id': admins(404, 'bystander', RULE),
  'POST /admin/rules/:id/on': admins(404, 'bystander'),
  'POST /admin/rules/:id/off': admins(404, 'bystander'),
  'DELETE /admin/rules/:id': admins(404, 'bystander'),

  'GET /admin/jobs': admins(200, 'bystander'),
  'GET /admin/jobs/:queue': admins(200, 'bystander'),
  'GET /admin/jobs/:queue/:id': admins(404, 'bystander'),
  'POST /admin/jobs/:queue/retry': admins(202, 'bystander'),
  'POST /admin/jobs/:queue/:id/retry': admins(404, 'bystander'),
  'DELETE /admin/jobs/:queue/:id': admins(404, 'bystander'),
  'GET /admin/projections': admins(200, 'bystander'),
  'GET /admin/projections/:name/differences': admins(404, 'bystander'),
  'GET /admin/projections/:name/parked': admins(404, 'bystander'),
  'POST /admin/projections/:name/rebuild': admins(404, 'bystander'),
  'POST /admin/projections/:name/pause': admins(404, 'bystander'),
  'POST /admin/projections/:name/resume': admins(404, 'bystander'),
  'POST /admin/projections/:name/cancel': admins(404, 'bystander'),
  'POST /admin/projections/:name/swap': admins(404, 'bystander'),
  'POST /admin/projections/:name/revert': admins(404, 'bystander'),
  'POST /admin/projections/:name/parked/:position/retry': admins(404, 'bystander'),
  'POST /admin/projections/:name/parked/:position/skip': admins(404, 'bystander', { reason: 'Written by a fault.' }),

  'GET /admin/users': admins(200, 'bystander'),
  'GET /admin/users/:id': admins(200, 'bystander'),
  'GET /admin/ads': admins(200, 'bystander'),
  'GET /admin/verification-codes': admins(200, 'bystander'),
  'POST /admin/verification-codes/clear': admins(200, 'bystander'),
  'DELETE /admin/verification-codes/clear': admins(200, 'bystander'),
  'DELETE /admin/verification-codes/:id': admins(200, 'bystander'),
  'POST /admin/users/:id/verify': admins(200, 'bystander'),
  'PUT /admin/users/:id/verify': admins(200, 'bystander'),
  'GET /admin/users/:id/person': admins(200, 'bystander'),
  'PUT /admin/users/:id/legal-hold': admins(200, 'bystander', { reason: 'A court asks.' }),
  'DELETE /admin/users/:id/legal-hold': admins(200, 'bystander', { reason: 'It has decided.' }),
  'POST /account/erasure': signedIn(400, { password: 'wrong horse' }),
  'GET /account/erasure/:receiptId': everybody(404),
  'GET /account/identity': signedIn(200),
  'POST /account/identity': { ...signedIn(400), client: 403, moderator: 403, admin: 403 },
  'GET /admin/identity': admins(200, 'bystander'),
  'GET /admin/identity/:id/files/:number': admins(404, 'bystander'),
  'POST /admin/identity/:id/decide': admins(404, 'bystander', { accept: true, reason: 'Seen.' }),
  'PUT /admin/users/:id/role': admins(200, 'bystander', { role: null, reason: 'Nothing to do yet.' }),
  'PUT /admin/ads/:id/featured': admins(200, 'bystander-ad', { featured: true }),
  'DELETE /admin/ads/:id': admins(200, 'bystander-ad'),
  'GET /admin/users/:id/export': admins(200, 'bystander'),
  'DELETE /admin/users/:id': admins(200, 'bystander'),

  'GET /admin/ads/:id/history': moderators(200, 'ad'),
  'GET /admin/ads/:id/rank': moderators(200, 'ad'),
  'GET /admin/ads/:id': moderators(200, 'ad'),
  'GET /admin/users/:id/history': admins(200, 'bystander'),
  'GET /admin/users/:id/as-of': admins(200, 'bystander'),
  'GET /admin/community/threads/:id/history': moderators(200, 'thread'),
  'GET /admin/community/threads/:id': moderators(200, 'thread'),
  'GET /admin/transparency': moderators(200, 'bystander'),
  'GET /account/export': signedIn(200),
  'POST /consents': { ...publicRead(200), body: { kind: 'cookies', textVersion: 1, choice: 'essential' } },
  'GET /admin/staff-reads': admins(200, 'bystander'),
  'GET /audit/roots': everybody(200),
  'GET /admin/log': moderators(200, 'bystander'),
  'GET /admin/log/:eventId/proof': moderators(404, 'bystander'),
  'GET /admin/community/hidden': moderators(200, 'bystander'),
  'PUT /admin/community/threads/:id/posts/:number/hidden': moderators(200, 'thread', { hidden: false }),
  'PUT /admin/community/threads/:id/locked': moderators(200, 'thread', { locked: true }),
  'PUT /admin/community/threads/:id/pinned': moderators(200, 'thread', { pinned: true }),
  'PUT /admin/community/threads/:id/place': moderators(200, 'thread', { state: 'NV', city: 'Reno' }),
  'DELETE /community/threads/:id/posts/:number': { ...ownerOnly(200), id: 'thread' },

  'DELETE /ads/:id': ownerOnly(200),
  'POST /admin/users/:id/erasure': admins(202, 'bystander', { reason: 'Asked for by letter.' }),
  'POST /auth/logout': signedIn(200),
};

let product: TestProduct;
let api: ApiClient;
const tokens: Partial<Record<Asker, string>> = {};
let ids: Readonly<Record<Target | 'client', string>>;

beforeAll(async () => {
  product = await startTestProduct();
  api = apiClient(product.url);
  // New accounts could not post yet.
  const recording = await openRecording(product);
  const people = {
    client: 'client',
    provider: 'provider',
    other: 'provider',
    expired: 'provider',
    bystander: 'provider',
  } as const;
  const [client, provider, other, expired, bystander] = await Promise.all(
    Object.values(people).map((userType) => recording.member({ userType })),
  );
  const moderator = await recording.member({ role: 'moderator' });
  const admin = await recording.member({ email: 'admin@example.com' });
  await recording.close();
  if (!client || !provider || !other || !expired || !bystander) throw new Error('Somebody did not sign up');
  const pool = new Pool({ connectionString: product.databaseUrl });
  await pool.query(`update auth.sessions set expires_at = now() where account_id = $1`, [expired.user.id]);
  await pool.end();
  const ad = await api.postAd(provider.token);
  await api.postAd(other.token);
  const bystanderAd = await api.postAd(bystander.token);
  await api.call('GET', `/api/ads/${bystanderAd.id}`, { headers: { 'x-wait-position': bystanderAd.position } });
  const started = await api.call('POST', '/api/community/threads', {
    token: provider.token,
    body: { ...PLACE, title: 'A thread', body: 'A thread.' },
  });
  const { id: threadId } = started.body['data'] as { id: string };
  await api.call('GET', `/api/community/threads/${threadId}`, {
    headers: { 'x-wait-position': started.headers.get('x-position') ?? '' },
  });
  ids = {
    ad: ad.id,
    thread: threadId,
    bystander: bystander.user.id,
    'bystander-ad': bystanderAd.id,
    client: client.user.id,
  };
  Object.assign(tokens, {
    client: client.token,
    provider: provider.token,
    other: other.token,
    moderator: moderator.token,
    admin: admin.token,
    expired: expired.token,
  });
});
afterAll(() => product?.stop());

test('has a row for every route of both servers, and no other', () => {
  expect(Object.keys(MATRIX).sort()).toEqual(apiRoutesOf(product.handler).sort());
});

test.each(
  sampleOf(
    OPERATIONS.filter(({ isWebSocket }) => !isWebSocket),
    40,
  ),
)('openapi.yaml says the same of $method $path', ({ method, path, access }) => {
  const { nobody, client, moderator, admin, expired } =
    MATRIX[`${method} ${path.replaceAll(/\{(\w+)\}/gu, ':$1')}`] ?? everybody(0);
  const isAskedWho = access === 'bearer' || access === 'statement' || access === 'moderator' || access === 'admin';
  expect(nobody === 401 && !path.endsWith('/login'), 'without a token').toBe(isAskedWho);
  expect(expired === 401 && !path.endsWith('/login'), 'with a token that has run out').toBe(access !== 'none');
  if (access === 'moderator' || access === 'admin') expect(client, 'as somebody else').toBe(403);
  if (access === 'admin') expect(moderator, 'as a moderator').toBe(403);
  if (access === 'moderator') expect(moderator, 'as a moderator').toBe(admin);
});

/** Those of one article need each other, in order: a part of them could not be asked. */
const standsAlone = (route: string) => !route.includes(':slug');
const ROWS = sampleOf(
  Object.entries(MATRIX).filter(([route]) => isFullRun || standsAlone(route)),
  24,
);

describe.each(ROWS)('%s', (route, row) => {
  // The owner comes last: what they may do changes what the others find.
  const order = [...ASKERS].sort((a, b) => Number(a === 'provider') - Number(b === 'provider'));
  test.each(order)('%s', async (asker) => {
    const [method = '', pattern = ''] = route.split(' ');
    const path = pattern
      .replace(':first/:second', 'NV/Reno')
      .replace(':mediaId/:variant', 'unknown/320.jpg')
      .replace(':mediaId', 'unknown')
      .replace(':slug', ARTICLE.slug)
      .replace(':queue', 'photo-variants')
      .replace(':name', 'unknown')
      .replace(':position', '0')
      .replace(':number', '0')
      .replace(':userId', ids.client)
      .replace(':id', ids[row.id ?? 'ad']);
    const token = tokens[asker];
    const body =
      row.body === FAVORITE
        ? { adId: ids.ad }
        : row.body === REPORT
          ? { subject: { kind: 'post', id: `${ids.thread}-0` }, reason: 'spam' }
          : row.body;
    const answer = await api.call(method, `/api${path}`, {
      ...(token !== undefined && { token }),
      ...(body !== undefined && { body }),
    });
    expect(answer.status, JSON.stringify(answer.body)).toBe(row[asker]);
    // Whoever refreshes goes on with the new token.
    if (token !== undefined && typeof answer.body['token'] === 'string') tokens[asker] = answer.body['token'];
  });
});
