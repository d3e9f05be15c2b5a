import { randomUUID } from 'node:crypto';
import { favorites, follows, helpful, postAt, postCount, thread, type PostList } from '@alpenglow/domain';
import { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiClient, type Answer, type ApiClient, type Person } from '../support/api.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { BY_TEST, openRecording, type Recording } from '../support/recording.ts';

let product: TestProduct;
let api: ApiClient;
let recording: Recording;
let pool: Pool;
let anna: Person;
let ben: Person;
let admin: Person;

beforeAll(async () => {
  product = await startTestProduct();
  api = apiClient(product.url);
  recording = await openRecording(product);
  pool = new Pool({ connectionString: product.databaseUrl, max: 2 });
  [anna, ben, admin] = await Promise.all([
    recording.member(),
    recording.member(),
    recording.member({ email: 'admin@example.com' }),
  ]);
});
afterAll(async () => {
  await pool.end();
  await recording.close();
  await product.stop();
});

const error = (code: string, message: string) => ({
  success: false,
  code,
  message,
  error: message,
  requestId: expect.any(String) as string,
});
const UNKNOWN = '0193a1b2-0000-7000-8000-000000000001';
let said = 0;
/** Words that nobody has posted yet. */
const newWords = (about = 'tea rooms') => `Number ${(said += 1)} on ${about}: ${randomUUID()}.`;
const call = (method: string, path: string, person: Person | null, body?: unknown, headers?: Record<string, string>) =>
  api.call(method, `/api${path}`, {
    ...(person && { token: person.token }),
    ...(body !== undefined && { body }),
    ...(headers && { headers }),
  });
const PLACE = { country: 'us', state: 'NV', city: 'Las Vegas' };
const starting = (person: Person | null, fields: Record<string, unknown> = {}, headers?: Record<string, string>) =>
  call(
    'POST',
    '/community/threads',
    person,
    { ...PLACE, title: 'Quiet places to meet', body: newWords(), ...fields },
    headers,
  );
const idOf = ({ body }: Answer) => (body['data'] as { id: string }).id;
const numberOf = ({ body }: Answer) => (body['data'] as { number: number }).number;
async function startedBy(person: Person, fields: Record<string, unknown> = {}): Promise<string> {
  const answer = await starting(person, fields);
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return idOf(answer);
}
const replying = (person: Person | null, threadId: string, fields: Record<string, unknown> = {}) =>
  call('POST', `/community/threads/${threadId}/replies`, person, { body: newWords(), ...fields });
const moderating = (threadId: string, what: string, body: unknown, person: Person | null = admin) =>
  call('PUT', `/admin/community/threads/${threadId}/${what}`, person, body);

async function threadOf(threadId: string) {
  const { state } = await recording.commands.load(thread, threadId);
  if (!state) throw new Error(`There is no thread ${threadId}`);
  return state;
}
const statusesOf = ({ posts }: { posts: PostList<{ status: string }> }) =>
  Array.from({ length: postCount(posts) }, (_, number) => postAt(posts, number)?.status);
/** What the read model has of a post, once it has come so far as the answer says. */
async function rowOf(threadId: string, number: number, { headers }: Answer) {
  await api.call('GET', '/api/ads', { headers: { 'x-wait-position': headers.get('x-position') ?? '' } });
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
    const answer = await starting(anna, { title: 'Where to have a first coffee' });
    const id = idOf(answer);
    expect(answer).toMatchObject({
      status: 201,
      body: { success: true, message: 'Thread started!', data: { number: 0 } },
    });
    const { slug, path } = answer.body['data'] as { slug: string; path: string };
    expect(slug).toMatch(/^where-to-have-a-first-coffee-[0-9a-z]{10}$/u);
    expect(path).toBe(`/community/us/nv/las-vegas/${slug}`);
    expect(answer.headers.get('location')).toBe(`/api/community/threads/${id}`);
    expect(answer.headers.get('etag')).toBe('"0"');
    expect(answer.headers.get('x-position')).toMatch(/./u);
    expect(await threadOf(id)).toMatchObject({
      threadId: id,
      title: 'Where to have a first coffee',
      place: PLACE,
      isLocked: false,
      isPinned: false,
    });
    await (await rowOf(id, 0, answer)).toMatchObject({ account_id: anna.user.id, status: 'visible' });
  });
  test('two of one title have two addresses', async () => {
    const [one, other] = [await starting(anna), await starting(anna)];
    expect((one.body['data'] as { path: string }).path).not.toBe((other.body['data'] as { path: string }).path);
  });
  test.each([
    [{ country: undefined }, 'Las Vegas'],
    [{ country: 'US', state: 'nv', city: 'las-vegas' }, 'Las Vegas'],
    [{ country: 'United States', state: 'Nevada', city: 'LAS VEGAS' }, 'Las Vegas'],
    [{ state: 'nevada', city: ' reno' }, 'Reno'],
  ])('takes places by code, name and slug: %j', async (fields, city) => {
    expect((await threadOf(await startedBy(anna, fields))).place).toEqual({ ...PLACE, city });
  });
  test.each([
    ['another country', { country: 'fr' }, 'Please choose a country, a state and one of its cities'],
    ['a city of another state', { state: 'CA' }, 'Please choose a country, a state and one of its cities'],
    ['no city', { city: undefined }, 'Please fill in all required fields'],
    ['no title', { title: ' ' }, 'Please fill in all required fields'],
    ['a title that is too short', { title: 'Four' }, 'Title must be at least 5 characters'],
    ['no text', { body: undefined }, 'Please fill in all required fields'],
    ['a text that is too long', { body: 'x'.repeat(10_001) }, 'Text must be at most 10000 characters'],
    ['a text that is no text', { body: ['a'] }, 'Please fill in all required fields'],
    ['a null character', { body: 'a\u0000b' }, 'Text has characters that cannot be shown'],
  ])('with %s is refused', async (_what, fields, message) => {
    expect(await starting(anna, fields)).toMatchObject({ status: 400, body: { success: false, message } });
  });
  test.each([
    ['a line across', 'body', '***'],
    ['an empty list', 'body', '- \n- '],
    ['nothing but a comment', 'body', '[a]: https://example.com'],
    ['spaces without width', 'body', '\u200b\u2060\ufeff'],
    ['fillers', 'body', '\u3164\u115f \u2800'],
    ['soft hyphens and joiners', 'body', '&shy;\u00ad&zwnj;'],
    ['a title that nobody sees', 'title', '\u200b\u200b\u3164\u2800\u00ad\u200b'],
  ])('of which nothing is to be seen is refused: %s', async (_what, field, text) => {
    expect(await starting(anna, { [field]: text })).toMatchObject({
      status: 400,
      body: { code: 'REQUIRED_FIELDS', fields: { [field]: 'Please fill in all required fields' } },
    });
  });
  test('takes every script, and emoji alone', async () => {
    const id = await startedBy(anna, {
      title: 'أماكن هادئة 🌙',
      body: `👩‍👩‍👧‍👦 ${String.fromCodePoint(0x1f300 + Math.floor(Math.random() * 200))}`,
    });
    expect((await threadOf(id)).title).toBe('أماكن هادئة 🌙');
  });
  test('by nobody, or with a session that is over, is refused', async () => {
    expect(await starting(null)).toMatchObject({
      status: 401,
      body: error('AUTHENTICATION_REQUIRED', 'Authentication required'),
    });
    expect((await starting({ ...anna, token: 'over' })).status).toBe(401);
  });
  test('the same Idempotency-Key is the same thread', async () => {
    const fields = { body: newWords() };
    const key = { 'idempotency-key': randomUUID() };
    const [first, again] = [await starting(anna, fields, key), await starting(anna, fields, key)];
    expect([
      again.status,
      again.body,
      again.headers.get('location'),
      again.headers.get('idempotency-replayed'),
    ]).toEqual([201, first.body, first.headers.get('location'), 'true']);
    expect((await starting(anna, { body: newWords() }, key)).body['code']).toBe('IDEMPOTENCY_KEY_REUSED');
  });
  test('words and fingerprints are sealed in the event store', async () => {
    await startedBy(anna, { title: 'Quixotic marmalade', body: 'Zephyrs and kumquats.' });
    const { rows } = await pool.query<{ everything: string }>(
      `select string_agg(e::text, chr(10)) as everything from es.events e where type in ('ThreadStarted', 'PostAdmitted')`,
    );
    for (const words of ['marmalade', 'kumquats']) expect(rows[0]?.everything).not.toContain(words);
    expect(rows[0]?.everything).not.toMatch(/"fingerprint": ?"[0-9a-f]/u);
  });
});

describe('POST /community/threads/{id}/replies', () => {
  test('adds a reply, with what it quotes as a reference', async () => {
    const id = await startedBy(anna);
    expect(await replying(ben, id)).toMatchObject({
      status: 201,
      body: { success: true, message: 'Reply posted!', data: { id, number: 1 } },
    });
    const second = await replying(anna, id, { quotedNumber: 1 });
    expect(second.body['data']).toMatchObject({ id, number: 2 });
    expect(second.headers.get('etag')).toBe('"2"');
    await (await rowOf(id, 2, second)).toMatchObject({ quoted_number: 1, account_id: anna.user.id });
  });
  test('twenty at once are all kept, numbered without gaps', async () => {
    const id = await startedBy(anna);
    const members = await Promise.all(Array.from({ length: 5 }, () => recording.member()));
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => replying(members[index % 5] ?? ben, id)),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 201));
    expect(answers.map(numberOf).sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
    expect(postCount((await threadOf(id)).posts)).toBe(21);
  });
  test('quotes only what is to be seen', async () => {
    const id = await startedBy(anna);
    await replying(ben, id);
    await moderating(id, 'posts/1/hidden', { hidden: true });
    for (const quotedNumber of [1, 2, 999_999])
      expect(await replying(anna, id, { quotedNumber })).toMatchObject({
        status: 404,
        body: error('POST_NOT_FOUND', 'Post not found'),
      });
    for (const quotedNumber of [-1, 0.5, 'x']) expect((await replying(anna, id, { quotedNumber })).status).toBe(400);
  });
  test('what the thread refuses costs no admission', async () => {
    const id = await startedBy(anna);
    await moderating(id, 'locked', { locked: true });
    const body = newWords();
    expect(await replying(ben, id, { body })).toMatchObject({
      status: 409,
      body: error('THREAD_LOCKED', 'This thread is closed'),
    });
    await moderating(id, 'locked', { locked: false });
    expect((await replying(ben, await startedBy(anna), { body })).status).toBe(201);
  });
  test.each([UNKNOWN, 'x', 'a'.repeat(300), `${UNKNOWN}0`, UNKNOWN.toUpperCase().replace('A', 'B')])(
    'to %s: Thread not found',
    async (id) => {
      expect(await replying(ben, id)).toMatchObject({
        status: 404,
        body: error('THREAD_NOT_FOUND', 'Thread not found'),
      });
    },
  );
  test('by nobody is refused', async () => {
    expect((await replying(null, await startedBy(anna))).status).toBe(401);
  });
});

describe('PUT /community/threads/{id}/posts/{number}', () => {
  const editing = (person: Person | null, id: string, number: number | string, fields: Record<string, unknown> = {}) =>
    call('PUT', `/community/threads/${id}/posts/${number}`, person, { body: newWords(), ...fields });

  test('changes one’s own words; what they were is kept', async () => {
    const body = newWords();
    const id = await startedBy(anna, { body });
    const next = newWords();
    const answer = await editing(anna, id, 0, { title: 'Calm places to meet', body: next });
    expect(answer).toMatchObject({
      status: 200,
      body: {
        success: true,
        message: 'Post updated',
        data: { id, number: 0, slug: expect.stringMatching(/^calm-places-to-meet-/u) as string },
      },
    });
    await (await rowOf(id, 0, answer)).toMatchObject({
      title: 'Calm places to meet',
      body: next,
      history: [{ body }],
      edited_at: expect.any(Date) as Date,
    });
  });
  test('changes punctuation and emphasis too, and the same once more is no change', async () => {
    const body = newWords();
    const id = await startedBy(anna, { body });
    for (let turn = 0; turn < 2; turn += 1) {
      const answer = await editing(anna, id, 0, { body: `**${body}**` });
      await (await rowOf(id, 0, answer)).toMatchObject({ body: `**${body}**`, history: [{ body }] });
    }
  });
  test('is over after 15 minutes', async () => {
    const id = await startedBy(anna);
    const old = randomUUID();
    const past = new Date(Date.now() - 16 * 60_000).toISOString();
    const opening = {
      threadId: old,
      accountId: anna.user.id,
      admissionId: 'a',
      ...PLACE,
      title: 'Of another time',
      body: 'Long ago.',
      fingerprint: 'f',
    };
    await recording.commands.handle(thread, old, () => [{ type: 'ThreadStarted', data: opening }], BY_TEST, {
      now: past,
    });
    expect(await editing(anna, old, 0)).toMatchObject({
      status: 409,
      body: error('EDIT_WINDOW_OVER', 'Posts can be edited for 15 minutes'),
    });
    expect((await editing(anna, id, 0)).status).toBe(200);
  });
  test('is for its author', async () => {
    const id = await startedBy(anna);
    for (const person of [ben, admin])
      expect(await editing(person, id, 0)).toMatchObject({
        status: 403,
        body: error('ONLY_AUTHOR', 'Only the author can change this post'),
      });
    expect((await editing(null, id, 0)).status).toBe(401);
  });
  test('of a hidden post, of none, with nothing', async () => {
    const id = await startedBy(anna);
    expect((await editing(anna, id, 0, { body: '***' })).body['code']).toBe('REQUIRED_FIELDS');
    expect((await editing(anna, id, 0, { title: '\u200b\u200b\u200b\u200b\u200b' })).body['code']).toBe(
      'REQUIRED_FIELDS',
    );
    for (const number of [1, 99_999_999, 'x', '-1', '1.5', '0x0', '%00'])
      expect((await editing(anna, id, number)).body['code'], String(number)).toBe('POST_NOT_FOUND');
    await moderating(id, 'posts/0/hidden', { hidden: true });
    expect((await editing(anna, id, 0)).body['code']).toBe('POST_HIDDEN');
  });
  test('cannot turn a post into what stands elsewhere already', async () => {
    const words = newWords('a thing that is advertised everywhere');
    const first = await starting(ben, { body: words });
    await (await rowOf(idOf(first), 0, first)).toMatchObject({ status: 'visible' });
    const id = await startedBy(anna);
    expect(await editing(anna, id, 0, { body: words })).toMatchObject({
      status: 409,
      body: error('DUPLICATE_TEXT', 'This text has been posted already'),
    });
    expect((await editing(ben, id, 0, { body: words })).body['code']).toBe('ONLY_AUTHOR');
  });
});

describe('DELETE /community/threads/{id}/posts/{number}', () => {
  const deleting = (person: Person | null, id: string, number: number | string) =>
    call('DELETE', `/community/threads/${id}/posts/${number}`, person);

  test('takes the words away, and leaves the place in the thread', async () => {
    const id = await startedBy(anna);
    const body = newWords();
    for (const text of [body, newWords()]) await replying(ben, id, { body: text });
    const answer = await deleting(ben, id, 1);
    expect(answer).toMatchObject({
      status: 200,
      body: { success: true, message: 'Post deleted', data: { id, number: 1 } },
    });
    expect(statusesOf(await threadOf(id))).toEqual(['visible', 'deleted', 'visible']);
    await (await rowOf(id, 1, answer)).toMatchObject({
      status: 'deleted',
      body: '',
      html: '',
      excerpt: '',
      fingerprint: '',
      history: [],
    });
    expect(numberOf(await replying(ben, id))).toBe(3);
    expect((await deleting(ben, id, 1)).status).toBe(200);
  });
  test('of the opening post takes its title out of the address', async () => {
    const id = await startedBy(anna, { title: 'Secrets of the house' });
    const answer = await deleting(anna, id, 0);
    expect((answer.body['data'] as { slug: string }).slug).toMatch(/^thread-[0-9a-z]{10}$/u);
    expect(JSON.stringify(answer.body)).not.toMatch(/secrets/iu);
    expect((await replying(ben, id)).status).toBe(201);
  });
  test('is for its author', async () => {
    const id = await startedBy(anna);
    for (const person of [ben, admin]) expect((await deleting(person, id, 0)).body['code']).toBe('ONLY_AUTHOR');
    expect((await deleting(null, id, 0)).status).toBe(401);
    expect((await deleting(anna, id, 1)).body['code']).toBe('POST_NOT_FOUND');
    expect((await deleting(anna, UNKNOWN, 0)).body['code']).toBe('THREAD_NOT_FOUND');
  });
});

describe('marks', () => {
  const marking = (method: 'POST' | 'DELETE', person: Person | null, id: string, number: number | string = 0) =>
    call(method, `/community/threads/${id}/posts/${number}/helpful`, person);

  test('are one for each member and post, however many come at once', async () => {
    const id = await startedBy(anna);
    const member = await recording.member();
    const answers = await Promise.all(Array.from({ length: 10 }, () => marking('POST', member, id)));
    for (const answer of answers)
      expect(answer).toMatchObject({ status: 200, body: { success: true, data: { isHelpful: true } } });
    await (await rowOf(id, 0, answers[0] as Answer)).toMatchObject({ helpful_count: 1 });
    const back = await marking('DELETE', member, id);
    expect(back).toMatchObject({ status: 200, body: { success: true, data: { isHelpful: false } } });
    await (await rowOf(id, 0, back)).toMatchObject({ helpful_count: 0 });
    expect((await marking('DELETE', member, id)).status).toBe(200);
    expect((await recording.commands.load(helpful, member.user.id)).revision).toBe(1);
  });
  test('of how many posts somebody has marked, nothing is told', async () => {
    expect((await marking('POST', ben, await startedBy(anna))).headers.get('etag')).not.toMatch(/^"\d+"$/u);
  });
  test('are refused for one’s own, for what is not to be seen, without a verified e-mail, and to nobody', async () => {
    const id = await startedBy(anna);
    await replying(anna, id);
    await moderating(id, 'posts/1/hidden', { hidden: true });
    expect(await marking('POST', anna, id)).toMatchObject({
      status: 403,
      body: error('OWN_POST', 'You cannot mark your own post as helpful'),
    });
    for (const number of [1, 2, 'x'])
      expect((await marking('POST', ben, id, number)).body['code']).toBe('POST_NOT_FOUND');
    expect((await marking('POST', ben, UNKNOWN)).body['code']).toBe('THREAD_NOT_FOUND');
    expect((await marking('POST', await recording.member({ verify: false }), id)).body['code']).toBe(
      'VERIFICATION_REQUIRED',
    );
    expect([(await marking('POST', null, id)).status, (await marking('DELETE', null, id)).status]).toEqual([401, 401]);
  });
});

describe('following', () => {
  const following = (person: Person | null, id: string, body: unknown = {}) =>
    call('PUT', `/community/threads/${id}/follow`, person, body);
  const leaving = (person: Person | null, id: string) => call('DELETE', `/community/threads/${id}/follow`, person);

  test('with mails at once, a day’s, none; and no longer', async () => {
    const id = await startedBy(anna);
    const member = await recording.member();
    for (const [body, mail] of [
      [{}, 'instant'],
      [{ mail: 'daily' }, 'daily'],
      [{ mail: 'off' }, 'off'],
    ]) {
      expect(await following(member, id, body)).toMatchObject({
        status: 200,
        body: { success: true, data: { threadId: id, mail } },
      });
      expect((await recording.commands.load(follows, member.user.id)).state.threads).toEqual({ [id]: mail });
    }
    expect(await leaving(member, id)).toMatchObject({ status: 200, body: { data: { threadId: id, mail: null } } });
    expect((await leaving(member, id)).status).toBe(200);
    expect((await recording.commands.load(follows, member.user.id)).state.threads).toEqual({});
  });
  test('without a verified e-mail sends no mails', async () => {
    const [id, member] = [await startedBy(anna), await recording.member({ verify: false })];
    for (const body of [{}, { mail: 'daily' }])
      expect(await following(member, id, body)).toMatchObject({ status: 403, body: { code: 'VERIFICATION_REQUIRED' } });
    expect((await following(member, id, { mail: 'off' })).status).toBe(200);
  });
  test('a thread that is hidden or not there is refused; one whose opening post was deleted is not', async () => {
    const [hiddenId, deletedId] = [await startedBy(anna), await startedBy(anna)];
    await moderating(hiddenId, 'posts/0/hidden', { hidden: true });
    await call('DELETE', `/community/threads/${deletedId}/posts/0`, anna);
    for (const id of [hiddenId, UNKNOWN, 'x']) expect((await following(ben, id)).body['code']).toBe('THREAD_NOT_FOUND');
    expect((await following(ben, deletedId)).status).toBe(200);
    expect((await following(ben, deletedId, { mail: 'weekly' })).status).toBe(400);
    expect([(await following(null, deletedId)).status, (await leaving(null, deletedId)).status]).toEqual([401, 401]);
  });
  test('ends with the account', async () => {
    const [id, member] = [await startedBy(anna), await recording.member()];
    await following(member, id);
    expect((await call('DELETE', `/admin/users/${member.user.id}`, admin)).status).toBe(200);
    expect((await recording.commands.load(follows, member.user.id)).state.threads).toEqual({});
    expect((await recording.commands.load(favorites, member.user.id)).state.adIds).toEqual([]);
  });
});

test('a preview is what will be shown, for those who are signed in', async () => {
  const preview = (person: Person | null, body: unknown) => call('POST', '/community/preview', person, { body });
  expect(await preview(anna, 'A *calm* place.')).toMatchObject({
    status: 200,
    body: { success: true, data: { html: '<p dir="auto">A <em>calm</em> place.</p>\n' } },
  });
  expect(JSON.stringify((await preview(anna, '<script>alert(1)</script>')).body)).not.toContain('<script');
  expect((await preview(anna, '')).status).toBe(400);
  expect((await preview(null, 'A')).status).toBe(401);
});

describe('moderators', () => {
  test('hide a post, tell why, and restore it', async () => {
    const id = await startedBy(anna);
    await replying(ben, id);
    const answer = await moderating(id, 'posts/1/hidden', { hidden: true, reason: 'Somebody’s number.' });
    expect(answer).toMatchObject({
      status: 200,
      body: { success: true, message: 'Post hidden', data: { id, number: 1 } },
    });
    await (await rowOf(id, 1, answer)).toMatchObject({
      status: 'hidden',
      hidden_by: 'moderator',
      hidden_reason: 'Somebody’s number.',
      words: '',
    });
    const restored = await moderating(id, 'posts/1/hidden', { hidden: false });
    expect(restored.body['message']).toBe('Post restored');
    await (await rowOf(id, 1, restored)).toMatchObject({ status: 'visible', hidden_reason: null });
    expect((await moderating(id, 'posts/1/hidden', { hidden: false })).headers.get('etag')).toBe(
      restored.headers.get('etag'),
    );
  });
  test('hide a thread with its opening post: nobody else can do anything in it', async () => {
    const id = await startedBy(anna, { title: 'Secrets of the house' });
    const answer = await moderating(id, 'posts/0/hidden', { hidden: true });
    expect((answer.body['data'] as { slug: string }).slug).toMatch(/^thread-/u);
    expect((await replying(ben, id)).body['code']).toBe('THREAD_NOT_FOUND');
    expect((await replying(admin, id)).status).toBe(201);
  });
  test('close, pin and move', async () => {
    const id = await startedBy(anna);
    expect((await moderating(id, 'locked', { locked: true })).body['message']).toBe('Thread closed');
    expect((await moderating(id, 'pinned', { pinned: true })).body['message']).toBe('Thread pinned');
    const moved = await moderating(id, 'place', { state: 'california', city: 'los-angeles' });
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
    expect(await threadOf(id)).toMatchObject({
      isLocked: true,
      isPinned: true,
      place: { country: 'us', state: 'CA', city: 'Los Angeles' },
    });
    expect((await replying(admin, id)).status).toBe(201);
    await moderating(id, 'locked', { locked: false });
    await moderating(id, 'pinned', { pinned: false });
    expect(await threadOf(id)).toMatchObject({ isLocked: false, isPinned: false });
  });
  test('are moderators alone; what they ask has to make sense', async () => {
    const id = await startedBy(anna);
    for (const [what, body] of [
      ['posts/0/hidden', { hidden: true }],
      ['locked', { locked: true }],
      ['pinned', { pinned: true }],
      ['place', { state: 'NV', city: 'Reno' }],
    ] as const) {
      expect((await moderating(id, what, body, anna)).body['code'], what).toBe('ONLY_MODERATORS');
      expect((await moderating(id, what, body, null)).status, what).toBe(401);
      expect((await moderating(UNKNOWN, what, body)).body['code'], what).toBe('THREAD_NOT_FOUND');
      expect((await moderating('x', what, body)).body['code'], what).toBe('THREAD_NOT_FOUND');
      expect((await moderating(id, what, {})).status, what).toBe(400);
    }
    expect((await moderating(id, 'posts/5/hidden', { hidden: true })).body['code']).toBe('POST_NOT_FOUND');
    expect((await moderating(id, 'place', { state: 'NV', city: 'Paris' })).body['code']).toBe('INVALID_FIELDS');
    expect(await threadOf(id)).toMatchObject({ isLocked: false, isPinned: false, place: PLACE });
  });
  test('are the actors of what they do', async () => {
    const id = await startedBy(anna);
    await moderating(id, 'locked', { locked: true });
    const { rows } = await pool.query<{ actor: unknown }>(
      `select meta->'actor' as actor from es.events where type = 'ThreadLocked' and data->>'threadId' = $1`,
      [id],
    );
    expect(rows).toEqual([{ actor: { kind: 'account', accountId: admin.user.id } }]);
  });
});
