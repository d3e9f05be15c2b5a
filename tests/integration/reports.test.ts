import { randomUUID } from 'node:crypto';
import { article, postAt, report, thread, type ArticleEvent } from '@alpenglow/domain';
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
let admin: Person;

beforeAll(async () => {
  product = await startTestProduct();
  api = apiClient(product.url);
  recording = await openRecording(product);
  pool = new Pool({ connectionString: product.databaseUrl, max: 2 });
  [anna, admin] = await Promise.all([recording.member(), recording.member({ email: 'admin@example.com' })]);
});
afterAll(async () => {
  await pool.end();
  await recording.close();
  await product.stop();
});

const FILED = {
  status: 201,
  body: {
    success: true,
    message: 'Thank you. We will look into it.',
    data: { reference: expect.stringMatching(/^R-[0-9A-Z]{8}$/u) as string },
  },
};
const NOTHING = {
  status: 404,
  body: { success: false, code: 'SUBJECT_NOT_FOUND', message: 'There is nothing here to report' },
};
async function started(): Promise<string> {
  const body = { state: 'NV', city: 'Reno', title: 'Quiet places to meet', body: `Where? ${randomUUID()}` };
  return (
    (await api.call('POST', '/api/community/threads', { token: anna.token, body })).body['data'] as { id: string }
  ).id;
}
const replied = (threadId: string) =>
  api.call('POST', `/api/community/threads/${threadId}/replies`, {
    token: anna.token,
    body: { body: `Here. ${randomUUID()}` },
  });
const reporting = (id: string, fields: Record<string, unknown> = {}, person: Person | null = null) =>
  api.call('POST', '/api/reports', {
    body: { subject: { kind: 'post', id }, reason: 'spam', ...fields },
    ...(person && { token: person.token }),
  });
const hiding = (threadId: string, number: number, hidden: boolean) =>
  api.call('PUT', `/api/admin/community/threads/${threadId}/posts/${number}/hidden`, {
    token: admin.token,
    body: { hidden },
  });
const statusOf = async (threadId: string, number: number) =>
  postAt((await recording.commands.load(thread, threadId)).state?.posts ?? [], number)?.status;
const eventsOf = async (type: string, threadId: string) =>
  (
    await pool.query<{ actor: unknown; data: Record<string, unknown> }>(
      `select meta->'actor' as actor, data from es.events where type = $1 and data::text like $2 order by position`,
      [type, `%${threadId}%`],
    )
  ).rows;
const after = ({ headers }: Answer) => headers.get('x-position');

describe('a report', () => {
  test('is filed without a login, and nobody is named; the words are sealed for whom they are about', async () => {
    const id = await started();
    const answer = await reporting(`${id}-0`, { details: 'The same words everywhere.' });
    expect(answer).toMatchObject(FILED);
    expect(after(answer)).toMatch(/./u);
    const [filed] = await eventsOf('ReportFiled', id);
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
  test('of somebody who is signed in is theirs; their words are sealed', async () => {
    const [id, ben] = [await started(), await recording.member({ verify: false })];
    expect(await reporting(`${id}-0`, { reason: 'other', details: 'Quixotic marmalade.' }, ben)).toMatchObject(FILED);
    const [filed] = await eventsOf('ReportFiled', id);
    expect(filed).toMatchObject({
      actor: { kind: 'account', accountId: ben.user.id },
      data: { reporterId: ben.user.id, reason: 'other' },
    });
    expect(JSON.stringify(filed)).not.toContain('marmalade');
    const { state } = await recording.commands.load(report, String(filed?.data['reportId']));
    expect(state).not.toBeNull();
  });
  test('with a session that is over is refused', async () => {
    expect(
      (
        await api.call('POST', '/api/reports', {
          token: 'over',
          body: { subject: { kind: 'post', id: `${await started()}-0` }, reason: 'spam' },
        })
      ).status,
    ).toBe(401);
  });
  test.each(['under_age', 'forced', 'my_content'])(
    'for the reason %s hides a post at once, in no person’s name',
    async (reason) => {
      const id = await started();
      await replied(id);
      const answer = await reporting(`${id}-1`, { reason });
      expect(answer).toMatchObject(FILED);
      expect([await statusOf(id, 0), await statusOf(id, 1)]).toEqual(['visible', 'hidden']);
      expect(await eventsOf('PostHidden', id)).toMatchObject([
        { actor: { kind: 'system', name: 'report' }, data: { number: 1, by: 'report' } },
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
    },
  );
  test.each(['stolen', 'illegal', 'spam', 'other'])(
    'for the reason %s leaves the post to a moderator',
    async (reason) => {
      const id = await started();
      expect(await reporting(`${id}-0`, { reason })).toMatchObject(FILED);
      expect(await statusOf(id, 0)).toBe('visible');
    },
  );
  test('of an opening post takes its thread out of sight', async () => {
    const id = await started();
    await reporting(`${id}-0`, { reason: 'forced' });
    expect((await replied(id)).body['code']).toBe('THREAD_NOT_FOUND');
  });
  test('again and again, and many at once, does no more harm than one', async () => {
    const id = await started();
    const answers = await Promise.all(Array.from({ length: 8 }, () => reporting(`${id}-0`, { reason: 'under_age' })));
    for (const answer of answers) expect([201, 404]).toContain(answer.status);
    expect(answers.some(({ status }) => status === 201)).toBe(true);
    expect(await eventsOf('PostHidden', id)).toHaveLength(1);
    expect(await reporting(`${id}-0`, { reason: 'under_age' })).toMatchObject(NOTHING);
  });
  test('hides nothing a moderator has let stand', async () => {
    const id = await started();
    await reporting(`${id}-0`, { reason: 'my_content' });
    await hiding(id, 0, false);
    expect(await reporting(`${id}-0`, { reason: 'my_content' })).toMatchObject(FILED);
    expect(await statusOf(id, 0)).toBe('visible');
    expect(await eventsOf('ReportFiled', id)).toHaveLength(2);
  });
  test('of a post that is hidden, deleted, in a hidden thread or nowhere finds nothing', async () => {
    const id = await started();
    for (let count = 0; count < 3; count += 1) await replied(id);
    await hiding(id, 1, true);
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
      expect(await reporting(post, { reason: 'forced' }), post).toMatchObject(NOTHING);
    await hiding(id, 0, true);
    expect(await reporting(`${id}-3`)).toMatchObject(NOTHING);
    expect(await eventsOf('ReportFiled', id)).toEqual([]);
  });
  test.each([
    [{ subject: undefined }, 'What do you report?'],
    [{ subject: { kind: 'review', id: 'a' } }, 'What do you report?'],
    [{ subject: { kind: 'post', id: 5 } }, 'What do you report?'],
    [{ reason: 'bored' }, 'Please choose a reason'],
    [{ reason: undefined }, 'Please choose a reason'],
    [{ details: 'x'.repeat(2_001) }, 'Details must be at most 2000 characters'],
    [{ details: 5 }, 'Details must be text'],
  ])('with %j is refused', async (fields, message) => {
    expect(await reporting('x-0', fields)).toMatchObject({ status: 400, body: { code: 'INVALID_FIELDS', message } });
  });
});

describe('a report of an article', () => {
  const drafted = (articleId: string): ArticleEvent => ({
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
  const record = (articleId: string, ...events: readonly ArticleEvent[]) =>
    recording.commands.handle(article, articleId, () => events, BY_TEST);

  test('is filed where it is published, and hides nothing', async () => {
    await record('reported', drafted('reported'), { type: 'ArticlePublished', data: { articleId: 'reported' } });
    expect(await reporting('', { subject: { kind: 'article', id: 'reported' }, reason: 'my_content' })).toMatchObject(
      FILED,
    );
    expect((await recording.commands.load(article, 'reported')).state?.status).toBe('published');
  });
  test('that is a draft, withdrawn or nowhere finds nothing', async () => {
    await record('a-draft', drafted('a-draft'));
    await record(
      'withdrawn',
      drafted('withdrawn'),
      { type: 'ArticlePublished', data: { articleId: 'withdrawn' } },
      { type: 'ArticleWithdrawn', data: { articleId: 'withdrawn', reason: null } },
    );
    for (const id of ['a-draft', 'withdrawn', 'nothing', 'No Slug', '../x'])
      expect(await reporting('', { subject: { kind: 'article', id } }), id).toMatchObject(NOTHING);
  });
});
