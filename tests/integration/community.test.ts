import { randomUUID } from 'node:crypto';
import {
  countPosts,
  favorites,
  findPost,
  follows,
  helpful,
  moderationCase,
  thread,
  toCaseId,
  type PostList,
} from '@alpenglow/domain';
import { beforeAll, describe, expect, test } from 'vitest';
import { after, error, type ApiResponse, type Person } from '../support/api.ts';
import { testApi, testPool, testProduct, testRecording } from '../support/fixtures.ts';

const product = testProduct();
const api = testApi(product);
const recording = testRecording(product);
const pool = testPool(product, 2);
let anna: Person;
let ben: Person;
let admin: Person;

beforeAll(async () => {
  [anna, ben, admin] = await Promise.all([
    recording.member(),
    recording.member(),
    recording.member({ email: 'admin@example.com' }),
  ]);
});

const UNKNOWN = '0193a1b2-0000-7000-8000-000000000001';
let textCount = 0;
/** Creates a text that no other test posts. */
const uniqueText = (about = 'tea rooms') => `Number ${(textCount += 1)} on ${about}: ${randomUUID()}.`;
const call = (method: string, path: string, person: Person | null, body?: unknown, headers?: Record<string, string>) =>
  api.call(method, `/api${path}`, {
    ...(person && { token: person.token }),
    ...(body !== undefined && { body }),
    ...(headers && { headers }),
  });
const PLACE = { country: 'us', state: 'NV', city: 'Las Vegas' };
const start = (person: Person | null, fields: Record<string, unknown> = {}, headers?: Record<string, string>) =>
  call(
    'POST',
    '/community/threads',
    person,
    { ...PLACE, title: 'Quiet places to meet', body: uniqueText(), ...fields },
    headers,
  );
const idOf = ({ body }: ApiResponse) => (body['data'] as { id: string }).id;
const numberOf = ({ body }: ApiResponse) => (body['data'] as { number: number }).number;
async function startThread(person: Person, fields: Record<string, unknown> = {}): Promise<string> {
  const response = await start(person, fields);
  expect(response.status, JSON.stringify(response.body)).toBe(201);
  return idOf(response);
}
const reply = (person: Person | null, threadId: string, fields: Record<string, unknown> = {}) =>
  call('POST', `/community/threads/${threadId}/replies`, person, { body: uniqueText(), ...fields });
const moderate = (threadId: string, action: string, body: unknown, person: Person | null = admin) =>
  call('PUT', `/admin/community/threads/${threadId}/${action}`, person, body);

async function loadThread(threadId: string) {
  const { state } = await recording.commands.load(thread, threadId);
  if (!state) throw new Error(`There is no thread ${threadId}`);
  return state;
}
const statusesOf = ({ posts }: { posts: PostList<{ status: string }> }) =>
  Array.from({ length: countPosts(posts) }, (_, number) => findPost(posts, number)?.status);
/**
 * Waits until reads include the write that returned this response. Returns an assertion about the database row of a
 * post.
 */
async function expectRow(threadId: string, number: number, write: ApiResponse) {
  await api.call('GET', '/api/ads', { headers: after(write) });
  return expect.poll(
    async () =>
      (
        await pool.query<Record<string, unknown>>('select * from rm.community_posts where post_id = $1', [
          `${threadId}-${number}`,
        ])
      ).rows[0],
  );
}

describe('POST /community/threads', () => {
  test('starts a thread with its opening post', async () => {
    const response = await start(anna, { title: 'Where to have a first coffee' });
    const id = idOf(response);
    expect(response).toMatchObject({
      status: 201,
      body: { success: true, message: 'Thread started!', data: { number: 0 } },
    });
    const { slug, path } = response.body['data'] as { slug: string; path: string };
    expect(slug).toMatch(/^where-to-have-a-first-coffee-[0-9a-z]{10}$/u);
    expect(path).toBe(`/community/us/nv/las-vegas/${slug}`);
    expect(response.headers.get('location')).toBe(`/api/community/threads/${id}`);
    expect(response.headers.get('etag')).toBe('"0"');
    expect(response.headers.get('x-position')).toMatch(/./u);
    expect(await loadThread(id)).toMatchObject({
      threadId: id,
      title: 'Where to have a first coffee',
      place: PLACE,
      isLocked: false,
      isPinned: false,
    });
    await (await expectRow(id, 0, response)).toMatchObject({ account_id: anna.user.id, status: 'visible' });
  });
  test('creates a unique address for each thread of the same title', async () => {
    const [first, second] = [await start(anna), await start(anna)];
    expect((first.body['data'] as { path: string }).path).not.toBe((second.body['data'] as { path: string }).path);
  });
  test.each([
    [{ country: undefined }, 'Las Vegas'],
    [{ country: 'US', state: 'nv', city: 'las-vegas' }, 'Las Vegas'],
    [{ country: 'United States', state: 'Nevada', city: 'LAS VEGAS' }, 'Las Vegas'],
    [{ state: 'nevada', city: ' reno' }, 'Reno'],
  ])('accepts places by code, name and slug: %j', async (fields, city) => {
    expect((await loadThread(await startThread(anna, fields))).place).toEqual({ ...PLACE, city });
  });
  test('accepts every script and text of emoji only', async () => {
    const id = await startThread(anna, {
      title: 'أماكن هادئة 🌙',
      body: `👩‍👩‍👧‍👦 ${String.fromCodePoint(0x1f300 + Math.floor(Math.random() * 200))}`,
    });
    expect((await loadThread(id)).title).toBe('أماكن هادئة 🌙');
  });
  test('creates one thread per Idempotency-Key', async () => {
    const fields = { body: uniqueText() };
    const key = { 'idempotency-key': randomUUID() };
    const [first, again] = [await start(anna, fields, key), await start(anna, fields, key)];
    expect([
      again.status,
      again.body,
      again.headers.get('location'),
      again.headers.get('idempotency-replayed'),
    ]).toEqual([201, first.body, first.headers.get('location'), 'true']);
    expect((await start(anna, { body: uniqueText() }, key)).body['code']).toBe('IDEMPOTENCY_KEY_REUSED');
  });
  test('seals texts and fingerprints in the event store', async () => {
    await startThread(anna, { title: 'Quixotic marmalade', body: 'Zephyrs and kumquats.' });
    const { rows } = await pool.query<{ everything: string }>(
      `select string_agg(e::text, chr(10)) as everything
         from es.events e
        where type in ('ThreadStarted', 'PostAdmitted')`,
    );
    for (const text of ['marmalade', 'kumquats']) expect(rows[0]?.everything).not.toContain(text);
    expect(rows[0]?.everything).not.toMatch(/"fingerprint": ?"[0-9a-f]/u);
  });
});

describe('POST /community/threads/{id}/replies', () => {
  test('adds a reply with a reference to the quoted post', async () => {
    const id = await startThread(anna);
    expect(await reply(ben, id)).toMatchObject({
      status: 201,
      body: { success: true, message: 'Reply posted!', data: { id, number: 1 } },
    });
    const second = await reply(anna, id, { quotedNumber: 1 });
    expect(second.body['data']).toMatchObject({ id, number: 2 });
    expect(second.headers.get('etag')).toBe('"2"');
    await (await expectRow(id, 2, second)).toMatchObject({ quoted_number: 1, account_id: anna.user.id });
  });
  test('stores twenty concurrent replies and numbers them without gaps', async () => {
    const id = await startThread(anna);
    const members = await Promise.all(Array.from({ length: 5 }, () => recording.member()));
    const responses = await Promise.all(Array.from({ length: 20 }, (_, index) => reply(members[index % 5] ?? ben, id)));
    expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 201));
    expect(responses.map(numberOf).sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
    expect(countPosts((await loadThread(id)).posts)).toBe(21);
  });
  test('does not count a reply that the thread rejects', async () => {
    const id = await startThread(anna);
    await moderate(id, 'locked', { locked: true });
    const body = uniqueText();
    expect(await reply(ben, id, { body })).toMatchObject({
      status: 409,
      body: error('THREAD_LOCKED', 'This thread is closed'),
    });
    await moderate(id, 'locked', { locked: false });
    expect((await reply(ben, await startThread(anna), { body })).status).toBe(201);
  });
  test.each([UNKNOWN, 'x', 'a'.repeat(300), `${UNKNOWN}0`, UNKNOWN.toUpperCase().replace('A', 'B')])(
    'returns Thread not found for %s',
    async (id) => {
      expect(await reply(ben, id)).toMatchObject({
        status: 404,
        body: error('THREAD_NOT_FOUND', 'Thread not found'),
      });
    },
  );
});

describe('PUT /community/threads/{id}/posts/{number}', () => {
  const edit = (person: Person | null, id: string, number: number | string, fields: Record<string, unknown> = {}) =>
    call('PUT', `/community/threads/${id}/posts/${number}`, person, { body: uniqueText(), ...fields });

  test('changes a post of the author and stores the previous text', async () => {
    const body = uniqueText();
    const id = await startThread(anna, { body });
    const next = uniqueText();
    const response = await edit(anna, id, 0, { title: 'Calm places to meet', body: next });
    expect(response).toMatchObject({
      status: 200,
      body: {
        success: true,
        message: 'Post updated',
        data: { id, number: 0, slug: expect.stringMatching(/^calm-places-to-meet-/u) as string },
      },
    });
    await (await expectRow(id, 0, response)).toMatchObject({
      title: 'Calm places to meet',
      body: next,
      history: [{ body }],
      edited_at: expect.any(Date) as Date,
    });
  });
  test('changes punctuation and emphasis, and ignores a repeated edit', async () => {
    const body = uniqueText();
    const id = await startThread(anna, { body });
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const response = await edit(anna, id, 0, { body: `**${body}**` });
      await (await expectRow(id, 0, response)).toMatchObject({ body: `**${body}**`, history: [{ body }] });
    }
  });
  test('rejects empty texts, unknown posts and hidden posts', async () => {
    const id = await startThread(anna);
    expect((await edit(anna, id, 0, { body: '***' })).body['code']).toBe('REQUIRED_FIELDS');
    expect((await edit(anna, id, 0, { title: '\u200b\u200b\u200b\u200b\u200b' })).body['code']).toBe('REQUIRED_FIELDS');
    for (const number of [1, 99_999_999, 'x', '-1', '1.5', '0x0', '%00'])
      expect((await edit(anna, id, number)).body['code'], String(number)).toBe('POST_NOT_FOUND');
    await moderate(id, 'posts/0/hidden', { hidden: true });
    expect((await edit(anna, id, 0)).body['code']).toBe('POST_HIDDEN');
  });
  test('rejects a text that was already posted elsewhere', async () => {
    const text = uniqueText('an item that is advertised everywhere');
    const first = await start(ben, { body: text });
    await (await expectRow(idOf(first), 0, first)).toMatchObject({ status: 'visible' });
    const id = await startThread(anna);
    expect(await edit(anna, id, 0, { body: text })).toMatchObject({
      status: 409,
      body: error('DUPLICATE_TEXT', 'This text was already posted'),
    });
    expect((await edit(ben, id, 0, { body: text })).body['code']).toBe('ONLY_AUTHOR');
  });
});

describe('DELETE /community/threads/{id}/posts/{number}', () => {
  const remove = (person: Person | null, id: string, number: number | string) =>
    call('DELETE', `/community/threads/${id}/posts/${number}`, person);

  test('removes the text and keeps the position in the thread', async () => {
    const id = await startThread(anna);
    const body = uniqueText();
    for (const text of [body, uniqueText()]) await reply(ben, id, { body: text });
    const response = await remove(ben, id, 1);
    expect(response).toMatchObject({
      status: 200,
      body: { success: true, message: 'Post deleted', data: { id, number: 1 } },
    });
    expect(statusesOf(await loadThread(id))).toEqual(['visible', 'deleted', 'visible']);
    await (await expectRow(id, 1, response)).toMatchObject({
      status: 'deleted',
      body: '',
      html: '',
      excerpt: '',
      fingerprint: '',
      history: [],
    });
    expect(numberOf(await reply(ben, id))).toBe(3);
    expect((await remove(ben, id, 1)).status).toBe(200);
  });
  test('removes the title of an opening post from the address', async () => {
    const id = await startThread(anna, { title: 'Secrets of the hotel' });
    const response = await remove(anna, id, 0);
    expect((response.body['data'] as { slug: string }).slug).toMatch(/^thread-[0-9a-z]{10}$/u);
    expect(JSON.stringify(response.body)).not.toMatch(/secrets/iu);
    expect((await reply(ben, id)).status).toBe(201);
  });
});

describe('helpful marks', () => {
  const mark = (method: 'POST' | 'DELETE', person: Person | null, id: string, number: number | string = 0) =>
    call(method, `/community/threads/${id}/posts/${number}/helpful`, person);

  test('count once for each member and post, even when sent concurrently', async () => {
    const id = await startThread(anna);
    const member = await recording.member();
    const responses = await Promise.all(Array.from({ length: 10 }, () => mark('POST', member, id)));
    for (const response of responses)
      expect(response).toMatchObject({ status: 200, body: { success: true, data: { isHelpful: true } } });
    await (await expectRow(id, 0, responses[0] as ApiResponse)).toMatchObject({ helpful_count: 1 });
    const unmarked = await mark('DELETE', member, id);
    expect(unmarked).toMatchObject({ status: 200, body: { success: true, data: { isHelpful: false } } });
    await (await expectRow(id, 0, unmarked)).toMatchObject({ helpful_count: 0 });
    expect((await mark('DELETE', member, id)).status).toBe(200);
    expect((await recording.commands.load(helpful, member.user.id)).revision).toBe(1);
  });
  test('do not reveal how many posts a member has marked', async () => {
    expect((await mark('POST', ben, await startThread(anna))).headers.get('etag')).not.toMatch(/^"\d+"$/u);
  });
  test('are rejected for own posts and invisible posts', async () => {
    const id = await startThread(anna);
    await reply(anna, id);
    await moderate(id, 'posts/1/hidden', { hidden: true });
    expect(await mark('POST', anna, id)).toMatchObject({
      status: 403,
      body: error('OWN_POST', 'You cannot mark your own post as helpful'),
    });
    for (const number of [1, 2, 'x']) expect((await mark('POST', ben, id, number)).body['code']).toBe('POST_NOT_FOUND');
    expect((await mark('POST', ben, UNKNOWN)).body['code']).toBe('THREAD_NOT_FOUND');
  });
});

describe('following a thread', () => {
  const follow = (person: Person | null, id: string, body: unknown = {}) =>
    call('PUT', `/community/threads/${id}/follow`, person, body);
  const unfollow = (person: Person | null, id: string) => call('DELETE', `/community/threads/${id}/follow`, person);

  test('accepts instant, daily and no mails, and can be ended', async () => {
    const id = await startThread(anna);
    const member = await recording.member();
    for (const [body, mail] of [
      [{}, 'instant'],
      [{ mail: 'daily' }, 'daily'],
      [{ mail: 'off' }, 'off'],
    ]) {
      expect(await follow(member, id, body)).toMatchObject({
        status: 200,
        body: { success: true, data: { threadId: id, mail } },
      });
      expect((await recording.commands.load(follows, member.user.id)).state.threads).toEqual({ [id]: mail });
    }
    expect(await unfollow(member, id)).toMatchObject({ status: 200, body: { data: { threadId: id, mail: null } } });
    expect((await unfollow(member, id)).status).toBe(200);
    expect((await recording.commands.load(follows, member.user.id)).state.threads).toEqual({});
  });
  test('requires a verified e-mail for mails', async () => {
    const [id, member] = [await startThread(anna), await recording.member({ verify: false })];
    for (const body of [{}, { mail: 'daily' }])
      expect(await follow(member, id, body)).toMatchObject({ status: 403, body: { code: 'VERIFICATION_REQUIRED' } });
    expect((await follow(member, id, { mail: 'off' })).status).toBe(200);
  });
  test('is rejected for hidden and unknown threads but not for a deleted opening post', async () => {
    const [hiddenId, deletedId] = [await startThread(anna), await startThread(anna)];
    await moderate(hiddenId, 'posts/0/hidden', { hidden: true });
    await call('DELETE', `/community/threads/${deletedId}/posts/0`, anna);
    for (const id of [hiddenId, UNKNOWN, 'x']) expect((await follow(ben, id)).body['code']).toBe('THREAD_NOT_FOUND');
    expect((await follow(ben, deletedId)).status).toBe(200);
    expect((await follow(ben, deletedId, { mail: 'weekly' })).status).toBe(400);
  });
  test('ends when the account is closed', async () => {
    const [id, member] = [await startThread(anna), await recording.member()];
    await follow(member, id);
    expect((await call('DELETE', `/admin/users/${member.user.id}`, admin, { reason: 'As asked.' })).status).toBe(200);
    expect((await recording.commands.load(follows, member.user.id)).state.threads).toEqual({});
    expect((await recording.commands.load(favorites, member.user.id)).state.adIds).toEqual([]);
  });
});

test('returns the rendered preview of a post to signed-in users', async () => {
  const preview = (person: Person | null, body: unknown) => call('POST', '/community/preview', person, { body });
  expect(await preview(anna, 'A *calm* place.')).toMatchObject({
    status: 200,
    body: { success: true, data: { html: '<p dir="auto">A <em>calm</em> place.</p>\n' } },
  });
  expect(JSON.stringify((await preview(anna, '<script>alert(1)</script>')).body)).not.toContain('<script');
  expect((await preview(anna, '')).status).toBe(400);
});

describe('moderation of a thread', () => {
  test('makes one decision of two equal requests at the same time', async () => {
    const id = await startThread(anna);
    const body = { hidden: true, reason: 'Spam.' };
    const responses = await Promise.all([1, 2].map(() => moderate(id, 'posts/0/hidden', body)));
    expect(responses.map(({ status }) => status)).toEqual([200, 200]);
    const { state } = await recording.commands.load(moderationCase, toCaseId({ kind: 'thread', id }));
    expect([state?.round, state?.decision?.outcome]).toEqual([1, 'hidden']);
  });
  test('hides a post with a reason and restores it', async () => {
    const id = await startThread(anna);
    await reply(ben, id);
    const response = await moderate(id, 'posts/1/hidden', { hidden: true, reason: 'Contains a phone number.' });
    expect(response).toMatchObject({
      status: 200,
      body: { success: true, message: 'Post hidden', data: { id, number: 1 } },
    });
    await (await expectRow(id, 1, response)).toMatchObject({
      status: 'hidden',
      hidden_by: 'moderator',
      hidden_reason: 'Contains a phone number.',
      words: '',
    });
    const restored = await moderate(id, 'posts/1/hidden', { hidden: false });
    expect(restored.body['message']).toBe('Post restored');
    await (await expectRow(id, 1, restored)).toMatchObject({ status: 'visible', hidden_reason: null });
    expect((await moderate(id, 'posts/1/hidden', { hidden: false })).headers.get('etag')).toBe(
      restored.headers.get('etag'),
    );
  });
  test('hides a thread with its opening post from everyone except moderators', async () => {
    const id = await startThread(anna, { title: 'Secrets of the hotel' });
    const response = await moderate(id, 'posts/0/hidden', { hidden: true });
    expect((response.body['data'] as { slug: string }).slug).toMatch(/^thread-/u);
    expect((await reply(ben, id)).body['code']).toBe('THREAD_NOT_FOUND');
    expect((await reply(admin, id)).status).toBe(201);
  });
  test('closes, pins and moves a thread', async () => {
    const id = await startThread(anna);
    expect((await moderate(id, 'locked', { locked: true })).body['message']).toBe('Thread closed');
    expect((await moderate(id, 'pinned', { pinned: true })).body['message']).toBe('Thread pinned');
    const moved = await moderate(id, 'place', { state: 'california', city: 'los-angeles' });
    expect(moved).toMatchObject({
      status: 200,
      body: {
        message: 'Thread moved',
        data: {
          id,
          path: expect.stringMatching(/^\/community\/us\/ca\/los-angeles\/quiet-places-to-meet-/u) as string,
        },
      },
    });
    expect(await loadThread(id)).toMatchObject({
      isLocked: true,
      isPinned: true,
      place: { country: 'us', state: 'CA', city: 'Los Angeles' },
    });
    expect((await reply(admin, id)).status).toBe(201);
    await moderate(id, 'locked', { locked: false });
    await moderate(id, 'pinned', { pinned: false });
    expect(await loadThread(id)).toMatchObject({ isLocked: false, isPinned: false });
  });
  test('rejects invalid requests', async () => {
    const id = await startThread(anna);
    for (const [action, body] of [
      ['posts/0/hidden', { hidden: true }],
      ['locked', { locked: true }],
      ['pinned', { pinned: true }],
      ['place', { state: 'NV', city: 'Reno' }],
    ] as const) {
      expect((await moderate(UNKNOWN, action, body)).body['code'], action).toBe('THREAD_NOT_FOUND');
      expect((await moderate('x', action, body)).body['code'], action).toBe('THREAD_NOT_FOUND');
      expect((await moderate(id, action, {})).status, action).toBe(400);
    }
    expect((await moderate(id, 'posts/5/hidden', { hidden: true })).body['code']).toBe('POST_NOT_FOUND');
    expect((await moderate(id, 'place', { state: 'NV', city: 'Paris' })).body['code']).toBe('INVALID_FIELDS');
    expect(await loadThread(id)).toMatchObject({ isLocked: false, isPinned: false, place: PLACE });
  });
  test('records the moderator as actor of the event', async () => {
    const id = await startThread(anna);
    await moderate(id, 'locked', { locked: true });
    const { rows } = await pool.query<{ actor: unknown }>(
      `select meta->'actor' as actor from es.events where type = 'ThreadLocked' and data->>'threadId' = $1`,
      [id],
    );
    expect(rows).toEqual([{ actor: { kind: 'account', accountId: admin.user.id } }]);
  });
});
