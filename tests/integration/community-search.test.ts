import {
  article,
  deletePost,
  draftArticle,
  hidePost,
  pinThread,
  publishArticle,
  restorePost,
  threadCodeOf,
  withdrawArticle,
  type ArticleEvent,
  type ArticleState,
  type AdListAnswer,
  type SearchAnswer,
  type ThreadView,
} from '@alpenglow/domain';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiClient, type ApiClient, type Person } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { BY_TEST, openRecording, type Recording } from '../support/recording.ts';
import { isFullRun } from '../support/sample.ts';
import { threadRecorder, untilRead, type ThreadRecorder } from '../support/threads.ts';

let product: TestProduct;
let api: ApiClient;
let recording: Recording;
let threads: ThreadRecorder;
let author: Person;
/** What reads wait for. */
let position: string;

beforeAll(async () => {
  product = await startTestProduct();
  api = apiClient(product.url);
  recording = await openRecording(product);
  threads = threadRecorder(recording);
  author = await api.signUp('client');
});
afterAll(async () => {
  await recording.close();
  await product.stop();
});

const headers = () => ({ 'x-wait-position': position });
const hours = (count: number) => new Date(Date.UTC(2026, 9, 1) + count * 3_600_000).toISOString();

async function search(q: string, more = ''): Promise<SearchAnswer['data']> {
  await untilRead(product.url, position);
  const { status, body } = await api.call('GET', `/api/search?q=${encodeURIComponent(q)}${more}`, {
    headers: headers(),
  });
  if (status !== 200) throw new Error(`${q} answered ${status}: ${JSON.stringify(body)}`);
  return (body as unknown as SearchAnswer).data;
}
const threadsFound = async (q: string) => (await search(q, '&limit=20')).threads.data.map(({ id }) => id);

async function happenToArticle(slug: string, decide: (state: ArticleState) => readonly ArticleEvent[]): Promise<void> {
  position = (await recording.commands.handle(article, slug, decide, BY_TEST)).position ?? '';
}

/** An article everybody may read. */
async function publish(slug: string, title: string, body: string): Promise<void> {
  const fields = { title, summary: `About ${title}`, body, state: null, city: null, tags: ['safety'], cover: null };
  await happenToArticle(slug, (state) => draftArticle({ articleId: slug, fields }, state));
  await recording.commands
    .handle(article, slug, (state, context) => publishArticle(null, state, context), BY_TEST)
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

  test('finds threads, articles and ads, each kind by itself', async () => {
    const { threads: found, articles, ads } = await search('lake');
    // Opening posts first, then replies; titles first, then texts.
    expect(found).toMatchObject({
      data: [
        { id: lake, title: 'Evenings by the lake' },
        { id: boats, replyCount: 2 },
      ],
      total: 2,
    });
    expect(articles).toMatchObject({ data: [{ slug: 'lakes-in-winter' }, { slug: 'rivers' }], total: 2 });
    expect(ads).toMatchObject({ data: [{ title: 'Lake company' }], total: 1 });
  });

  test('finds the ads GET /ads finds', async () => {
    const listed = (await api.call('GET', '/api/ads?q=lake')).body as unknown as AdListAnswer;
    expect((await search('lake')).ads.data).toEqual(listed.data);
  });

  test.each([
    ['a beginning of a word', 'benc', () => [lake]],
    ['words of Markdown, not its marks', 'benches do', () => [lake]],
    ['all of several words', 'lake always', () => [boats]],
    ['no thread whose words stand in several posts', 'rows always', () => []],
    ['upper case and accents', 'LÄKE ÉVENING', () => [lake, boats]],
    ['signs of a query as nothing', `lake | & ! :* ' "`, () => [lake, boats]],
    ['a word nobody has written', 'submarine', () => []],
  ])('finds by %s', async (_what, q, expected) => {
    expect(await threadsFound(q)).toEqual(expected());
  });

  test('shows so many of each kind as are asked for, and says how many there are', async () => {
    const { threads: found, articles } = await search('lake', '&limit=1');
    expect([found.data.length, found.total, articles.data.length, articles.total]).toEqual([1, 2, 1, 2]);
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
  ])('%s: what is written is found and read as it was written', async (_what, title, body, q) => {
    const { id, position: at } = await threads.start({ title, body });
    position = at;
    expect(await threadsFound(q)).toEqual([id]);
    const { body: read } = await api.call('GET', `/api/community/threads/${id}`);
    const thread = read['data'] as ThreadView;
    expect(thread.title).toBe(title);
    expect(thread.excerpt).toBe(body);
    expect((await api.call('GET', `/api/community/threads/${thread.slug}`)).body['data']).toMatchObject({ id });
  });
});

describe('what is not to be seen', () => {
  const PLACE = { state: 'CA', city: 'Fresno' };
  const inTheApi = (secret: string, id: string) => [
    '/api/community/threads?limit=100',
    '/api/community/threads?state=CA&city=fresno',
    '/api/community/threads?sort=active',
    `/api/community/threads/${id}`,
    `/api/community/threads/${id}?post=last`,
    `/api/search?q=${secret}`,
  ];
  const ownPages = (id: string) => [`/community/${id}`, `/community/us/ca/fresno/x-${threadCodeOf(id)}`];
  const inPages = (id: string) => ['/community', '/community/us/ca/fresno', ...ownPages(id)];

  /** Those of some addresses whose answers hold a secret. */
  async function telling(secret: string, paths: readonly string[]): Promise<readonly string[]> {
    await untilRead(product.url, position);
    const told = await Promise.all(
      paths.map(async (path) => {
        const answer = await fetch(`${product.url}${path}`, { headers: { ...headers(), accept: 'text/html' } });
        return (await answer.text()).includes(secret) ? path : null;
      }),
    );
    return told.filter((path) => path !== null);
  }

  /** Pages are made of answers that are kept for a moment. */
  async function expectToldNowhere(secret: string, id: string): Promise<void> {
    expect(await telling(secret, inTheApi(secret, id)), secret).toEqual([]);
    expect(await threadsFound(secret), secret).toEqual([]);
    await eventually(async () => expect(await telling(secret, inPages(id)), secret).toEqual([]));
  }

  test('of a thread is told nowhere once it is hidden, and again once it is restored', async () => {
    const { id } = await threads.start({ title: 'A zyzzyva here', body: 'Have you seen the zyzzyva?', place: PLACE });
    position = await threads.happen(id, (state) => pinThread(true, state));
    expect(await telling('zyzzyva', inTheApi('zyzzyva', id))).toEqual(inTheApi('zyzzyva', id));
    await eventually(async () =>
      expect(await telling('zyzzyva', inPages(id))).toEqual(expect.arrayContaining(ownPages(id))),
    );
    position = await threads.happen(id, (state) => hidePost({ number: 0, by: 'moderator', reason: null }, state));
    await expectToldNowhere('zyzzyva', id);
    position = await threads.happen(id, (state) => restorePost(0, state));
    expect(await telling('zyzzyva', inTheApi('zyzzyva', id))).toEqual(inTheApi('zyzzyva', id));
    expect(await threadsFound('zyzzyva')).toEqual([id]);
    await eventually(async () =>
      expect(await telling('zyzzyva', inPages(id))).toEqual(expect.arrayContaining(ownPages(id))),
    );
  });

  test('of a reply is told nowhere once it is hidden, deleted, or its thread is hidden', async () => {
    const { id } = await threads.start({ title: 'Plain', place: PLACE });
    const words = { hidden: 'quokkas', deleted: 'numbats', quoted: 'wombats' };
    position = await threads.reply(id, 1, [
      { body: `About ${words.hidden}` },
      { accountId: author.user.id, body: `About ${words.deleted}` },
      { body: `About ${words.quoted}` },
      { body: 'Indeed', quotedNumber: 3 },
    ]);
    for (const word of Object.values(words))
      expect(await telling(word, inTheApi(word, id)), word).toContain(`/api/community/threads/${id}`);
    await threads.happen(id, (state) => hidePost({ number: 1, by: 'report', reason: null }, state));
    await threads.happen(id, (state) => deletePost(2, { accountId: author.user.id, emailVerified: true }, state));
    position = await threads.happen(id, (state) => hidePost({ number: 3, by: 'moderator', reason: null }, state));
    for (const word of Object.values(words)) await expectToldNowhere(word, id);
    position = await threads.happen(id, (state) => restorePost(1, state));
    expect(await threadsFound(words.hidden)).toEqual([id]);
    position = await threads.happen(id, (state) => hidePost({ number: 0, by: 'moderator', reason: null }, state));
    expect(await threadsFound(words.hidden)).toEqual([]);
    expect(await threadsFound('indeed')).toEqual([]);
  });

  test('of a deleted opening post is told nowhere, and its replies are read on its page alone', async () => {
    const { id } = await threads.start({
      accountId: author.user.id,
      title: 'An axolotl',
      body: 'More of the axolotl',
      place: PLACE,
    });
    position = await threads.reply(id, 1, [{ body: 'Salamanders, too' }]);
    position = await threads.happen(id, (state) =>
      deletePost(0, { accountId: author.user.id, emailVerified: true }, state),
    );
    await expectToldNowhere('axolotl', id);
    expect(await telling('Salamanders', inTheApi('salamanders', id))).toEqual([
      `/api/community/threads/${id}`,
      `/api/community/threads/${id}?post=last`,
    ]);
    expect(await threadsFound('salamanders')).toEqual([]);
  });

  // Waits until what was kept of pages and feeds is over.
  if (isFullRun)
    test('of an article is told nowhere before it is published and after it was withdrawn', async () => {
      const calls = ['/api/blog/articles', '/api/search?q=okapi', '/api/blog/articles/a-rare-animal'];
      const pages = ['/blog', '/blog/a-rare-animal', '/blog/rss.xml', '/blog/atom.xml'];
      const fields = {
        title: 'The okapi',
        summary: 'Of okapis',
        body: 'An okapi stands in the wood.',
        state: null,
        city: null,
        tags: ['okapis'],
        cover: null,
      };
      await happenToArticle('a-rare-animal', (state) => draftArticle({ articleId: 'a-rare-animal', fields }, state));
      expect(await telling('okapi', [...calls, ...pages])).toEqual([]);
      position =
        (
          await recording.commands.handle(
            article,
            'a-rare-animal',
            (state, context) => publishArticle(null, state, context),
            BY_TEST,
          )
        ).position ?? '';
      expect(await telling('okapi', calls)).toEqual(calls);
      // A feed is kept a little longer.
      await eventually(async () =>
        expect(await telling('okapi', pages)).toEqual(expect.arrayContaining(pages.slice(1))),
      );
      expect((await search('okapi')).articles.total).toBe(1);
      await happenToArticle('a-rare-animal', (state) => withdrawArticle(null, state));
      expect(await telling('okapi', calls)).toEqual([]);
      await eventually(async () => expect(await telling('okapi', pages)).toEqual([]));
      expect((await search('okapi')).articles).toEqual({ data: [], total: 0 });
    });
});
