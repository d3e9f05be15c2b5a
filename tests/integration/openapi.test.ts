import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { isAdMessage, EMPTY_OPTIONAL_FIELDS, type AdView, type OverviewView } from '@alpenglow/domain';
import { OPERATIONS, RESPONSE_SCHEMAS, type Operation } from '@alpenglow/domain/api';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { parse } from 'yaml';
import { after, PASSWORD, validAd, type ApiResponse, type Person } from '../support/api.ts';
import { onValidResponse, parameterSchemaAt, jsonPointerOf, validatorAt } from '../support/api-document.ts';
import { eventually } from '../support/eventually.ts';
import { adIdOf } from '../support/live-ads.ts';
import { connectLive } from '../support/live.ts';
import { pictures } from '../support/pictures.ts';
import { openRecording } from '../support/recording.ts';
import { apiRoutesOf } from '../support/routes.ts';
import { sampleOf } from '../support/sample.ts';
import { recordProperties, propertiesOfSchema } from '../support/recorded-properties.ts';
import { SCHEMAS_BY_TEST_FILE } from '../support/response-coverage.ts';
import { upload } from '../support/uploads.ts';
import { mp4 } from '../support/videos.ts';
import { whenAvailable } from '../support/when-available.ts';
import { testApi, testProduct } from '../support/fixtures.ts';

/** Compares the API document with the running product, and the running product with the API document. */

const product = testProduct();
const api = testApi(product);
let people: Readonly<Record<'client' | 'provider' | 'admin', Person>>;
/** Id of an existing thread. */
let threadId: string;
/** Id of an existing ad. */
let adId: string;
/** A value for each optional text of an ad. */
const OPTIONAL_TEXTS = Object.fromEntries(Object.keys(EMPTY_OPTIONAL_FIELDS).map((field) => [field, 'Slim']));
const recordedProperties = new Set<string>();
const stopListening = onValidResponse((schema, body) => recordProperties(recordedProperties, schema, body));
const notWebSocket = OPERATIONS.filter(({ isWebSocket }) => !isWebSocket);

beforeAll(async () => {
  const [client, provider, admin] = await Promise.all([
    api.signUp('client'),
    api.signUp('provider'),
    api.signUp('client', { email: 'admin@example.com' }),
  ]);
  people = { client, provider, admin };
  // An admin starts the thread, because other new accounts have to wait before they may post.
  const started = await api.call('POST', '/api/community/threads', {
    token: admin.token,
    body: { country: 'us', state: 'NV', city: 'Reno', title: 'Quiet places', body: 'Where?' },
  });
  threadId = (started.body['data'] as { id: string }).id;
  const ad = await api.postAd((await api.signUp('provider')).token);
  adId = ad.id;
  await api.call('GET', `/api/admin/ads/${adId}`, { token: admin.token, headers: after(ad.position) });
  await api.call('GET', `/api/community/threads/${threadId}`, {
    headers: after(started),
  });
});
afterAll(async () => {
  stopListening();
});

/**
 * Replaces the parameters of a path by values. If the operation needs no existing object, the value is an unknown id.
 */
const withParameters = (path: string) =>
  path
    .replace('{first}/{second}', 'NV/Las%20Vegas')
    .replace('/favorites/{id}', `/favorites/${people.client.user.id}`)
    .replace('/community/threads/{id}', `/community/threads/${threadId}`)
    .replace('/admin/ads/{id}', `/admin/ads/${adId}`)
    .replace('/admin/users/{id}', `/admin/users/${people.client.user.id}`)
    .replace('/admin/jobs/{queue}', '/admin/jobs/photo-variants')
    .replace('/admin/projections/{name}', '/admin/projections/accounts')
    .replace('{number}', '0')
    .replace('{variant}', '640.webp')
    .replaceAll(/\{\w+\}/gu, 'unknown');

it('every mounted route is documented, and every documented operation is mounted', () => {
  expect(notWebSocket.map(({ method, path }) => `${method} ${path.replaceAll(/\{(\w+)\}/gu, ':$1')}`).sort()).toEqual(
    apiRoutesOf(product.handler).sort(),
  );
});

// Every operation instead of a sample, because the check of the documented properties below needs all responses.
test.each(notWebSocket.filter(({ method }) => method === 'GET'))('$method $path responds', async ({ path, access }) => {
  const url = `/api${withParameters(path)}`;
  const { status } = await api.call('GET', url, access === 'none' ? {} : { token: people.admin.token });
  expect(status).toBeLessThan(500);
});

describe('query parameters accept exactly the documented values', () => {
  const withQuery = notWebSocket.flatMap((operation) =>
    Object.entries(operation.queryParameters).map(([name, parameter]) => ({
      name,
      parameter,
      operation,
      id: operation.id,
    })),
  );
  const sendRequest = (operation: Operation, name: string, value: string) =>
    api.call(
      'GET',
      `/api${withParameters(operation.path)}?${name}=${encodeURIComponent(value)}`,
      operation.access === 'none' ? {} : { token: people.admin.token },
    );

  test.each(sampleOf(withQuery, 12))('$id: $name', async ({ name, parameter, operation }) => {
    const index = [...Object.keys(operation.pathParameters), ...Object.keys(operation.queryParameters)].indexOf(name);
    const at = parameterSchemaAt('GET', operation.path, index);
    const typed = (value: string) =>
      typeof parameter.example === 'number' && /^-?\d+$/u.test(value) ? Number(value) : value;
    // The schemas of cursors, countries, states and cities do not describe all restrictions. The product may therefore
    // reject a value that fits the schema.
    // No value of `access` is invalid, and the file of these requests does not exist.
    const isFree = ['cursor', 'country', 'state', 'city', 'access'].includes(name);
    for (const value of [
      String(parameter.example),
      'bumped',
      'price_desc',
      'massage',
      'true',
      '0',
      '1',
      '100',
      '101',
      '-1',
      'x',
      'x'.repeat(300),
    ]) {
      const isDocumented = validatorAt(at)(typed(value));
      const { status, body } = await sendRequest(operation, name, value);
      if (!isDocumented) expect([status, Object.keys(body['fields'] ?? {})], `${name}=${value}`).toEqual([400, [name]]);
      else if (!isFree) expect(status, `${name}=${value}: ${JSON.stringify(body)}`).toBe(200);
    }
  });
});

describe('request bodies', () => {
  const withBody = notWebSocket.flatMap((operation) =>
    operation.body?.kind === 'json' ? [{ ...operation, body: operation.body, id: operation.id }] : [],
  );
  const tokenFor = ({ access, id }: Operation) =>
    access === 'none'
      ? undefined
      : access === 'admin' || access === 'moderator'
        ? people.admin.token
        : /review|favorite/iu.test(id)
          ? people.client.token
          : people.provider.token;

  test.each(sampleOf(withBody, 15))('$id rejects a missing required field by name', async (operation) => {
    const url = `/api${withParameters(operation.path)}`;
    const token = tokenFor(operation);
    for (const omitted of Object.keys(operation.body.example)) {
      const { [omitted]: _omitted, ...rest } = operation.body.example;
      if (operation.body.schema.safeParse(rest).success) continue;
      const response = await api.call(operation.method, url, { body: rest, ...(token !== undefined && { token }) });
      if (omitted === 'email' && ['resendVerification', 'verifyEmail'].includes(operation.id))
        expect(response.body['code']).toBe('NO_USER_EMAIL');
      else expect([response.status, Object.keys(response.body['fields'] ?? {})], omitted).toEqual([400, [omitted]]);
    }
  });
});

describe('every documented property occurs in a response', () => {
  /** Properties that never have a value in the tests of this file. */
  const COVERED_ELSEWHERE = new Set([
    // The heartbeat sends it every 30 s. `live-topics.test.ts` covers it.
    'LivePosition.type',
    'LivePosition.seq',
    'PhotoView.reason',
    'VideoView.reason',
    // `failing-consumers.test.ts` covers consumers of events that fail.
    ...['projections.cause', 'projections.since'].map((property) => `SyncAnswer.data.${property}`),
    ...['name', 'state', 'cause', 'since'].map((property) => `SyncAnswer.data.consumers.${property}`),
    // `media-visibility.test.ts` covers a file that moderation hides.
    'PhotoView.hold',
    'VideoView.hold',
    // `moderation-outcomes.test.ts` covers connections to other accounts.
    ...['adId', 'title', 'owner', 'owner.id', 'owner.name', 'by', 'isHidden'].map(
      (property) => `AdminUserDetail.moderation.links.${property}`,
    ),
    // In these tests, no event causes another event. `transparency.test.ts` covers the figures about decisions, appeals
    // and erasures.
    'HistoryEntryView.causationId',
    ...[
      'decisions.subject',
      'decisions.outcome',
      'decisions.rule',
      'decisions.isAutomated',
      'decisions.count',
      'timeToDecision.halfWithin_s',
    ].map((property) => `TransparencyReport.${property}`),
    ...[
      'appeals.decided.outcome',
      'appeals.decided.count',
      'appeals.timeToDecision.halfWithin_s',
      'erasures.asked.by',
      'erasures.asked.count',
      'removals.decided.outcome',
      'removals.decided.count',
      'removals.timeToRemoval.halfWithin_s',
      'removals.timeToRemoval.mostWithin_s',
      'removals.timeToRemoval.longest_s',
    ].map((property) => `TransparencyReport.${property}`),
  ]);
  /** Waits for a response, and expects it to be successful. */
  const expectSuccess = async (request: Promise<ApiResponse>): Promise<ApiResponse> => {
    const response = await request;
    expect(response.status, JSON.stringify(response.body)).toBeLessThan(300);
    return response;
  };
  const waitHeaders = (response: ApiResponse) => ({
    headers: after(response),
  });

  it('in the workflow of a provider, a client and an admin', async () => {
    const { client, provider, admin } = people;
    const live = await connectLive(product.url);
    const photo = await upload(product.url, 'photos', [{ bytes: await pictures.jpeg(400, 300) }], provider.token);
    const video = await upload(product.url, 'video', [{ bytes: await mp4({ seconds: 1 }) }], provider.token);
    const [{ id: photoId = '' } = {}] = photo.body['media'] as { readonly id?: string }[];
    await expectSuccess(
      whenAvailable(() => api.call('GET', `/api/media/${photoId}/access`, { token: provider.token })),
    );
    const social = Object.fromEntries(
      ['instagram', 'twitter', 'facebook', 'snapchat', 'tiktok', 'onlyfans'].map((network) => [network, '@alpen.glow']),
    );
    const body = {
      ...validAd,
      ...OPTIONAL_TEXTS,
      price: '200',
      phone: '+17025550100',
      socialMedia: { ...social, website: 'https://alpenglow.example' },
      photos: photo.body['urls'],
      video: video.body['url'],
    };
    const posted = await expectSuccess(api.call('POST', '/api/ads', { token: provider.token, body }));
    const { id } = posted.body['ad'] as { id: string };
    // Messages about earlier changes may arrive first.
    const received = await live.next((message) => adIdOf(message) === id);
    expect(validatorAt(jsonPointerOf('components', 'schemas', 'LiveMessage'))(received)).toBe(true);
    recordProperties(recordedProperties, { $ref: '#/components/schemas/LiveMessage' }, received);
    for (const [topic, schema] of [
      ['ads', 'LiveSubscribed'],
      ['own', 'LiveRejected'],
    ] as const) {
      const reply = await live.ask({ type: 'subscribe', id: 1, topics: [{ kind: topic }] });
      expect(validatorAt(jsonPointerOf('components', 'schemas', schema))(reply)).toBe(true);
      recordProperties(recordedProperties, { $ref: `#/components/schemas/${schema}` }, reply);
    }
    live.close();

    const reviewed = await expectSuccess(
      api.call('POST', `/api/ads/${id}/reviews`, { token: client.token, body: { comment: 'Kind.', rating: 5 } }),
    );
    await expectSuccess(api.call('GET', `/api/ads/${id}`, { token: provider.token, ...waitHeaders(reviewed) }));
    const ofVisitor = (await expectSuccess(api.call('GET', `/api/ads/${id}`))).body['data'] as AdView;
    await expectSuccess(api.call('POST', `/api/ads/${id}/contact`, { body: { token: ofVisitor.contactToken } }));
    const preview = { ...OPTIONAL_TEXTS, name: 'Anna', title: 'Good company', price: '200', description: 'Calm.' };
    await expectSuccess(api.call('POST', '/api/ads/preview', { token: provider.token, body: preview }));
    await expectSuccess(api.call('GET', `/api/ads/${id}`, { token: client.token, ...waitHeaders(reviewed) }));
    const reviewPath = `/api/ads/${id}/reviews/${(reviewed.body['data'] as { id: string }).id}`;
    const changed = { comment: 'Kind and calm.', rating: 4 };
    await expectSuccess(api.call('PUT', reviewPath, { token: client.token, body: changed }));
    await expectSuccess(api.call('DELETE', reviewPath, { token: client.token }));
    await expectSuccess(api.call('GET', '/api/ads?limit=1'));
    // The ad matches by its description only, so the response contains a passage of it.
    await expectSuccess(api.call('GET', '/api/ads?q=kind'));
    await expectSuccess(api.call('GET', '/api/search?q=kind'));
    await expectSuccess(api.call('GET', '/api/ads/nearby?state=NV'));
    await expectSuccess(api.call('GET', '/api/ads/counts'));
    const favorited = await expectSuccess(
      api.call('POST', '/api/favorites', { token: client.token, body: { adId: id } }),
    );
    await expectSuccess(
      api.call('GET', `/api/favorites/${client.user.id}`, { token: client.token, ...waitHeaders(favorited) }),
    );

    await expectSuccess(api.call('POST', '/api/auth/login', { body: { email: client.email, password: PASSWORD } }));
    await expectSuccess(api.call('POST', '/api/auth/live-ticket', { token: provider.token }));
    await expectSuccess(api.call('POST', '/api/auth/logout', { token: (await api.signUp('client')).token }));
    const unverified = await api.signUp('client', { verify: false });
    await api.signUp('client', { verify: false });
    const verified = await expectSuccess(
      api.call('POST', `/api/admin/users/${provider.user.id}/verify`, { token: admin.token }),
    );
    await expectSuccess(api.call('GET', '/api/admin/users?limit=2', { token: admin.token, ...waitHeaders(verified) }));
    await expectSuccess(
      api.call('GET', `/api/admin/users?q=${encodeURIComponent(provider.email)}`, { token: admin.token }),
    );
    await expectSuccess(api.call('GET', '/api/admin/ads?limit=1', { token: admin.token }));
    await expectSuccess(
      api.call('GET', `/api/admin/ads?q=${encodeURIComponent(provider.email)}`, { token: admin.token }),
    );
    await expectSuccess(
      api.call('GET', '/api/admin/verification-codes?limit=1', { token: admin.token, ...waitHeaders(verified) }),
    );
    await expectSuccess(api.call('POST', '/api/admin/verification-codes/clear', { token: admin.token }));
    // All verification codes were cleared before, so a new code can be requested without a wait.
    await expectSuccess(
      api.call('POST', '/api/auth/resend-verification', { token: unverified.token, body: { email: unverified.email } }),
    );
    await expectSuccess(api.call('GET', '/api/health'));
    await expectSuccess(api.call('GET', '/api/sync/status'));
    expect((await api.call('POST', `/api/ads/${id}/bump`, { token: provider.token })).status).toBe(429);
    expect((await api.call('POST', '/api/ads', { token: provider.token, body: {} })).status).toBe(400);
  });

  it('in the workflow of an article', async () => {
    const asAdmin = (method: string, path: string, body?: unknown) =>
      expectSuccess(
        api.call(method, `/api/admin/blog${path}`, { token: people.admin.token, ...(body !== undefined && { body }) }),
      );
    const photo = await upload(product.url, 'photos', [{ bytes: await pictures.jpeg(400, 300) }], people.admin.token);
    const [cover] = photo.body['urls'] as readonly string[];
    const content = {
      title: 'Meeting safely',
      summary: 'What helps.',
      body: 'Text',
      state: 'NV',
      city: 'Reno',
      tags: ['safety'],
      cover,
    };
    for (const slug of ['first', 'second']) {
      await asAdmin('POST', '/articles', { ...content, slug });
      await asAdmin('POST', `/articles/${slug}/publish`, {});
    }
    await asAdmin('POST', '/articles', { ...content, slug: 'third' });
    await asAdmin('POST', '/articles/third/publish', { publishAt: '2999-01-01T08:00:00.000Z' });
    const corrected = await asAdmin('POST', '/articles/first/correct', { body: 'Other', note: 'Clearer.' });
    await expectSuccess(api.call('GET', '/api/blog/articles?limit=1', waitHeaders(corrected)));
    await expectSuccess(api.call('GET', '/api/blog/articles/first'));
    await asAdmin('GET', '/articles?limit=1');
    await asAdmin('GET', '/articles');
    for (const slug of ['first', 'third']) await asAdmin('GET', `/articles/${slug}`);
    await asAdmin('POST', '/preview', { body: 'Text' });
  });

  it('in the workflow of a thread', async () => {
    const { admin, client } = people;
    // Moderators must not decide about their own posts, so the test needs another moderator.
    const recording = await openRecording(product);
    const moderator = await recording.member({ role: 'moderator', displayName: 'Mona' });
    await recording.close();
    const as = (person: Person, method: string, path: string, body?: unknown) =>
      expectSuccess(api.call(method, `/api${path}`, { token: person.token, ...(body !== undefined && { body }) }));
    const live = await connectLive(product.url);
    const started = await as(admin, 'POST', '/community/threads', {
      state: 'NV',
      city: 'Reno',
      title: 'First coffee',
      body: 'Where would you go?',
    });
    const { id } = started.body['data'] as { id: string };
    const received = await live.next((message) => !isAdMessage(message) && message.threadId === id);
    expect(validatorAt(jsonPointerOf('components', 'schemas', 'LiveMessage'))(received)).toBe(true);
    recordProperties(recordedProperties, { $ref: '#/components/schemas/ThreadLiveMessage' }, received);
    live.close();

    const path = `/community/threads/${id}`;
    for (const [body, quotedNumber] of [
      ['One.', 0],
      ['Two.', null],
      ['Three.', null],
    ])
      await as(admin, 'POST', `${path}/replies`, { body, quotedNumber });
    await as(admin, 'PUT', `${path}/posts/1`, { body: 'One, changed.' });
    for (const number of [2, 3])
      await as(moderator, 'PUT', `/admin${path}/posts/${number}/hidden`, { hidden: true, reason: 'Not here.' });
    for (const [setting, body] of [
      ['locked', { locked: false }],
      ['pinned', { pinned: true }],
      ['place', { state: 'NV', city: 'Sparks' }],
    ] as const)
      await as(admin, 'PUT', `/admin${path}/${setting}`, body);
    await as(client, 'POST', `${path}/posts/0/helpful`);
    const followed = await as(client, 'PUT', `${path}/follow`, { mail: 'daily' });

    await expectSuccess(api.call('GET', `/api${path}`, { token: client.token, ...waitHeaders(followed) }));
    await as(admin, 'GET', path);
    await as(admin, 'GET', `${path}?limit=1`);
    await as(admin, 'GET', `${path}?limit=1&post=last`);
    await expectSuccess(api.call('GET', '/api/community/threads?limit=1'));
    await expectSuccess(api.call('GET', '/api/community/locations'));
    await as(admin, 'GET', `${path}/posts/1/history`);
    await as(client, 'GET', '/community/follows');
    await as(admin, 'GET', '/admin/community/hidden?limit=1');
    await as(client, 'POST', '/community/preview', { body: 'A *calm* place.' });
    await expectSuccess(
      api.call('POST', '/api/reports', {
        body: { subject: { kind: 'post', id: `${path.split('/').at(-1)}-1` }, reason: 'spam' },
      }),
    );
    await expectSuccess(api.call('GET', '/api/search?q=coffee'));
  });

  it('in the workflow of staff who read histories', async () => {
    const { client, admin } = people;
    const asAdmin = (path: string, last?: ApiResponse) =>
      expectSuccess(api.call('GET', `/api/admin${path}`, { token: admin.token, ...(last && waitHeaders(last)) }));
    const provider = await api.signUp('provider', { displayName: 'Gone' });
    const photo = await upload(product.url, 'photos', [{ bytes: await pictures.jpeg(400, 300) }], provider.token);
    const video = await upload(product.url, 'video', [{ bytes: await mp4({ seconds: 1 }) }], provider.token);
    // No ad shows the photo yet, so an admin needs an access token, which is logged.
    const [{ id: photoId = '' } = {}] = photo.body['media'] as { readonly id?: string }[];
    await expectSuccess(whenAvailable(() => api.call('GET', `/api/media/${photoId}/access`, { token: admin.token })));
    const social = Object.fromEntries(
      ['instagram', 'twitter', 'facebook', 'snapchat', 'tiktok', 'onlyfans'].map((network) => [network, '@alpen.glow']),
    );
    const body = {
      ...validAd,
      ...OPTIONAL_TEXTS,
      price: '200',
      phone: '+17025550100',
      socialMedia: { ...social, website: 'https://alpenglow.example' },
      photos: photo.body['urls'],
      video: video.body['url'],
    };
    const posted = await expectSuccess(api.call('POST', '/api/ads', { token: provider.token, body }));
    const { id } = posted.body['ad'] as { id: string };
    const reviewed = await expectSuccess(
      api.call('POST', `/api/ads/${id}/reviews`, { token: client.token, body: { comment: 'Kind.', rating: 5 } }),
    );
    await asAdmin(`/ads/${id}/rank`, reviewed);
    const removed = await expectSuccess(
      api.call('DELETE', `/api/admin/ads/${id}`, { token: admin.token, body: { reason: 'As asked.' } }),
    );
    await asAdmin(`/ads/${id}/history?limit=1`, removed);
    expect((await api.call('GET', `/api/ads/${id}`, waitHeaders(removed))).status).toBe(404);
    const events = (await asAdmin(`/ads/${id}/history`)).body['data'] as { at: string }[];
    await asAdmin(`/ads/${id}?at=${events[1]?.at}&and=${events[0]?.at}`);
    await asAdmin(`/ads/${id}`);
    const deletedByOwner = await expectSuccess(api.call('DELETE', `/api/ads/${id}`, { token: provider.token }));
    await asAdmin(`/ads/${id}`, deletedByOwner);

    const path = `/users/${provider.user.id}`;
    const again = await api.signUp('provider', { email: provider.email, verify: false });
    await asAdmin(`/users/${again.user.id}/as-of`);
    await expectSuccess(
      api.call('PUT', `/api/admin${path}/role`, {
        token: admin.token,
        body: { role: 'moderator', reason: 'Helps out.' },
      }),
    );
    await expectSuccess(
      api.call('POST', `/api/admin${path}/verify`, { token: admin.token, body: { reason: 'Seen.' } }),
    );
    await expectSuccess(api.call('DELETE', `/api/admin${path}`, { token: admin.token, body: { reason: 'As asked.' } }));
    const changes = (await asAdmin(`${path}/history`)).body['data'] as { at: string }[];
    await asAdmin(`${path}/as-of?at=${changes[1]?.at}&and=${changes[0]?.at}`);
    await asAdmin(`${path}/as-of`);
    const posts = (await asAdmin(`/community/threads/${threadId}/history`)).body['data'] as { at: string }[];
    const replied = await expectSuccess(
      api.call('POST', `/api/community/threads/${threadId}/replies`, {
        token: admin.token,
        body: { body: 'Here.', quotedNumber: 0 },
      }),
    );
    await expectSuccess(
      api.call('PUT', `/api/community/threads/${threadId}/posts/1`, {
        token: admin.token,
        body: { body: 'Over there.' },
      }),
    );
    await expectSuccess(
      api.call('PUT', `/api/admin/community/threads/${threadId}/pinned`, {
        token: admin.token,
        body: { pinned: true },
      }),
    );
    const edited = (await asAdmin(`/community/threads/${threadId}/history?type=PostEdited`, replied)).body['data'] as {
      at: string;
    }[];
    await asAdmin(`/community/threads/${threadId}?at=${edited[0]?.at}&and=${posts[0]?.at}`);
    const [poster, newcomer] = [await api.signUp('provider'), await api.signUp('client', { verify: false })];
    await api.postAd(poster.token);
    await asAdmin(
      `/users/${poster.user.id}`,
      await expectSuccess(
        api.call('PUT', `/api/admin/users/${poster.user.id}/role`, {
          token: admin.token,
          body: { role: 'moderator', reason: 'Helps out.' },
        }),
      ),
    );
    await asAdmin(`/users/${newcomer.user.id}`);
    await asAdmin('/staff-reads?limit=1');
    await asAdmin('/staff-reads?limit=100');
    // If reading the queues takes too long, the response omits the queues. The server caches it for two seconds.
    await eventually(
      async () => expect(((await asAdmin('/overview')).body['data'] as OverviewView).queues ?? []).not.toEqual([]),
      { interval_ms: 300 },
    );
    await asAdmin(
      '/transparency',
      await expectSuccess(
        api.call('POST', '/api/reports', { body: { subject: { kind: 'ad', id: adId }, reason: 'spam' } }),
      ),
    );
    await expectSuccess(
      api.call('POST', '/api/admin/moderation/restore', {
        token: admin.token,
        body: { caseIds: [`ad-${adId}`], facts: 'The reports were an attack.' },
      }),
    );
    await expectSuccess(api.call('GET', '/api/sync/status', { token: admin.token }));
  });

  const coveredElsewhere: ReadonlySet<string> = new Set(Object.values(SCHEMAS_BY_TEST_FILE).flat());

  test.each([...RESPONSE_SCHEMAS.keys()].filter((name) => !coveredElsewhere.has(name)))('%s', (name) => {
    expect(
      propertiesOfSchema(name).filter(
        (property) => !recordedProperties.has(property) && !COVERED_ELSEWHERE.has(property),
      ),
    ).toEqual([]);
  });

  test.each(Object.entries(SCHEMAS_BY_TEST_FILE))('%s checks the properties of its schemas', async (file, names) => {
    expect(await readFile(path.join(import.meta.dirname, file), 'utf8')).toContain(
      `watchResponseProperties('${file}')`,
    );
    for (const name of names) expect([...RESPONSE_SCHEMAS.keys()]).toContain(name);
  });

  it('detects a property that is never sent', () => {
    const fresh = new Set<string>();
    recordProperties(
      fresh,
      { $ref: '#/components/schemas/HealthAnswer' },
      { success: true, status: 'ok', version: '1', time: null },
    );
    expect(propertiesOfSchema('HealthAnswer').filter((property) => !fresh.has(property))).toEqual([
      'HealthAnswer.time',
    ]);
  });
});

describe('the API document is served', () => {
  it('for programs, as YAML', async () => {
    const response = await api.call('GET', '/api/docs/openapi.yaml');
    expect(response.headers.get('content-type')).toMatch(/^application\/yaml/u);
    expect(parse(String(response.body['text']))).toMatchObject({ openapi: '3.1.0', info: { version: 'test' } });
  });

  it('for people, as a page that lists every operation and can run no script', async () => {
    const response = await api.call('GET', '/api/docs');
    const page = String(response.body['text']);
    expect(
      OPERATIONS.filter(({ id, summary }) => !page.includes(`id="${id}"`) || !page.includes(summary)).map(
        ({ id }) => id,
      ),
    ).toEqual([]);
    expect(page).not.toMatch(/<script|<link|<img|\son\w+=|\sstyle=/iu);
    expect(response.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/=]+';/u,
    );
    const schemas = String((await api.call('GET', '/api/docs/schemas')).body['text']);
    expect(schemas).not.toMatch(/<script|<link|<img|\son\w+=|\sstyle=/iu);
    for (const [from, prefix, to] of [
      [page, '#', page],
      [page, '/api/docs/schemas#', schemas],
      [schemas, '#', schemas],
      [schemas, '/api/docs/schemas#', schemas],
    ] as const) {
      const anchors = new Set([...to.matchAll(/id="([^"]+)"/gu)].map(([, id]) => id));
      const links = [...from.matchAll(/href="?([^"#>\s]*#)([^">\s]+)/gu)].filter(([, start]) => start === prefix);
      expect(links.length).toBeGreaterThan(0);
      expect(links.map(([, , id]) => id).filter((id) => !anchors.has(id))).toEqual([]);
    }
  });

  it('as pages that are small without compression', async () => {
    for (const url of ['/api/docs', '/api/docs/schemas'])
      expect(String((await api.call('GET', url)).body['text']).length, url).toBeLessThan(170_000);
  });

  it('with 304 to a client that has the current version', async () => {
    const etag = (await api.call('GET', '/api/docs')).headers.get('etag') ?? '';
    // By default, `fetch` of Node requests an uncached response. This header allows the status 304.
    const headers = { 'if-none-match': etag, 'cache-control': 'max-age=0' };
    expect((await api.call('GET', '/api/docs', { headers })).status).toBe(304);
  });
});
