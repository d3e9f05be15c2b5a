import { randomUUID } from 'node:crypto';
import { admitPost, author, NEW_ACCOUNT_WAIT_ms, postAt, postCount, POSTS_PER_HOUR, thread } from '@alpenglow/domain';
import { createCommunityDirectory } from '@alpenglow/infra';
import { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fingerprintOf } from '../../command-api/src/routes/community/fingerprint.ts';
import { apiClient, type Answer, type ApiClient, type Person } from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { BY_TEST, openRecording, type Recording } from '../support/recording.ts';

let product: TestProduct;
let api: ApiClient;
let recording: Recording;
let pool: Pool;
let admin: Person;
/** A thread to reply to. */
let open: string;

beforeAll(async () => {
  product = await startTestProduct();
  api = apiClient(product.url);
  recording = await openRecording(product);
  pool = new Pool({ connectionString: product.databaseUrl, max: 2 });
  admin = await recording.member({ email: 'admin@example.com' });
  open = idOf(await start(admin, newWords()));
});
afterAll(async () => {
  await pool.end();
  await recording.close();
  await product.stop();
});

const HOUR_ms = 60 * 60_000;
const DUPLICATE = {
  status: 409,
  body: { success: false, code: 'DUPLICATE_TEXT', message: 'This text has been posted already' },
};
const newWords = () => `Something nobody has said before: ${randomUUID()}.`;
const idOf = ({ body }: Answer) => (body['data'] as { id: string }).id;
const start = ({ token }: Person, body: string, headers?: Record<string, string>) =>
  api.call('POST', '/api/community/threads', {
    token,
    body: { state: 'NV', city: 'Las Vegas', title: 'Quiet places to meet', body },
    ...(headers && { headers }),
  });
const reply = ({ token }: Person, body: string, threadId = open) =>
  api.call('POST', `/api/community/threads/${threadId}/replies`, { token, body: { body } });
const edit = ({ token }: Person, threadId: string, number: number, body: string) =>
  api.call('PUT', `/api/community/threads/${threadId}/posts/${number}`, { token, body: { body } });
const statusesOf = (answers: readonly Answer[]) => answers.map(({ status }) => status).sort();
const admissionsOf = async (person: Person) => (await recording.commands.load(author, person.user.id)).state.recent;
async function fingerprintsIn(threadId: string): Promise<readonly string[]> {
  const posts = (await recording.commands.load(thread, threadId)).state?.posts ?? [];
  return Array.from({ length: postCount(posts) }, (_, number) => postAt(posts, number)?.fingerprint ?? '');
}
/** Waits until the read model knows what was written. */
const untilRead = async (answer: Answer) => {
  const { id, number } = answer.body['data'] as { id: string; number: number };
  await expect
    .poll(
      async () => (await pool.query('select from rm.community_posts where post_id = $1', [`${id}-${number}`])).rowCount,
    )
    .toBe(1);
};

describe('an account that', () => {
  test('is not ten minutes old is told how long to wait; afterwards it posts', async () => {
    const fresh = await api.signUp('client');
    const refused = await start(fresh, newWords());
    expect(refused).toMatchObject({
      status: 403,
      body: { code: 'ACCOUNT_TOO_NEW', message: 'New accounts can post after 10 minutes. Please try again in 10 min.' },
    });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(500);
    expect((await reply(fresh, newWords())).body['code']).toBe('ACCOUNT_TOO_NEW');
    const almost = await recording.member({ age_ms: NEW_ACCOUNT_WAIT_ms - 50_000 });
    expect(await reply(almost, newWords())).toMatchObject({
      status: 403,
      body: { message: 'New accounts can post after 10 minutes. Please try again in 1 min.' },
    });
    expect((await reply(await recording.member({ age_ms: NEW_ACCOUNT_WAIT_ms }), newWords())).status).toBe(201);
  });
  test('has no verified e-mail writes nothing', async () => {
    const unverified = await recording.member({ verify: false });
    for (const answer of [await start(unverified, newWords()), await reply(unverified, newWords())])
      expect(answer).toMatchObject({
        status: 403,
        body: { code: 'VERIFICATION_REQUIRED', message: 'Please verify your e-mail first' },
      });
    expect(await admissionsOf(unverified)).toEqual([]);
  });
  test(`is new posts ${POSTS_PER_HOUR.newAccount} times an hour, threads and replies together, however many come at once`, async () => {
    const newcomer = await recording.member({ age_ms: HOUR_ms });
    expect((await start(newcomer, newWords())).status).toBe(201);
    const answers = await Promise.all(Array.from({ length: 12 }, () => reply(newcomer, newWords())));
    expect(statusesOf(answers)).toEqual([201, 201, 201, 201, ...Array.from({ length: 8 }, () => 429)]);
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.body).toMatchObject({
      code: 'TOO_MANY_POSTS',
      message: 'You can post 5 times an hour. Please try again in 60 min.',
    });
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(3_000);
    expect(await admissionsOf(newcomer)).toHaveLength(POSTS_PER_HOUR.newAccount);
  });
  test('posted an hour ago posts again', async () => {
    const newcomer = await recording.member({ age_ms: 2 * HOUR_ms });
    const member = {
      accountId: newcomer.user.id,
      emailVerified: true,
      isModerator: false,
      registeredAt: new Date(0).toISOString(),
    };
    for (let index = 0; index < POSTS_PER_HOUR.newAccount; index += 1) {
      const words = { body: 'x', fingerprint: `f${index}`, links: 0 };
      await recording.commands.handle(
        author,
        newcomer.user.id,
        (state, context) => admitPost({ member, threadId: open, words }, state, context),
        BY_TEST,
        { now: new Date(Date.now() - HOUR_ms - 1_000).toISOString() },
      );
    }
    expect((await reply(newcomer, newWords())).status).toBe(201);
  });
  test('is new has one link in a post, others ten; one who moderates has none counted', async () => {
    const links = (count: number) =>
      Array.from({ length: count }, () => `https://example.com/${randomUUID()}`).join(' and ');
    const newcomer = await recording.member({ age_ms: HOUR_ms });
    const other = await recording.member();
    expect(await start(newcomer, links(2))).toMatchObject({ status: 400, body: { code: 'TOO_MANY_LINKS' } });
    expect(await reply(newcomer, `[a](https://example.com/a) [b](https://example.com/${randomUUID()})`)).toMatchObject({
      status: 400,
      body: { code: 'TOO_MANY_LINKS' },
    });
    const posted = await start(newcomer, links(1));
    expect(posted.status).toBe(201);
    expect(await edit(newcomer, idOf(posted), 0, links(2))).toMatchObject({
      status: 400,
      body: { code: 'TOO_MANY_LINKS' },
    });
    expect(await reply(other, links(11))).toMatchObject({
      status: 400,
      body: { code: 'TOO_MANY_LINKS', message: 'Please use fewer links: 10 at most' },
    });
    expect((await reply(other, links(10))).status).toBe(201);
    expect((await reply(admin, links(11))).status).toBe(201);
  });
});

describe('the same words', () => {
  test('by a double click are one thread, or one reply', async () => {
    const member = await recording.member();
    for (const post of [start, (person: Person, body: string) => reply(person, body)]) {
      const body = newWords();
      const answers = await Promise.all([post(member, body), post(member, body)]);
      expect(statusesOf(answers)).toEqual([201, 409]);
      expect(answers.find(({ status }) => status === 409)).toMatchObject(DUPLICATE);
    }
    const { rows } = await pool.query(
      `select from es.events where type = 'ThreadStarted' and data->>'accountId' = $1`,
      [member.user.id],
    );
    expect(rows).toHaveLength(1);
  });
  test('ten times at once are one reply', async () => {
    const [member, body] = [await recording.member(), newWords()];
    const answers = await Promise.all(Array.from({ length: 10 }, () => reply(member, body)));
    expect(statusesOf(answers)).toEqual([201, ...Array.from({ length: 9 }, () => 409)]);
    expect((await fingerprintsIn(open)).filter((one) => one === fingerprintOf(body))).toHaveLength(1);
  });
  test('are refused to the same and to another thread, to a moderator too, and once their post is deleted', async () => {
    const member = await recording.member();
    for (const person of [member, admin]) {
      const body = newWords();
      const first = await reply(person, body);
      const { id, number } = first.body['data'] as { id: string; number: number };
      for (const again of [
        await reply(person, body),
        await start(person, body),
        await reply(person, body, idOf(await start(person, newWords()))),
      ])
        expect(again).toMatchObject(DUPLICATE);
      await api.call('DELETE', `/api/community/threads/${id}/posts/${number}`, { token: person.token });
      expect(await reply(person, body)).toMatchObject(DUPLICATE);
    }
  });
  test.each([
    ['in capitals', (text: string) => text.toUpperCase()],
    ['with letters nobody sees', (text: string) => [...text].join('\u3164')],
    ['with other spaces and signs', (text: string) => text.replaceAll(' ', '  \n').replaceAll('.', '!!!')],
    ['set otherwise', (text: string) => `> **${text}**`],
    [
      'in letters of full width',
      (text: string) =>
        text.replaceAll(/[a-z]/gu, (letter) => String.fromCodePoint((letter.codePointAt(0) ?? 0) + 0xfee0)),
    ],
    ['with letters nobody sees between them', (text: string) => [...text].join('\u200b')],
  ])('are the same %s', async (_how, changed) => {
    const [member, body] = [await recording.member(), newWords()];
    expect((await reply(member, body)).status).toBe(201);
    expect(await reply(member, changed(body))).toMatchObject(DUPLICATE);
  });
  test('of signs alone are the same only where the signs are', async () => {
    const member = await recording.member();
    expect([
      (await reply(member, '👍👍')).status,
      (await reply(member, '👍')).status,
      (await reply(member, '👍👍')).status,
    ]).toEqual([201, 201, 409]);
  });
  test('of somebody else are refused where they are long, however they were hidden; short ones everybody may say', async () => {
    const [one, other] = [await recording.member(), await recording.member()];
    const long = newWords();
    const first = await reply(one, long);
    await untilRead(first);
    expect(await reply(other, long)).toMatchObject(DUPLICATE);
    expect(await start(other, `**${long.toUpperCase()}**`)).toMatchObject(DUPLICATE);
    const { id, number } = first.body['data'] as { id: string; number: number };
    await api.call('PUT', `/api/admin/community/threads/${id}/posts/${number}/hidden`, {
      token: admin.token,
      body: { hidden: true },
    });
    expect(await reply(other, long)).toMatchObject(DUPLICATE);
    expect(await admissionsOf(other)).toEqual([]);
    const short = 'Thank you so much!';
    await untilRead(await reply(one, short));
    expect((await reply(other, short)).status).toBe(201);
  });
  test('of a day ago may be said again', async () => {
    const [member, other, body] = [await recording.member(), await recording.member(), newWords()];
    const threadId = randomUUID();
    const started = {
      threadId,
      accountId: other.user.id,
      admissionId: 'a',
      country: 'us',
      state: 'NV',
      city: 'Reno',
      title: 'Of another day',
      body,
      fingerprint: fingerprintOf(body),
    };
    await recording.commands.handle(thread, threadId, () => [{ type: 'ThreadStarted', data: started }], BY_TEST, {
      now: new Date(Date.now() - 25 * HOUR_ms).toISOString(),
    });
    await expect
      .poll(async () => (await pool.query('select from rm.community_posts where thread_id = $1', [threadId])).rowCount)
      .toBe(1);
    expect((await reply(member, body)).status).toBe(201);
  });
  test('under an Idempotency-Key are answered as they were', async () => {
    const [member, body, key] = [await recording.member(), newWords(), { 'idempotency-key': randomUUID() }];
    const [first, again] = [await start(member, body, key), await start(member, body, key)];
    expect([first.status, again.status, again.body]).toEqual([201, 201, first.body]);
  });
});

describe('a post that broke off between its admission and its thread', () => {
  async function admitted(person: Person, threadId: string, text: string): Promise<void> {
    const member = {
      accountId: person.user.id,
      emailVerified: true,
      isModerator: false,
      registeredAt: new Date(0).toISOString(),
    };
    const words = { body: text, fingerprint: fingerprintOf(text), links: 0 };
    await recording.commands.handle(
      author,
      person.user.id,
      (state, context) => admitPost({ member, threadId, words }, state, context),
      BY_TEST,
    );
  }
  test('is posted when it is tried again, once, and counts once', async () => {
    const [member, body] = [await recording.member(), newWords()];
    await admitted(member, open, body);
    expect((await reply(member, body)).status).toBe(201);
    expect(await reply(member, body)).toMatchObject(DUPLICATE);
    expect(await admissionsOf(member)).toHaveLength(1);
  });
  test('starts the thread it was to start', async () => {
    const [member, body, threadId] = [await recording.member(), newWords(), randomUUID()];
    await admitted(member, threadId, body);
    const answers = await Promise.all([start(member, body), start(member, body)]);
    expect(statusesOf(answers)).toEqual([201, 409]);
    expect(idOf(answers.find(({ status }) => status === 201) as Answer)).toBe(threadId);
    expect(await admissionsOf(member)).toHaveLength(1);
  });
  test('is tried again when the hour is full', async () => {
    const newcomer = await recording.member({ age_ms: HOUR_ms });
    const body = newWords();
    await admitted(newcomer, open, body);
    for (let index = 1; index < POSTS_PER_HOUR.newAccount; index += 1)
      expect((await reply(newcomer, newWords())).status).toBe(201);
    expect((await reply(newcomer, newWords())).body['code']).toBe('TOO_MANY_POSTS');
    expect((await reply(newcomer, body)).status).toBe(201);
  });
});

test('before there is a read model nothing counts as posted', async () => {
  const database = await createTestDatabase();
  const empty = new Pool({ connectionString: database.connectionString, max: 1 });
  expect(await createCommunityDirectory({ pool: empty }).isPosted('f', new Date(0))).toBe(false);
  await empty.query('create schema rm');
  expect(await createCommunityDirectory({ pool: empty }).isPosted('f', new Date(0))).toBe(false);
  await empty.end();
  await expect(createCommunityDirectory({ pool: empty }).isPosted('f', new Date(0))).rejects.toThrow();
  await database.drop();
});
