import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { ANSWERS, OPERATIONS, type Operation } from '@alpenglow/domain/api';
import type { Express } from 'express';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { parse } from 'yaml';
import { WebSocket } from 'ws';
import { apiClient, PASSWORD, validAd, type Answer, type ApiClient, type Person } from '../support/api.ts';
import { onAnswer, pointed, validatorAt } from '../support/api-document.ts';
import { pictures } from '../support/pictures.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { openRecording } from '../support/recording.ts';
import { apiRoutesOf } from '../support/routes.ts';
import { sampleOf } from '../support/sample.ts';
import { note, propertiesNamed } from '../support/seen-properties.ts';
import { SHOWN_BY } from '../support/shown-elsewhere.ts';
import { upload } from '../support/uploads.ts';
import { mp4 } from '../support/videos.ts';

/** The API document against the running product, in both directions. */

let product: TestProduct;
let api: ApiClient;
let people: Readonly<Record<'client' | 'provider' | 'admin', Person>>;
/** A thread that is there. */
let threadId: string;
/** An ad that is there. */
let adId: string;
const seen = new Set<string>();
const stopListening = onAnswer((schema, body) => note(seen, schema, body));
const notWebSocket = OPERATIONS.filter(({ isWebSocket }) => !isWebSocket);

beforeAll(async () => {
  product = await startTestProduct();
  api = apiClient(product.url);
  const [client, provider, admin] = await Promise.all([
    api.signUp('client'),
    api.signUp('provider'),
    api.signUp('client', { email: 'admin@example.com' }),
  ]);
  people = { client, provider, admin };
  // Moderators need not wait as new accounts do.
  const started = await api.call('POST', '/api/community/threads', {
    token: admin.token,
    body: { country: 'us', state: 'NV', city: 'Reno', title: 'Quiet places', body: 'Where?' },
  });
  threadId = (started.body['data'] as { id: string }).id;
  const ad = await api.postAd((await api.signUp('provider')).token);
  adId = ad.id;
  await api.call('GET', `/api/admin/ads/${adId}`, { token: admin.token, headers: { 'x-wait-position': ad.position } });
  await api.call('GET', `/api/community/threads/${threadId}`, {
    headers: { 'x-wait-position': started.headers.get('x-position') ?? '' },
  });
});
afterAll(async () => {
  stopListening();
  await product?.stop();
});

/** A path with its parameters filled in; they name nothing where a call need not find anything. */
const filledIn = (path: string) =>
  path
    .replace('{first}/{second}', 'NV/Las%20Vegas')
    .replace('{userId}', people.client.user.id)
    .replace('/community/threads/{id}', `/community/threads/${threadId}`)
    .replace('/admin/ads/{id}', `/admin/ads/${adId}`)
    .replace('/admin/users/{id}', `/admin/users/${people.client.user.id}`)
    .replace('/admin/jobs/{queue}', '/admin/jobs/photo-variants')
    .replace('/admin/projections/{name}', '/admin/projections/accounts')
    .replace('{number}', '0')
    .replaceAll(/\{\w+\}/gu, 'unknown');

it('every mounted route is documented, and every documented call is mounted', () => {
  expect(notWebSocket.map(({ method, path }) => `${method} ${path.replaceAll(/\{(\w+)\}/gu, ':$1')}`).sort()).toEqual(
    apiRoutesOf(product.handler).sort(),
  );
});

describe('the query parameters a handler reads are those that are documented', () => {
  const read = new Set<string>();
  /** Express asks this for each query string; what a handler looks at is noted. */
  const watched = (text: string) => {
    const given = Object.fromEntries(new URLSearchParams(text));
    const noted = (name: string | symbol) => typeof name === 'string' && read.add(name);
    return new Proxy(given, {
      get: (target, name) => (noted(name), Reflect.get(target, name) as unknown),
      has: (target, name) => (noted(name), Reflect.has(target, name)),
    });
  };
  const parseWith = (parser: unknown) => void (product.handler as Express).set('query parser', parser);
  beforeAll(() => parseWith(watched));
  afterAll(() => parseWith('simple'));

  test.each(
    sampleOf(
      notWebSocket.filter(({ method }) => method === 'GET'),
      20,
    ),
  )('$method $path', async ({ path, query, access }) => {
    read.clear();
    await api.call(
      'GET',
      `/api${filledIn(path)}?read=${Math.random()}`,
      access === 'none' ? {} : { token: people.admin.token },
    );
    // A name that every object answers to is looked at by whoever prints or awaits it.
    const names = [...read].filter((name) => !(name in {}) && !['then', 'toJSON', 'asymmetricMatch'].includes(name));
    expect(names.sort()).toEqual(Object.keys(query).sort());
  });
});

describe('what a parameter may be is what is taken', () => {
  const withQuery = notWebSocket.flatMap((operation) =>
    Object.entries(operation.query).map(([name, parameter]) => ({ name, parameter, operation, id: operation.id })),
  );
  const ask = (operation: Operation, name: string, value: string) =>
    api.call(
      'GET',
      `/api${filledIn(operation.path)}?${name}=${encodeURIComponent(value)}`,
      operation.access === 'none' ? {} : { token: people.admin.token },
    );

  test.each(sampleOf(withQuery, 12))('$id: $name', async ({ name, parameter, operation }) => {
    const index = [...Object.keys(operation.pathParameters), ...Object.keys(operation.query)].indexOf(name);
    const at = `${pointed('paths', operation.path, 'get', 'parameters')}/${index}/schema`;
    const typed = (value: string) =>
      typeof parameter.example === 'number' && /^-?\d+$/u.test(value) ? Number(value) : value;
    // A cursor, as well as a place, is more than its letters.
    const isFree = ['cursor', 'country', 'state', 'city'].includes(name);
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
      const { status, body } = await ask(operation, name, value);
      if (!isDocumented) expect([status, Object.keys(body['fields'] ?? {})], `${name}=${value}`).toEqual([400, [name]]);
      else if (!isFree) expect(status, `${name}=${value}: ${JSON.stringify(body)}`).toBe(200);
    }
  });
});

describe('bodies over the wire', () => {
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

  test.each(sampleOf(withBody, 15))('$id: a required field that is missing is refused by name', async (operation) => {
    const url = `/api${filledIn(operation.path)}`;
    const token = tokenFor(operation);
    for (const left of Object.keys(operation.body.example)) {
      const { [left]: _left, ...rest } = operation.body.example;
      if (operation.body.schema.safeParse(rest).success) continue;
      const answer = await api.call(operation.method, url, { body: rest, ...(token !== undefined && { token }) });
      if (left === 'email' && ['resendVerification', 'verifyEmail'].includes(operation.id))
        expect(answer.body['code']).toBe('NO_USER_EMAIL');
      else expect([answer.status, Object.keys(answer.body['fields'] ?? {})], left).toEqual([400, [left]]);
    }
  });

  it('an ad is taken in both spellings', async () => {
    const provider = await api.signUp('provider');
    const { name, title, category, state, city, description } = validAd;
    const body = {
      name,
      title,
      category,
      state,
      city,
      description,
      phone_number: '+1 702 555 0100',
      social_media: { instagram: '@alpen.glow' },
      images: [],
      is_featured: true,
      created_at: '2020-01-01T00:00:00.000Z',
    };
    const posted = await api.call('POST', '/api/ads', { token: provider.token, body });
    expect(posted.status).toBe(201);
    const { id } = posted.body['ad'] as { id: string };
    const ad = (
      await api.call('GET', `/api/ads/${id}`, {
        headers: { 'x-wait-position': posted.headers.get('x-position') ?? '' },
      })
    ).body['data'];
    expect(ad).toMatchObject({
      phone: '+1 702 555 0100',
      socialMedia: { instagram: '@alpen.glow' },
      isFeatured: false,
    });
  });
});

describe('every documented property is seen', () => {
  /** What no flow of a minute shows; said of each by a test of its own kind. */
  const ELSEWHERE = new Set([
    'PhotoView.reason',
    'VideoView.reason',
    // Of an event that follows from another, and of decisions, appeals and erasures: `transparency.test.ts`.
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
    ].map((property) => `TransparencyReport.${property}`),
  ]);
  /** Asks, and expects it to be done. */
  const done = async (asking: Promise<Answer>): Promise<Answer> => {
    const answer = await asking;
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
    return answer;
  };
  const after = (answer: Answer) => ({ headers: { 'x-wait-position': answer.headers.get('x-position') ?? '' } });

  it('on the way of a provider, a client and an admin', async () => {
    const { client, provider, admin } = people;
    const live = new WebSocket(`${product.url.replace('http', 'ws')}/api/live`);
    const message = new Promise<unknown>((resolve) =>
      live.once('message', (data: Buffer) => resolve(JSON.parse(data.toString('utf8')))),
    );
    await new Promise((resolve) => live.once('open', resolve));
    const photo = await upload(product.url, 'photos', [{ bytes: await pictures.jpeg(400, 300) }], provider.token);
    const video = await upload(product.url, 'video', [{ bytes: await mp4({ seconds: 1 }) }], provider.token);
    const social = Object.fromEntries(
      ['instagram', 'twitter', 'facebook', 'snapchat', 'tiktok', 'onlyfans'].map((network) => [network, '@alpen.glow']),
    );
    const body = {
      ...validAd,
      price: '200',
      body: 'Slim',
      phone: '+1 702 555 0100',
      socialMedia: { ...social, website: 'https://alpenglow.example' },
      photos: photo.body['urls'],
      video: video.body['url'],
    };
    const posted = await done(api.call('POST', '/api/ads', { token: provider.token, body }));
    const { id } = posted.body['ad'] as { id: string };
    const heard = await message;
    expect(validatorAt(pointed('components', 'schemas', 'LiveMessage'))(heard)).toBe(true);
    note(seen, { $ref: '#/components/schemas/LiveMessage' }, heard);
    live.close();

    const reviewed = await done(
      api.call('POST', `/api/ads/${id}/reviews`, { token: client.token, body: { comment: 'Kind.', rating: 5 } }),
    );
    await done(api.call('GET', `/api/ads/${id}`, { token: provider.token, ...after(reviewed) }));
    await done(api.call('GET', '/api/ads?limit=1'));
    await done(api.call('GET', '/api/ads/counts'));
    const kept = await done(api.call('POST', '/api/favorites', { token: client.token, body: { adId: id } }));
    await done(api.call('GET', `/api/favorites/${client.user.id}`, { token: client.token, ...after(kept) }));

    await done(api.call('POST', '/api/auth/login', { body: { email: client.email, password: PASSWORD } }));
    await done(api.call('POST', '/api/auth/logout', { token: (await api.signUp('client')).token }));
    const unverified = await api.signUp('client', { verify: false });
    await api.signUp('client', { verify: false });
    const verified = await done(
      api.call('POST', `/api/admin/users/${provider.user.id}/verify`, { token: admin.token }),
    );
    await done(api.call('GET', '/api/admin/users?limit=2', { token: admin.token, ...after(verified) }));
    await done(api.call('GET', `/api/admin/users?q=${encodeURIComponent(provider.email)}`, { token: admin.token }));
    await done(api.call('GET', '/api/admin/ads?limit=1', { token: admin.token }));
    await done(api.call('GET', `/api/admin/ads?q=${encodeURIComponent(provider.email)}`, { token: admin.token }));
    await done(api.call('GET', '/api/admin/verification-codes?limit=1', { token: admin.token }));
    await done(api.call('POST', '/api/admin/verification-codes/clear', { token: admin.token }));
    // Without an open code, the next one need not wait.
    await done(api.call('POST', '/api/auth/resend-verification', { body: { email: unverified.email } }));
    await done(api.call('GET', '/api/health'));
    await done(api.call('GET', '/api/sync/status'));
    expect((await api.call('POST', `/api/ads/${id}/bump`, { token: provider.token })).status).toBe(429);
    expect((await api.call('POST', '/api/ads', { token: provider.token, body: {} })).status).toBe(400);
  });

  it('on the way of an article', async () => {
    const asAdmin = (method: string, path: string, body?: unknown) =>
      done(
        api.call(method, `/api/admin/blog${path}`, { token: people.admin.token, ...(body !== undefined && { body }) }),
      );
    const photo = await upload(product.url, 'photos', [{ bytes: await pictures.jpeg(400, 300) }], people.admin.token);
    const [cover] = photo.body['urls'] as readonly string[];
    const words = {
      title: 'Meeting safely',
      summary: 'What helps.',
      body: 'Text',
      state: 'NV',
      city: 'Reno',
      tags: ['safety'],
      cover,
    };
    for (const slug of ['first', 'second']) {
      await asAdmin('POST', '/articles', { ...words, slug });
      await asAdmin('POST', `/articles/${slug}/publish`, {});
    }
    await asAdmin('POST', '/articles', { ...words, slug: 'third' });
    await asAdmin('POST', '/articles/third/publish', { publishAt: '2999-01-01T08:00:00.000Z' });
    const corrected = await asAdmin('POST', '/articles/first/correct', { body: 'Other', note: 'Clearer.' });
    await done(api.call('GET', '/api/blog/articles?limit=1', after(corrected)));
    await done(api.call('GET', '/api/blog/articles/first'));
    await asAdmin('GET', '/articles?limit=1');
    await asAdmin('GET', '/articles');
    for (const slug of ['first', 'third']) await asAdmin('GET', `/articles/${slug}`);
    await asAdmin('POST', '/preview', { body: 'Text' });
  });

  it('on the way of a thread', async () => {
    const { admin, client } = people;
    // What is decided about posts is for others than their author.
    const recording = await openRecording(product);
    const moderator = await recording.member({ role: 'moderator', displayName: 'Mona' });
    await recording.close();
    const as = (person: Person, method: string, path: string, body?: unknown) =>
      done(api.call(method, `/api${path}`, { token: person.token, ...(body !== undefined && { body }) }));
    const live = new WebSocket(`${product.url.replace('http', 'ws')}/api/live`);
    const message = new Promise<unknown>((resolve) =>
      live.once('message', (data: Buffer) => resolve(JSON.parse(data.toString('utf8')))),
    );
    await new Promise((resolve) => live.once('open', resolve));
    const started = await as(admin, 'POST', '/community/threads', {
      state: 'NV',
      city: 'Reno',
      title: 'First coffee',
      body: 'Where would you go?',
    });
    const heard = await message;
    expect(validatorAt(pointed('components', 'schemas', 'LiveMessage'))(heard)).toBe(true);
    note(seen, { $ref: '#/components/schemas/ThreadLiveMessage' }, heard);
    live.close();

    const path = `/community/threads/${(started.body['data'] as { id: string }).id}`;
    for (const [body, quotedNumber] of [
      ['One.', 0],
      ['Two.', null],
      ['Three.', null],
    ])
      await as(admin, 'POST', `${path}/replies`, { body, quotedNumber });
    await as(admin, 'PUT', `${path}/posts/1`, { body: 'One, changed.' });
    for (const number of [2, 3])
      await as(moderator, 'PUT', `/admin${path}/posts/${number}/hidden`, { hidden: true, reason: 'Not here.' });
    for (const [what, body] of [
      ['locked', { locked: false }],
      ['pinned', { pinned: true }],
      ['place', { state: 'NV', city: 'Sparks' }],
    ] as const)
      await as(admin, 'PUT', `/admin${path}/${what}`, body);
    await as(client, 'POST', `${path}/posts/0/helpful`);
    const followed = await as(client, 'PUT', `${path}/follow`, { mail: 'daily' });

    await done(api.call('GET', `/api${path}`, { token: client.token, ...after(followed) }));
    await as(admin, 'GET', path);
    await as(admin, 'GET', `${path}?limit=1`);
    await as(admin, 'GET', `${path}?limit=1&post=last`);
    await done(api.call('GET', '/api/community/threads?limit=1'));
    await done(api.call('GET', '/api/community/locations'));
    await as(admin, 'GET', `${path}/posts/1/history`);
    await as(client, 'GET', '/community/follows');
    await as(admin, 'GET', '/admin/community/hidden?limit=1');
    await as(client, 'POST', '/community/preview', { body: 'A *calm* place.' });
    await done(
      api.call('POST', '/api/reports', {
        body: { subject: { kind: 'post', id: `${path.split('/').at(-1)}-1` }, reason: 'spam' },
      }),
    );
    await done(api.call('GET', '/api/search?q=coffee'));
  });

  it('on the way of what staff look back at', async () => {
    const { client, admin } = people;
    const asAdmin = (path: string, last?: Answer) =>
      done(api.call('GET', `/api/admin${path}`, { token: admin.token, ...(last && after(last)) }));
    const provider = await api.signUp('provider', { displayName: 'Gone' });
    const photo = await upload(product.url, 'photos', [{ bytes: await pictures.jpeg(400, 300) }], provider.token);
    const video = await upload(product.url, 'video', [{ bytes: await mp4({ seconds: 1 }) }], provider.token);
    const social = Object.fromEntries(
      ['instagram', 'twitter', 'facebook', 'snapchat', 'tiktok', 'onlyfans'].map((network) => [network, '@alpen.glow']),
    );
    const body = {
      ...validAd,
      price: '200',
      body: 'Slim',
      phone: '+1 702 555 0100',
      socialMedia: { ...social, website: 'https://alpenglow.example' },
      photos: photo.body['urls'],
      video: video.body['url'],
    };
    const posted = await done(api.call('POST', '/api/ads', { token: provider.token, body }));
    const { id } = posted.body['ad'] as { id: string };
    const reviewed = await done(
      api.call('POST', `/api/ads/${id}/reviews`, { token: client.token, body: { comment: 'Kind.', rating: 5 } }),
    );
    await asAdmin(`/ads/${id}/rank`, reviewed);
    const deleted = await done(
      api.call('DELETE', `/api/admin/ads/${id}`, { token: admin.token, body: { reason: 'As asked.' } }),
    );
    await asAdmin(`/ads/${id}/history?limit=1`, deleted);
    const events = (await asAdmin(`/ads/${id}/history`)).body['data'] as { at: string }[];
    await asAdmin(`/ads/${id}?at=${events[1]?.at}&and=${events[0]?.at}`);
    await asAdmin(`/ads/${id}`);

    const path = `/users/${provider.user.id}`;
    const again = await api.signUp('provider', { email: provider.email, verify: false });
    await asAdmin(`/users/${again.user.id}/as-of`);
    await done(
      api.call('PUT', `/api/admin${path}/role`, {
        token: admin.token,
        body: { role: 'moderator', reason: 'Helps out.' },
      }),
    );
    await done(api.call('POST', `/api/admin${path}/verify`, { token: admin.token, body: { reason: 'Seen.' } }));
    await done(api.call('DELETE', `/api/admin${path}`, { token: admin.token, body: { reason: 'As asked.' } }));
    const changes = (await asAdmin(`${path}/history`)).body['data'] as { at: string }[];
    await asAdmin(`${path}/as-of?at=${changes[1]?.at}&and=${changes[0]?.at}`);
    await asAdmin(`${path}/as-of`);
    const posts = (await asAdmin(`/community/threads/${threadId}/history`)).body['data'] as { at: string }[];
    const replied = await done(
      api.call('POST', `/api/community/threads/${threadId}/replies`, {
        token: admin.token,
        body: { body: 'Here.', quotedNumber: 0 },
      }),
    );
    await done(
      api.call('PUT', `/api/community/threads/${threadId}/posts/1`, {
        token: admin.token,
        body: { body: 'Over there.' },
      }),
    );
    await done(
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
      await done(
        api.call('PUT', `/api/admin/users/${poster.user.id}/role`, {
          token: admin.token,
          body: { role: 'moderator', reason: 'Helps out.' },
        }),
      ),
    );
    await asAdmin(`/users/${newcomer.user.id}`);
    await asAdmin('/staff-reads?limit=1');
    await asAdmin('/staff-reads?limit=100');
    await asAdmin('/overview');
    await asAdmin(
      '/transparency',
      await done(api.call('POST', '/api/reports', { body: { subject: { kind: 'ad', id: adId }, reason: 'spam' } })),
    );
  });

  const shownElsewhere: ReadonlySet<string> = new Set(Object.values(SHOWN_BY).flat());

  test.each(Object.keys(ANSWERS).filter((name) => !shownElsewhere.has(name)))('%s', (name) => {
    expect(propertiesNamed(name).filter((property) => !seen.has(property) && !ELSEWHERE.has(property))).toEqual([]);
  });

  test.each(Object.entries(SHOWN_BY))('%s shows the rest', async (file, names) => {
    expect(await readFile(path.join(import.meta.dirname, file), 'utf8')).toContain(`watchShown('${file}')`);
    for (const name of names) expect(Object.keys(ANSWERS)).toContain(name);
  });

  it('a property that is never sent would be missed', () => {
    const fresh = new Set<string>();
    note(
      fresh,
      { $ref: '#/components/schemas/HealthAnswer' },
      { success: true, status: 'ok', version: '1', time: null },
    );
    expect(propertiesNamed('HealthAnswer').filter((property) => !fresh.has(property))).toEqual(['HealthAnswer.time']);
  });
});

describe('is served', () => {
  it('for programs, as YAML', async () => {
    const answer = await api.call('GET', '/api/docs/openapi.yaml');
    expect(answer.headers.get('content-type')).toMatch(/^application\/yaml/u);
    expect(parse(String(answer.body['text']))).toMatchObject({ openapi: '3.1.0', info: { version: 'test' } });
  });

  it('for people, as a page that names every call, and in which nothing can run', async () => {
    const answer = await api.call('GET', '/api/docs');
    const page = String(answer.body['text']);
    expect(
      OPERATIONS.filter(({ id, summary }) => !page.includes(`id="${id}"`) || !page.includes(summary)).map(
        ({ id }) => id,
      ),
    ).toEqual([]);
    expect(page).not.toMatch(/<script|<link|<img|\son\w+=|\sstyle=/iu);
    expect(answer.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-[\w+/=]+';/u);
    const anchors = new Set([...page.matchAll(/id="([^"]+)"/gu)].map(([, id]) => id));
    expect([...page.matchAll(/href="#([^"]+)"/gu)].map(([, id]) => id).filter((id) => !anchors.has(id))).toEqual([]);
  });

  it('is not sent again to whoever has it', async () => {
    const etag = (await api.call('GET', '/api/docs')).headers.get('etag') ?? '';
    // Node's client asks for a fresh answer by itself unless told.
    const headers = { 'if-none-match': etag, 'cache-control': 'max-age=0' };
    expect((await api.call('GET', '/api/docs', { headers })).status).toBe(304);
  });
});
