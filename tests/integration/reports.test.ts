import { randomUUID } from 'node:crypto';
import { article, findPost, report, thread, type ArticleEvent } from '@alpenglow/domain';
import { beforeAll, describe, expect, test } from 'vitest';
import type { ApiResponse, Person } from '../support/api.ts';
import { TEST_ORIGIN } from '../support/recording.ts';
import { testApi, testPool, testProduct, testRecording } from '../support/fixtures.ts';

const product = testProduct();
const api = testApi(product);
const recording = testRecording(product);
const pool = testPool(product, 2);
let anna: Person;
let admin: Person;

beforeAll(async () => {
  [anna, admin] = await Promise.all([recording.member(), recording.member({ email: 'admin@example.com' })]);
});

const FILED = {
  status: 201,
  body: {
    success: true,
    message: 'Thank you. We will look into it.',
    data: { reference: expect.stringMatching(/^R-[0-9A-Z]{15}$/u) as string },
  },
};
const SUBJECT_NOT_FOUND = {
  status: 404,
  body: { success: false, code: 'SUBJECT_NOT_FOUND', message: 'This content cannot be reported' },
};
async function startThread(): Promise<string> {
  const body = { state: 'NV', city: 'Reno', title: 'Quiet places to meet', body: `Where? ${randomUUID()}` };
  return (
    (await api.call('POST', '/api/community/threads', { token: anna.token, body })).body['data'] as { id: string }
  ).id;
}
const reply = (threadId: string) =>
  api.call('POST', `/api/community/threads/${threadId}/replies`, {
    token: anna.token,
    body: { body: `Here. ${randomUUID()}` },
  });
const fileReport = (id: string, fields: Record<string, unknown> = {}, person: Person | null = null) =>
  api.call('POST', '/api/reports', {
    body: { subject: { kind: 'post', id }, reason: 'spam', ...fields },
    ...(person && { token: person.token }),
  });
const setHidden = (threadId: string, number: number, hidden: boolean) =>
  api.call('PUT', `/api/admin/community/threads/${threadId}/posts/${number}/hidden`, {
    token: admin.token,
    body: { hidden },
  });
const statusOf = async (threadId: string, number: number) =>
  findPost((await recording.commands.load(thread, threadId)).state?.posts ?? [], number)?.status;
const readEvents = async (type: string, threadId: string) =>
  (
    await pool.query<{ actor: unknown; data: Record<string, unknown> }>(
      `select meta->'actor' as actor, data from es.events where type = $1 and data::text like $2 order by position`,
      [type, `%${threadId}%`],
    )
  ).rows;
const positionOf = ({ headers }: ApiResponse) => headers.get('x-position');

describe('a report', () => {
  test('is filed without a login and without a name, and its text is sealed for the reported person', async () => {
    const id = await startThread();
    const response = await fileReport(`${id}-0`, { text: null, details: 'The same words everywhere.' });
    expect(response).toMatchObject(FILED);
    expect(positionOf(response)).toMatch(/./u);
    const [filed] = await readEvents('ReportFiled', id);
    expect(filed).toMatchObject({
      actor: { kind: 'system', name: 'visitor' },
      data: {
        reporterId: null,
        ownerId: anna.user.id,
        subject: { kind: 'post', id: `${id}-0` },
        reason: 'spam',
        evidence: { stream: `thread-${id}`, revision: 0 },
      },
    });
    expect(JSON.stringify(filed)).not.toContain('The same words');
    await expect
      .poll(
        async () =>
          (
            await pool.query<{ text: string }>('select text from rm.reports where report_id = $1', [
              filed?.data['reportId'],
            ])
          ).rows,
      )
      .toEqual([{ text: 'The same words everywhere.' }]);
    expect(await statusOf(id, 0)).toBe('visible');
  });
  test('of a signed-in person contains the account, and its text is sealed', async () => {
    const [id, ben] = [await startThread(), await recording.member({ verify: false })];
    expect(await fileReport(`${id}-0`, { reason: 'other', details: 'Quixotic marmalade.' }, ben)).toMatchObject(FILED);
    const [filed] = await readEvents('ReportFiled', id);
    expect(filed).toMatchObject({
      actor: { kind: 'account', accountId: ben.user.id },
      data: { reporterId: ben.user.id, reason: 'other' },
    });
    expect(JSON.stringify(filed)).not.toContain('marmalade');
    const { state } = await recording.commands.load(report, String(filed?.data['reportId']));
    expect(state).not.toBeNull();
  });
  test('for a reason about danger hides a post at once, in the name of the system', async () => {
    const id = await startThread();
    await reply(id);
    const response = await fileReport(`${id}-1`, { reason: 'under_age' });
    expect(response).toMatchObject(FILED);
    expect([await statusOf(id, 0), await statusOf(id, 1)]).toEqual(['visible', 'hidden']);
    // Both the request and the job `settle-case` try to hide the post. The event names the faster one as its actor.
    expect(await readEvents('PostHidden', id)).toMatchObject([
      {
        actor: { kind: 'system', name: expect.stringMatching(/^(?:report|settle-case)$/u) as string },
        data: { number: 1, by: 'report' },
      },
    ]);
    await expect
      .poll(
        async () =>
          (
            await pool.query<Record<string, unknown>>(
              'select status, hidden_by from rm.community_posts where post_id = $1',
              [`${id}-1`],
            )
          ).rows,
      )
      .toEqual([{ status: 'hidden', hidden_by: 'report' }]);
  });
  test('for another reason does not hide the post', async () => {
    const id = await startThread();
    expect(await fileReport(`${id}-0`, { reason: 'illegal' })).toMatchObject(FILED);
    expect(await statusOf(id, 0)).toBe('visible');
  });
  test('of an opening post hides its thread', async () => {
    const id = await startThread();
    await fileReport(`${id}-0`, { reason: 'forced' });
    expect((await reply(id)).body['code']).toBe('THREAD_NOT_FOUND');
  });
  test('has the same effect once and several times, also in parallel', async () => {
    const id = await startThread();
    const responses = await Promise.all(
      Array.from({ length: 8 }, () => fileReport(`${id}-0`, { reason: 'under_age' })),
    );
    for (const response of responses) expect([201, 404]).toContain(response.status);
    expect(responses.some(({ status }) => status === 201)).toBe(true);
    expect(await readEvents('PostHidden', id)).toHaveLength(1);
    expect(await fileReport(`${id}-0`, { reason: 'under_age' })).toMatchObject(SUBJECT_NOT_FOUND);
  });
  test('hides no post that a moderator has decided to keep', async () => {
    const id = await startThread();
    await fileReport(`${id}-0`, { reason: 'my_content' });
    await setHidden(id, 0, false);
    expect(await fileReport(`${id}-0`, { reason: 'my_content' })).toMatchObject(FILED);
    expect(await statusOf(id, 0)).toBe('visible');
    expect(await readEvents('ReportFiled', id)).toHaveLength(2);
  });
  test('of a post that is hidden, deleted, unknown or in a hidden thread is rejected with 404', async () => {
    const id = await startThread();
    for (let count = 0; count < 3; count += 1) await reply(id);
    await setHidden(id, 1, true);
    await api.call('DELETE', `/api/community/threads/${id}/posts/2`, { token: anna.token });
    for (const post of [
      `${id}-1`,
      `${id}-2`,
      `${id}-4`,
      `${id}-99`,
      id,
      `${id}-x`,
      `${randomUUID()}-0`,
      '-0',
      'x',
      '\u0000',
    ])
      expect(await fileReport(post, { reason: 'forced' }), post).toMatchObject(SUBJECT_NOT_FOUND);
    await setHidden(id, 0, true);
    expect(await fileReport(`${id}-3`)).toMatchObject(SUBJECT_NOT_FOUND);
    expect(await readEvents('ReportFiled', id)).toEqual([]);
  });
  test.each([
    [{ reason: 'bored' }, 'Please choose a reason'],
    [{ details: 'x'.repeat(2_001) }, 'Details must be at most 2000 characters'],
  ])('with %j is rejected', async (fields, message) => {
    expect(await fileReport('x-0', fields)).toMatchObject({ status: 400, body: { code: 'INVALID_FIELDS', message } });
  });
});

describe('a report of an article', () => {
  const articleDrafted = (articleId: string): ArticleEvent => ({
    type: 'ArticleDrafted',
    data: {
      articleId,
      title: 'Meeting safely',
      summary: 'How',
      body: 'So.',
      state: null,
      city: null,
      tags: [],
      cover: null,
    },
  });
  const appendEvents = (articleId: string, ...events: readonly ArticleEvent[]) =>
    recording.commands.handle(article, articleId, () => events, TEST_ORIGIN);

  test('is filed if it is published, and does not hide it', async () => {
    await appendEvents('reported', articleDrafted('reported'), {
      type: 'ArticlePublished',
      data: { articleId: 'reported' },
    });
    expect(await fileReport('', { subject: { kind: 'article', id: 'reported' }, reason: 'my_content' })).toMatchObject(
      FILED,
    );
    expect((await recording.commands.load(article, 'reported')).state?.status).toBe('published');
  });
  test('that is a draft, withdrawn or unknown is rejected with 404', async () => {
    await appendEvents('a-draft', articleDrafted('a-draft'));
    await appendEvents(
      'withdrawn',
      articleDrafted('withdrawn'),
      { type: 'ArticlePublished', data: { articleId: 'withdrawn' } },
      { type: 'ArticleWithdrawn', data: { articleId: 'withdrawn', reason: null } },
    );
    for (const id of ['a-draft', 'withdrawn', 'nothing', 'No Slug', '../x'])
      expect(await fileReport('', { subject: { kind: 'article', id } }), id).toMatchObject(SUBJECT_NOT_FOUND);
  });
});
