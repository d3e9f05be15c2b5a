import {
  article,
  createThreadCode,
  type ArticleEvent,
  type ArticleState,
  type ResponseOf,
  type ThreadView,
  type Decision,
} from '@alpenglow/domain';
import {
  deletePost,
  draftArticle,
  hidePost,
  pinThread,
  publishArticle,
  restorePost,
  withdrawArticle,
} from '@alpenglow/domain/deciders';
import { beforeAll, describe, expect, test } from 'vitest';
import { after, type Person } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { TEST_ORIGIN } from '../support/recording.ts';
import { isFullRun } from '../support/sample.ts';
import { threadRecorder, waitForReadModels, type ThreadRecorder } from '../support/threads.ts';
import { testApi, testProduct, testRecording } from '../support/fixtures.ts';

const product = testProduct();
const api = testApi(product);
const recording = testRecording(product);
let threads: ThreadRecorder;
let author: Person;
/** Position of the last write in the event log. Reads wait until they include this write. */
let position: string;

beforeAll(async () => {
  threads = threadRecorder(recording);
  author = await api.signUp('client');
});

const headers = () => after(position);
const hours = (count: number) => new Date(Date.UTC(2026, 9, 1) + count * 3_600_000).toISOString();

async function search(q: string, parameters = ''): Promise<ResponseOf<'search'>['data']> {
  await waitForReadModels(product.url);
  const { status, body } = await api.call('GET', `/api/search?q=${encodeURIComponent(q)}${parameters}`, {
    headers: headers(),
  });
  if (status !== 200) throw new Error(`${q} returned ${status}: ${JSON.stringify(body)}`);
  return (body as unknown as ResponseOf<'search'>).data;
}
const findThreads = async (q: string) => (await search(q, '&limit=20')).threads.data.map(({ id }) => id);

async function decideArticle(slug: string, decide: Decision<ArticleState, ArticleEvent>): Promise<void> {
  position = (await recording.commands.handle(article, slug, decide, TEST_ORIGIN)).position ?? '';
}

/** Drafts and publishes an article. */
async function publish(slug: string, title: string, body: string): Promise<void> {
  const place = { state: null, city: null };
  const fields = {
    title,
    summary: `About ${title}`,
    body,
    language: 'en' as const,
    ...place,
    tags: ['safety'],
    cover: null,
  };
  await decideArticle(slug, (state, context) => draftArticle({ articleId: slug, fields }, state, context));
  await recording.commands
    .execute(article, slug, publishArticle, { publishAt: null }, TEST_ORIGIN)
    .then((handled) => (position = handled.position ?? ''));
}

describe('GET /search', () => {
  let lake: string;
  let boats: string;
  beforeAll(async () => {
    lake = (
      await threads.start({ title: 'Evenings by the lake', body: 'Which **benches** do you like?', at: hours(0) })
    ).id;
    boats = (await threads.start({ title: 'Boats', body: 'Who rows?', at: hours(1) })).id;
    await threads.reply(
      boats,
      1,
      [{ body: 'On the lake in the evening, always.' }, { body: 'The lake again.' }],
      hours(2),
    );
    await publish('lakes-in-winter', 'Lakes in winter', 'A walk around **frozen water**.');
    await publish('rivers', 'Rivers', 'They end in a lake.');
    const provider = await api.signUp('provider');
    position = (await api.postAd(provider.token, { title: 'Lake company' })).position;
  });

  test('finds threads, articles and ads and returns each kind separately', async () => {
    const { threads: matches, articles, ads } = await search('lake');
    // Matches in opening posts come before matches in replies. Matches in titles come before matches in texts.
    expect(matches).toMatchObject({
      data: [
        { id: lake, title: 'Evenings by the lake' },
        { id: boats, replyCount: 2 },
      ],
      total: 2,
    });
    expect(articles).toMatchObject({ data: [{ slug: 'lakes-in-winter' }, { slug: 'rivers' }], total: 2 });
    expect(ads).toMatchObject({ data: [{ title: 'Lake company' }], total: 1 });
  });

  test('finds the same ads as GET /ads', async () => {
    const listed = (await api.call('GET', '/api/ads?q=lake&details=false')).body as unknown as ResponseOf<'listAds'>;
    expect((await search('lake')).ads.data).toEqual(listed.data);
  });

  test.each([
    ['a beginning of a word', 'benc', () => [lake]],
    ['text without Markdown markup', 'benches do', () => [lake]],
    ['several words that one post contains', 'lake always', () => [boats]],
    ['nothing if the words are in different posts', 'rows always', () => []],
    ['upper case and accents', 'LÄKE ÉVENING', () => [lake, boats]],
    ['a word next to ignored operators', `lake | & ! :* ' "`, () => [lake, boats]],
    ['nothing for an unused word', 'submarine', () => []],
  ])('matches %s', async (_what, q, expected) => {
    expect(await findThreads(q)).toEqual(expected());
  });

  test('lists threads with the words in their titles first', async () => {
    const titled = await threads.start({ title: 'A lantern walk', body: 'Who joins?', at: hours(3) });
    const opened = await threads.start({ title: 'A night out', body: 'Bring a lantern.', at: hours(4) });
    expect(await findThreads('lantern')).toEqual([titled.id, opened.id]);
  });

  test('limits the results of each kind and returns the totals', async () => {
    const { threads: matches, articles } = await search('lake', '&limit=1');
    expect([matches.data.length, matches.total, articles.data.length, articles.total]).toEqual([1, 2, 1, 2]);
    for (const query of ['&limit=0', '&limit=21', '&limit=x'])
      expect((await api.call('GET', `/api/search?q=lake${query}`)).status, query).toBe(400);
    expect((await api.call('GET', `/api/search?q=${'x'.repeat(101)}`)).status).toBe(400);
    expect((await api.call('GET', '/api/search?q=a%00b')).status).toBe(400);
  });

  test.each(['', ' ', '…', '🌸'])('finds nothing for "%s"', async (q) => {
    const nothing = { data: [], total: 0 };
    expect(await search(q)).toEqual({ threads: nothing, articles: nothing, ads: nothing });
  });

  test.each([
    ['Hebrew', 'בתי קפה שקטים', 'איפה נעים לשבת בערב?', 'נעים'],
    ['Arabic', 'مقاهٍ هادئة', 'أين تحبون الجلوس مساءً؟', 'الجلوس'],
    ['emoji', 'Cherry trees 🌸🌸', 'Who knows a 👩🏽‍🌾 who sells blossoms 🌸?', 'blossoms'],
    ['a script without spaces', '静かな場所', '夕方に散歩', '夕方'],
  ])('finds and returns text unchanged: %s', async (_what, title, body, q) => {
    const { id, position: at } = await threads.start({ title, body });
    position = at;
    expect(await findThreads(q)).toEqual([id]);
    const { body: read } = await api.call('GET', `/api/community/threads/${id}`);
    const thread = read['data'] as ThreadView;
    expect(thread.title).toBe(title);
    expect(thread.excerpt).toBe(body);
    expect((await api.call('GET', `/api/community/threads/${thread.slug}`)).body['data']).toMatchObject({ id });
  });
});

describe('the text of hidden and deleted content', () => {
  const PLACE = { state: 'CA', city: 'Fresno' };
  const apiPaths = (secret: string, id: string) => [
    '/api/community/threads?limit=100',
    '/api/community/threads?state=CA&city=fresno',
    '/api/community/threads?sort=active',
    `/api/community/threads/${id}`,
    `/api/community/threads/${id}?post=last`,
    `/api/search?q=${secret}`,
  ];
  const ownPages = (id: string) => [`/community/${id}`, `/community/us/ca/fresno/x-${createThreadCode(id)}`];
  const pagePaths = (id: string) => ['/community', '/community/us/ca/fresno', ...ownPages(id)];

  /** Returns the paths whose responses contain the text `secret`. */
  async function pathsWith(secret: string, paths: readonly string[]): Promise<readonly string[]> {
    await waitForReadModels(product.url);
    const matches = await Promise.all(
      paths.map(async (path) => {
        const response = await fetch(`${product.url}${path}`, { headers: { ...headers(), accept: 'text/html' } });
        return (await response.text()).includes(secret) ? path : null;
      }),
    );
    return matches.filter((path) => path !== null);
  }

  /**
   * Checks that no response contains the text `secret`. Pages may be outdated for a short time, because they are
   * cached.
   */
  async function expectNowhere(secret: string, id: string): Promise<void> {
    expect(await pathsWith(secret, apiPaths(secret, id)), secret).toEqual([]);
    expect(await findThreads(secret), secret).toEqual([]);
    await eventually(async () => expect(await pathsWith(secret, pagePaths(id)), secret).toEqual([]));
  }

  test('is removed everywhere while the thread is hidden', async () => {
    const { id } = await threads.start({ title: 'A zyzzyva here', body: 'Have you seen the zyzzyva?', place: PLACE });
    position = await threads.happen(id, (state, context) => pinThread({ isPinned: true }, state, context));
    expect(await pathsWith('zyzzyva', apiPaths('zyzzyva', id))).toEqual(apiPaths('zyzzyva', id));
    await eventually(async () =>
      expect(await pathsWith('zyzzyva', pagePaths(id))).toEqual(expect.arrayContaining(ownPages(id))),
    );
    position = await threads.happen(id, (state, context) =>
      hidePost({ number: 0, by: 'moderator', reason: null }, state, context),
    );
    await expectNowhere('zyzzyva', id);
    position = await threads.happen(id, (state, context) => restorePost({ number: 0 }, state, context));
    expect(await pathsWith('zyzzyva', apiPaths('zyzzyva', id))).toEqual(apiPaths('zyzzyva', id));
    expect(await findThreads('zyzzyva')).toEqual([id]);
    await eventually(async () =>
      expect(await pathsWith('zyzzyva', pagePaths(id))).toEqual(expect.arrayContaining(ownPages(id))),
    );
  });

  test('is removed everywhere when the reply is hidden or deleted, or its thread is hidden', async () => {
    const { id } = await threads.start({ title: 'Plain', place: PLACE });
    const secrets = { hidden: 'quokkas', deleted: 'numbats', quoted: 'wombats' };
    position = await threads.reply(id, 1, [
      { body: `About ${secrets.hidden}` },
      { accountId: author.user.id, body: `About ${secrets.deleted}` },
      { body: `About ${secrets.quoted}` },
      { body: 'Indeed', quotedNumber: 3 },
    ]);
    for (const word of Object.values(secrets))
      expect(await pathsWith(word, apiPaths(word, id)), word).toContain(`/api/community/threads/${id}`);
    await threads.happen(id, (state, context) => hidePost({ number: 1, by: 'report', reason: null }, state, context));
    await threads.happen(id, (state, context) =>
      deletePost({ number: 2, member: { accountId: author.user.id, emailVerified: true } }, state, context),
    );
    position = await threads.happen(id, (state, context) =>
      hidePost({ number: 3, by: 'moderator', reason: null }, state, context),
    );
    for (const word of Object.values(secrets)) await expectNowhere(word, id);
    position = await threads.happen(id, (state, context) => restorePost({ number: 1 }, state, context));
    expect(await findThreads(secrets.hidden)).toEqual([id]);
    position = await threads.happen(id, (state, context) =>
      hidePost({ number: 0, by: 'moderator', reason: null }, state, context),
    );
    expect(await findThreads(secrets.hidden)).toEqual([]);
    expect(await findThreads('indeed')).toEqual([]);
  });

  test('is removed everywhere for a deleted opening post, whose replies are only on its page', async () => {
    const { id } = await threads.start({
      accountId: author.user.id,
      title: 'An axolotl',
      body: 'More of the axolotl',
      place: PLACE,
    });
    position = await threads.reply(id, 1, [{ body: 'Salamanders, too' }]);
    position = await threads.happen(id, (state, context) =>
      deletePost({ number: 0, member: { accountId: author.user.id, emailVerified: true } }, state, context),
    );
    await expectNowhere('axolotl', id);
    expect(await pathsWith('Salamanders', apiPaths('salamanders', id))).toEqual([
      `/api/community/threads/${id}`,
      `/api/community/threads/${id}?post=last`,
    ]);
    expect(await findThreads('salamanders')).toEqual([]);
  });

  // This test is slow, because it waits until cached pages and feeds expire.
  if (isFullRun)
    test('is absent everywhere before an article is published and after it was withdrawn', async () => {
      const apiCalls = ['/api/blog/articles', '/api/search?q=okapi', '/api/blog/articles/a-rare-animal'];
      const pages = ['/blog', '/blog/a-rare-animal', '/blog/rss.xml', '/blog/atom.xml'];
      const fields = {
        title: 'The okapi',
        summary: 'Of okapis',
        body: 'An okapi walks in the wood.',
        language: 'en' as const,
        state: null,
        city: null,
        tags: ['okapis'],
        cover: null,
      };
      await decideArticle('a-rare-animal', (state, context) =>
        draftArticle({ articleId: 'a-rare-animal', fields }, state, context),
      );
      expect(await pathsWith('okapi', [...apiCalls, ...pages])).toEqual([]);
      position =
        (await recording.commands.execute(article, 'a-rare-animal', publishArticle, { publishAt: null }, TEST_ORIGIN))
          .position ?? '';
      expect(await pathsWith('okapi', apiCalls)).toEqual(apiCalls);
      // Feeds are cached longer than pages, so the test polls.
      await eventually(async () =>
        expect(await pathsWith('okapi', pages)).toEqual(expect.arrayContaining(pages.slice(1))),
      );
      expect((await search('okapi')).articles.total).toBe(1);
      await decideArticle('a-rare-animal', (state, context) => withdrawArticle({ reason: null }, state, context));
      expect(await pathsWith('okapi', apiCalls)).toEqual([]);
      await eventually(async () => expect(await pathsWith('okapi', pages)).toEqual([]));
      expect((await search('okapi')).articles).toEqual({ data: [], total: 0 });
    });
});
