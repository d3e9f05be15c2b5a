import { randomUUID } from 'node:crypto';
import { author, findPost, countPosts, POSTS_PER_HOUR, thread } from '@alpenglow/domain';
import { admitPost } from '@alpenglow/domain/deciders';
import { createCommunityDirectory } from '@alpenglow/infra';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { computeFingerprint } from '../../command-api/src/routes/community/fingerprint.ts';
import type { ApiResponse, Person } from '../support/api.ts';
import { createTestPool, createTestDatabase } from '../support/database.ts';
import { TEST_ORIGIN } from '../support/recording.ts';
import { testApi, testPool, testProduct, testRecording } from '../support/fixtures.ts';

const product = testProduct();
const api = testApi(product);
const recording = testRecording(product);
const pool = testPool(product, 2);
let admin: Person;
/** Id of a thread to which tests post replies. */
let openThreadId: string;

beforeAll(async () => {
  admin = await recording.member({ email: 'admin@example.com' });
  openThreadId = idOf(await start(admin, uniqueText()));
});

const HOUR_ms = 60 * 60_000;
const DUPLICATE = {
  status: 409,
  body: { success: false, code: 'DUPLICATE_TEXT', message: 'This text was already posted' },
};
const uniqueText = () => `Something new: ${randomUUID()}.`;
const idOf = ({ body }: ApiResponse) => (body['data'] as { id: string }).id;
const start = ({ token }: Person, body: string, headers?: Record<string, string>) =>
  api.call('POST', '/api/community/threads', {
    token,
    body: { state: 'NV', city: 'Las Vegas', title: 'Quiet places to meet', body },
    ...(headers && { headers }),
  });
const reply = ({ token }: Person, body: string, threadId = openThreadId) =>
  api.call('POST', `/api/community/threads/${threadId}/replies`, { token, body: { body } });
const edit = ({ token }: Person, threadId: string, number: number, body: string) =>
  api.call('PUT', `/api/community/threads/${threadId}/posts/${number}`, { token, body: { body } });
const statusesOf = (responses: readonly ApiResponse[]) => responses.map(({ status }) => status).sort();
const admissionsOf = async (person: Person) =>
  (await recording.commands.load(author, person.user.id)).state.recentAdmissions;
async function readFingerprints(threadId: string): Promise<readonly string[]> {
  const posts = (await recording.commands.load(thread, threadId)).state?.posts ?? [];
  return Array.from({ length: countPosts(posts) }, (_, number) => findPost(posts, number)?.fingerprint ?? '');
}
/** Waits until the read model contains the post that a response returned. */
const waitForPost = async (response: ApiResponse) => {
  const { id, number } = response.body['data'] as { id: string; number: number };
  await expect
    .poll(
      async () => (await pool.query('select from rm.community_posts where post_id = $1', [`${id}-${number}`])).rowCount,
    )
    .toBe(1);
};

/** Stops the clock until the end of the test, so that messages contain the whole time of a limit. */
function stopClock(): void {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
}

describe('limits of an account', () => {
  test('reject posts of an account younger than ten minutes and return the remaining time', async () => {
    stopClock();
    const newAccount = await api.signUp('client');
    const rejected = await start(newAccount, uniqueText());
    expect(rejected).toMatchObject({
      status: 403,
      body: { code: 'ACCOUNT_TOO_NEW', message: 'New accounts can post after 10 minutes. Please try again in 10 min.' },
    });
    expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThan(500);
    expect((await reply(newAccount, uniqueText())).body['code']).toBe('ACCOUNT_TOO_NEW');
  });
  test('reject posts without a verified e-mail', async () => {
    const unverified = await recording.member({ verify: false });
    for (const response of [await start(unverified, uniqueText()), await reply(unverified, uniqueText())])
      expect(response).toMatchObject({
        status: 403,
        body: { code: 'VERIFICATION_REQUIRED', message: 'Please verify your e-mail first' },
      });
    expect(await admissionsOf(unverified)).toEqual([]);
  });
  test(`allow ${POSTS_PER_HOUR.newAccount} threads and replies per hour for a new account`, async () => {
    stopClock();
    const newcomer = await recording.member({ age_ms: HOUR_ms });
    expect((await start(newcomer, uniqueText())).status).toBe(201);
    const responses = await Promise.all(Array.from({ length: 12 }, () => reply(newcomer, uniqueText())));
    expect(statusesOf(responses)).toEqual([201, 201, 201, 201, ...Array.from({ length: 8 }, () => 429)]);
    const rejected = responses.find(({ status }) => status === 429);
    expect(rejected?.body).toMatchObject({
      code: 'TOO_MANY_POSTS',
      message: 'You can post 5 times an hour. Please try again in 60 min.',
    });
    expect(Number(rejected?.headers.get('retry-after'))).toBeGreaterThan(3_000);
    expect(await admissionsOf(newcomer)).toHaveLength(POSTS_PER_HOUR.newAccount);
  });
  test('count the links of a thread, a reply and an edit', async () => {
    const links = (count: number) =>
      Array.from({ length: count }, () => `https://example.com/${randomUUID()}`).join(' and ');
    const newcomer = await recording.member({ age_ms: HOUR_ms });
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
  });
});

describe('the same text', () => {
  test('creates one thread or one reply for two concurrent requests', async () => {
    const member = await recording.member();
    for (const post of [start, (person: Person, body: string) => reply(person, body)]) {
      const body = uniqueText();
      const responses = await Promise.all([post(member, body), post(member, body)]);
      expect(statusesOf(responses)).toEqual([201, 409]);
      expect(responses.find(({ status }) => status === 409)).toMatchObject(DUPLICATE);
    }
    const { rows } = await pool.query(
      `select from es.events where type = 'ThreadStarted' and data->>'accountId' = $1`,
      [member.user.id],
    );
    expect(rows).toHaveLength(1);
  });
  test('creates one reply for ten concurrent requests', async () => {
    const [member, body] = [await recording.member(), uniqueText()];
    const responses = await Promise.all(Array.from({ length: 10 }, () => reply(member, body)));
    expect(statusesOf(responses)).toEqual([201, ...Array.from({ length: 9 }, () => 409)]);
    expect(
      (await readFingerprints(openThreadId)).filter((fingerprint) => fingerprint === computeFingerprint(body)),
    ).toHaveLength(1);
  });
  test('is rejected in any thread, also after the post was deleted', async () => {
    const [member, body] = [await recording.member(), uniqueText()];
    const first = await reply(member, body);
    const { id, number } = first.body['data'] as { id: string; number: number };
    for (const again of [
      await reply(member, body),
      await start(member, body),
      await reply(member, body, idOf(await start(member, uniqueText()))),
    ])
      expect(again).toMatchObject(DUPLICATE);
    await api.call('DELETE', `/api/community/threads/${id}/posts/${number}`, { token: member.token });
    expect(await reply(member, body)).toMatchObject(DUPLICATE);
  });
  test('is recognized with other formatting and in capitals', async () => {
    const [member, body] = [await recording.member(), uniqueText()];
    expect((await reply(member, body)).status).toBe(201);
    expect(await reply(member, `> **${body.toUpperCase()}**`)).toMatchObject(DUPLICATE);
  });
  test('of another account is rejected if it is long, even in a hidden post, and accepted if short', async () => {
    const [one, other] = [await recording.member(), await recording.member()];
    const long = uniqueText();
    const first = await reply(one, long);
    await waitForPost(first);
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
    await waitForPost(await reply(one, short));
    expect((await reply(other, short)).status).toBe(201);
  });
  test('is accepted again after a day', async () => {
    const [member, other, body] = [await recording.member(), await recording.member(), uniqueText()];
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
      fingerprint: computeFingerprint(body),
    };
    await recording.commands.handle(thread, threadId, () => [{ type: 'ThreadStarted', data: started }], TEST_ORIGIN, {
      now: new Date(Date.now() - 25 * HOUR_ms).toISOString(),
    });
    await expect
      .poll(async () => (await pool.query('select from rm.community_posts where thread_id = $1', [threadId])).rowCount)
      .toBe(1);
    expect((await reply(member, body)).status).toBe(201);
  });
});

describe('a post that was interrupted between its admission and its thread', () => {
  async function admit(person: Person, threadId: string, text: string): Promise<void> {
    const member = {
      accountId: person.user.id,
      emailVerified: true,
      isModerator: false,
      registeredAt: new Date(0).toISOString(),
    };
    const content = { body: text, fingerprint: computeFingerprint(text), links: 0 };
    await recording.commands.execute(author, person.user.id, admitPost, { member, threadId, content }, TEST_ORIGIN);
  }
  test('is posted once and counted once when it is repeated', async () => {
    const [member, body] = [await recording.member(), uniqueText()];
    await admit(member, openThreadId, body);
    expect((await reply(member, body)).status).toBe(201);
    expect(await reply(member, body)).toMatchObject(DUPLICATE);
    expect(await admissionsOf(member)).toHaveLength(1);
  });
  test('starts its thread when it is repeated', async () => {
    const [member, body, threadId] = [await recording.member(), uniqueText(), randomUUID()];
    await admit(member, threadId, body);
    const responses = await Promise.all([start(member, body), start(member, body)]);
    expect(statusesOf(responses)).toEqual([201, 409]);
    expect(idOf(responses.find(({ status }) => status === 201) as ApiResponse)).toBe(threadId);
    expect(await admissionsOf(member)).toHaveLength(1);
  });
  test('can be repeated after the hourly limit is reached', async () => {
    const newcomer = await recording.member({ age_ms: HOUR_ms });
    const body = uniqueText();
    await admit(newcomer, openThreadId, body);
    for (let index = 1; index < POSTS_PER_HOUR.newAccount; index += 1)
      expect((await reply(newcomer, uniqueText())).status).toBe(201);
    expect((await reply(newcomer, uniqueText())).body['code']).toBe('TOO_MANY_POSTS');
    expect((await reply(newcomer, body)).status).toBe(201);
  });
});

test('treats no text as posted while the read model does not exist', async () => {
  const database = await createTestDatabase();
  const empty = createTestPool(database.connectionString, 1);
  expect(await createCommunityDirectory({ pool: empty }).isPosted('f', new Date(0))).toBe(false);
  await empty.query('create schema rm');
  expect(await createCommunityDirectory({ pool: empty }).isPosted('f', new Date(0))).toBe(false);
  await empty.end();
  await expect(createCommunityDirectory({ pool: empty }).isPosted('f', new Date(0))).rejects.toThrow();
  await database.drop();
});
