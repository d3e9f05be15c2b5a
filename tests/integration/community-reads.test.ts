import { randomUUID } from 'node:crypto';
import {
  COUNTRIES,
  deletePost,
  follows,
  helpful,
  hidePost,
  lockThread,
  pinThread,
  restorePost,
  threadCodeOf,
  type CommunityLocationsAnswer,
  type FollowsAnswer,
  type HiddenPostsAnswer,
  type PostHistoryAnswer,
  type PostView,
  type SearchAnswer,
  type ThreadAnswer,
  type ThreadListAnswer,
  type ThreadView,
} from '@alpenglow/domain';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { apiClient, type Answer, type ApiClient, type Person } from '../support/api.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { BY_TEST, openRecording, type Recording } from '../support/recording.ts';
import { isFullRun } from '../support/sample.ts';
import { threadRecorder, untilRead, type ThreadRecorder } from '../support/threads.ts';

let product: TestProduct;
let api: ApiClient;
let recording: Recording;
let threads: ThreadRecorder;
let author: Person;
let reader: Person;
let admin: Person;
/** What reads wait for. */
let position: string;

beforeAll(async () => {
  product = await startTestProduct();
  api = apiClient(product.url);
  recording = await openRecording(product);
  threads = threadRecorder(recording);
  author = await api.signUp('client', { displayName: 'Robin' });
  reader = await api.signUp('client', { displayName: 'Kim' });
  admin = await api.signUp('client', { email: 'admin@example.com', displayName: 'Mo' });
});
afterAll(async () => {
  await recording.close();
  await product.stop();
});

async function get(path: string, as: Person | null = null): Promise<Answer> {
  await untilRead(product.url, position);
  return api.call('GET', `/api${path}`, { headers: { 'x-wait-position': position }, ...(as && { token: as.token }) });
}

async function answer<View>(path: string, as: Person | null = null): Promise<View> {
  const { status, body } = await get(path, as);
  if (status !== 200) throw new Error(`${path} answered ${status}: ${JSON.stringify(body)}`);
  return body as unknown as View;
}

const list = (query = '') => answer<ThreadListAnswer>(`/community/threads${query}`);
const titles = async (query: string) => (await list(query)).data.map(({ title }) => title);
const read = (idOrSlug: string, query = '', as: Person | null = null) =>
  answer<ThreadAnswer>(`/community/threads/${idOrSlug}${query}`, as);
const view = async (id: string, as: Person | null = null): Promise<ThreadView> => (await read(id, '', as)).data;
const reply = (of: ThreadView, number: number): PostView => of.replies.find((one) => one.number === number) as PostView;
const some = (count: number, from = 1) =>
  Array.from({ length: count }, (_, index) => ({ body: `Reply ${from + index}` }));
/** A paragraph as posts have it. */
const p = (html: string) => `<p dir="auto">${html}</p>\n`;
const hours = (count: number) => new Date(Date.UTC(2026, 9, 1) + count * 3_600_000).toISOString();

describe('lists by place and order', () => {
  const RENO = { state: 'NV', city: 'Reno' };
  const MIAMI = { state: 'FL', city: 'Miami' };
  const HENDERSON = { state: 'NV', city: 'Henderson' };

  beforeAll(async () => {
    const old = await threads.start({ title: 'Reno, long ago', place: RENO, at: hours(0) });
    const busy = await threads.start({ title: 'Reno, busy', place: RENO, at: hours(1) });
    await threads.start({ title: 'Miami, alone', place: MIAMI, at: hours(2) });
    await threads.start({ title: 'Henderson, alone', place: HENDERSON, at: hours(3) });
    await threads.reply(busy.id, 1, some(20), hours(4));
    position = await threads.reply(old.id, 1, some(1), hours(5));
  });

  test.each([
    ['everywhere, the last post first', '', ['Reno, long ago', 'Reno, busy', 'Henderson, alone', 'Miami, alone']],
    ['the most active first', '?sort=active', ['Reno, busy', 'Reno, long ago', 'Henderson, alone', 'Miami, alone']],
    ['the newest first', '?sort=newest', ['Henderson, alone', 'Miami, alone', 'Reno, busy', 'Reno, long ago']],
    ['a country', '?country=us', ['Reno, long ago', 'Reno, busy', 'Henderson, alone', 'Miami, alone']],
    ['a state by its code', '?state=nv', ['Reno, long ago', 'Reno, busy', 'Henderson, alone']],
    [
      'a state by its name',
      '?country=United%20States&state=Nevada',
      ['Reno, long ago', 'Reno, busy', 'Henderson, alone'],
    ],
    ['a city by its slug', '?country=us&state=NV&city=reno', ['Reno, long ago', 'Reno, busy']],
    ['a city by its name, without its state', '?city=Miami', ['Miami, alone']],
    ['a city without threads', '?state=NV&city=las-vegas', []],
  ])('%s', async (_what, query, expected) => {
    expect(await titles(query)).toEqual(expected);
    expect((await list(query)).total).toBe(expected.length);
  });

  test('a city that several states have is all of them, until a state is named', async () => {
    const twice = COUNTRIES.flatMap(({ states }) => states)
      .flatMap(({ code, cities }) => cities.map((city) => ({ state: code, city })))
      .filter(({ city }, _index, all) => all.filter((one) => one.city === city).length === 2);
    const [one, other] = twice.filter(({ city }) => city === twice[0]?.city);
    if (!one || !other) throw new Error('No two cities of one name');
    await threads.start({ title: 'Here', place: one, at: hours(-2) });
    position = (await threads.start({ title: 'There', place: other, at: hours(-1) })).position;
    expect(await titles(`?city=${one.city}`)).toEqual(['There', 'Here']);
    expect((await list(`?city=${one.city}`)).total).toBe(2);
    expect(await titles(`?city=${one.city}&state=${one.state}`)).toEqual(['Here']);
  });

  test.each([
    ['country', '?country=ch', 'There are no listings in this place yet'],
    ['state', '?state=XX', 'There are no listings in this state yet'],
    ['city', '?state=NV&city=miami', 'There are no listings in this city yet'],
  ])('an unknown %s is said so', async (field, query, reason) => {
    expect(await get(`/community/threads${query}`)).toMatchObject({
      status: 400,
      body: { code: 'INVALID_FIELDS', fields: { [field]: reason } },
    });
  });

  test.each([
    '?sort=oldest',
    '?limit=0',
    '?limit=101',
    '?limit=x',
    '?cursor=x',
    '?state=NV&state=FL',
    '?city=%00',
    `?cursor=${Buffer.from('latest 2026-13-01T00:00:00.000Z x').toString('base64url')}`,
  ])('refuses %s', async (query) =>
    expect(await get(`/community/threads${query}`)).toMatchObject({ status: 400, body: { code: 'INVALID_FIELDS' } }),
  );

  test('counts the threads of every place, those without one as well', async () => {
    const { data } = await answer<CommunityLocationsAnswer>('/community/locations');
    const country = data[0];
    const nevada = country?.states.find(({ code }) => code === 'NV');
    expect(country).toMatchObject({ code: 'us', name: 'United States', count: 6 });
    expect(nevada).toMatchObject({ name: 'Nevada', count: 3 });
    expect(nevada?.cities.find(({ slug }) => slug === 'reno')).toEqual({ name: 'Reno', slug: 'reno', count: 2 });
    expect(nevada?.cities.find(({ slug }) => slug === 'las-vegas')).toEqual({
      name: 'Las Vegas',
      slug: 'las-vegas',
      count: 0,
    });
    expect(data.flatMap(({ states }) => states).flatMap(({ cities }) => cities)).toHaveLength(
      COUNTRIES.flatMap(({ states }) => states).flatMap(({ cities }) => cities).length,
    );
  });

  test('answers visitors with an ETag, and 304 to whoever has it', async () => {
    for (const path of ['/community/threads', '/community/locations', '/search?q=reno']) {
      const first = await get(path);
      const etag = first.headers.get('etag') ?? '';
      expect(first.headers.get('cache-control'), path).toBe('no-cache');
      expect(etag, path).toMatch(/^"/u);
      const again = await fetch(`${product.url}/api${path}`, { headers: { 'if-none-match': etag } });
      expect(again.status, path).toBe(304);
    }
  });
});

describe('pages of a list', () => {
  const PLACE = { state: 'TX', city: 'Austin' };
  const AUSTIN = '?state=TX&city=austin&limit=7';

  async function walk(
    query: string,
    onPage: () => Promise<unknown> = () => Promise.resolve(),
  ): Promise<readonly string[]> {
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page: ThreadListAnswer = await list(`${query}${cursor === null ? '' : `&cursor=${cursor}`}`);
      seen.push(...page.data.map(({ title }) => title));
      cursor = page.nextCursor;
      await onPage();
    } while (cursor !== null);
    return seen;
  }

  const names = Array.from({ length: 30 }, (_, index) => `Austin ${index}`);
  beforeAll(async () => {
    // Several at one time: the id then decides.
    for (const [index, title] of names.entries())
      position = (await threads.start({ title, place: PLACE, at: hours(100 + Math.floor(index / 4)) })).position;
  });

  test.each(['latest', 'active', 'newest'])('in the order "%s" every thread comes once', async (sort) => {
    const seen = await walk(`${AUSTIN}&sort=${sort}`);
    expect([...seen].sort()).toEqual([...names].sort());
  });

  test('stay as they are while threads come in', async () => {
    const before = await walk(`${AUSTIN}&sort=newest`);
    let count = 0;
    const meanwhile = async () => {
      count += 1;
      position = (await threads.start({ title: `Meanwhile ${count}`, place: PLACE, at: hours(200 + count) })).position;
    };
    expect(await walk(`${AUSTIN}&sort=newest`, meanwhile)).toEqual(before);
    expect(count).toBeGreaterThan(3);
  });

  test('a pinned thread stands first in its city, on the first page alone, and nowhere else', async () => {
    const pinned = await threads.start({ title: 'Please read this first', place: PLACE, at: hours(50) });
    position = await threads.happen(pinned.id, (state) => pinThread(true, state));
    const seen = await walk(AUSTIN);
    expect(seen[0]).toBe('Please read this first');
    expect(seen.filter((title) => title === 'Please read this first')).toHaveLength(1);
    expect((await list('?state=TX&limit=1')).data[0]?.title).not.toBe('Please read this first');
    expect((await list(AUSTIN)).data[0]?.isPinned).toBe(true);
    // Of a list without pinned threads, a cursor leads nowhere in this one.
    const { nextCursor } = await list('?state=TX&limit=1');
    expect((await get(`/community/threads${AUSTIN}&cursor=${nextCursor}`)).status).toBe(400);
    position = await threads.happen(pinned.id, (state) => pinThread(false, state));
    expect((await walk(AUSTIN))[0]).not.toBe('Please read this first');
  });
});

describe('a thread by its address', () => {
  test('two of one title have two slugs; old words and other places lead to the right one', async () => {
    const one = await threads.start({ title: 'Same words', body: 'The first' });
    const other = await threads.start({
      title: 'Same words',
      body: 'The second',
      place: { state: 'NV', city: 'Reno' },
    });
    position = other.position;
    const [first, second] = [await view(one.id), await view(other.id)];
    expect(first.slug).not.toBe(second.slug);
    expect(first.slug).toBe(`same-words-${threadCodeOf(one.id)}`);
    expect((await view(first.slug)).id).toBe(one.id);
    expect((await view(second.slug)).id).toBe(other.id);
    expect((await view(`words-it-had-before-${threadCodeOf(one.id)}`)).id).toBe(one.id);
    expect((await view(threadCodeOf(one.id))).id).toBe(one.id);
  });

  test.each([
    'nothing',
    '0193a1b2-0000-7000-8000-0000000000ff',
    `nobody-knows-${'0'.repeat(10)}`,
    'x'.repeat(120),
    '%F0%9F%8C%B8',
    "';--",
  ])('there is none at %s', async (id) => {
    expect(await get(`/community/threads/${id}`)).toMatchObject({ status: 404 });
  });
});

describe('what a hidden or deleted post said', () => {
  let id: string;
  beforeEach(async () => {
    const started = await threads.start({ accountId: author.user.id, title: 'About tea', body: 'Secret opening' });
    id = started.id;
    position = await threads.reply(id, 1, [
      { accountId: reader.user.id, body: 'Secret *reply*' },
      { accountId: author.user.id, body: 'An answer to it', quotedNumber: 1 },
    ]);
  });

  test('is quoted while it is to be seen', async () => {
    expect(reply(await view(id), 2).quote).toEqual({
      number: 1,
      author: { name: 'Kim', isModerator: false },
      excerpt: 'Secret reply',
    });
    expect(reply(await view(id), 1)).toMatchObject({
      html: p('Secret <em>reply</em>'),
      markdown: null,
      status: 'visible',
    });
  });

  test('is quoted nowhere once it is hidden, and again once it is restored', async () => {
    position = await threads.happen(id, (state) => hidePost({ number: 1, by: 'moderator', reason: 'Not nice' }, state));
    for (const asker of [null, author, reader]) {
      const shown = await view(id, asker);
      expect(JSON.stringify(shown)).not.toContain('Secret reply');
      expect(JSON.stringify(shown)).not.toContain('<em>');
      expect(reply(shown, 2).quote).toMatchObject({ number: 1, excerpt: null });
      expect(reply(shown, 1)).toMatchObject({
        status: 'hidden',
        html: null,
        markdown: null,
        quote: null,
        hiddenReason: asker === reader ? 'Not nice' : null,
      });
      expect(shown.replyCount).toBe(1);
    }
    expect(reply(await view(id, admin), 1)).toMatchObject({
      status: 'hidden',
      html: p('Secret <em>reply</em>'),
      hiddenReason: 'Not nice',
    });
    position = await threads.happen(id, (state) => restorePost(1, state));
    expect(reply(await view(id), 2).quote?.excerpt).toBe('Secret reply');
  });

  test('leaves its place and its number when it is deleted', async () => {
    position = await threads.happen(id, (state) =>
      deletePost(1, { accountId: reader.user.id, emailVerified: true }, state),
    );
    for (const asker of [null, reader, admin]) {
      const shown = await view(id, asker);
      expect(shown.replies.map(({ number, status }) => [number, status])).toEqual([
        [1, 'deleted'],
        [2, 'visible'],
      ]);
      expect(JSON.stringify(shown)).not.toContain('Secret reply');
      expect(shown).toMatchObject({ lastNumber: 2, replyCount: 1 });
    }
    expect((await get(`/community/threads/${id}/posts/1/history`, reader)).status).toBe(404);
  });

  test('takes its thread along when it was the opening post and is hidden', async () => {
    const { slug } = await view(id);
    position = await threads.happen(id, (state) => hidePost({ number: 0, by: 'report', reason: null }, state));
    for (const asker of [null, author, reader]) {
      for (const path of [id, slug])
        expect(await get(`/community/threads/${path}`, asker)).toMatchObject({
          status: 404,
          body: { code: 'THREAD_NOT_FOUND' },
        });
      if (asker) expect((await get(`/community/threads/${id}/posts/0/history`, asker)).status).toBe(404);
    }
    expect((await list('?limit=100')).data.some((one) => one.id === id)).toBe(false);
    expect(await view(id, admin)).toMatchObject({
      status: 'hidden',
      title: 'About tea',
      opening: { status: 'hidden', html: p('Secret opening') },
    });
  });

  test('leaves the replies where the opening post is deleted, in no list', async () => {
    position = await threads.happen(id, (state) =>
      deletePost(0, { accountId: author.user.id, emailVerified: true }, state),
    );
    const shown = await view(id);
    expect(shown).toMatchObject({
      status: 'deleted',
      title: '',
      excerpt: '',
      opening: { status: 'deleted', html: null },
      canReply: true,
    });
    expect(shown.replies).toHaveLength(2);
    expect((await list('?limit=100')).data.some((one) => one.id === id)).toBe(false);
  });

  test('is listed for moderators alone, hidden last first', async () => {
    await threads.happen(id, (state) => hidePost({ number: 1, by: 'report', reason: null }, state));
    position = await threads.happen(id, (state) => hidePost({ number: 2, by: 'moderator', reason: 'Noise' }, state));
    const page = await answer<HiddenPostsAnswer>('/admin/community/hidden?limit=1', admin);
    expect(page.data).toMatchObject([
      {
        thread: { id, title: 'About tea' },
        post: { number: 2, html: p('An answer to it'), hiddenReason: 'Noise' },
        by: 'moderator',
      },
    ]);
    expect(page.total).toBeGreaterThanOrEqual(2);
    const next = await answer<HiddenPostsAnswer>(`/admin/community/hidden?limit=1&cursor=${page.nextCursor}`, admin);
    expect(next.data).toMatchObject([{ thread: { id }, post: { number: 1 }, by: 'report' }]);
    expect((await get('/admin/community/hidden', reader)).status).toBe(403);
  });
});

describe('a thread as the asker may see it', () => {
  let id: string;
  const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

  test('its author may change a post for 15 minutes, and is given its Markdown for so long', async () => {
    ({ id, position } = await threads.start({ accountId: author.user.id, title: 'Mine', body: '*Old*', at: ago(16) }));
    position = await threads.reply(id, 1, [{ accountId: author.user.id, body: '*New*' }], ago(14));
    const mine = await view(id, author);
    expect(mine.opening).toMatchObject({ isMine: true, markdown: null, editableUntil: null, html: p('<em>Old</em>') });
    expect(reply(mine, 1)).toMatchObject({ isMine: true, markdown: '*New*', editableUntil: expect.any(String) });
    expect(Date.parse(reply(mine, 1).editableUntil ?? '') - Date.parse(reply(mine, 1).postedAt)).toBe(15 * 60_000);
    for (const asker of [null, reader, admin])
      expect(reply(await view(id, asker), 1)).toMatchObject({ isMine: false, markdown: null, editableUntil: null });
    position = await threads.happen(id, (state) => lockThread(true, state));
    expect(reply(await view(id, author), 1)).toMatchObject({ markdown: null, editableUntil: null });
    expect(await view(id, author)).toMatchObject({ isLocked: true, canReply: false });
    expect(await view(id, admin)).toMatchObject({ canReply: true });
    expect(await view(id)).toMatchObject({ canReply: false });
  });

  test('marks and follows are told to whose they are', async () => {
    ({ id, position } = await threads.start({ accountId: author.user.id }));
    await recording.commands.handle(
      helpful,
      reader.user.id,
      () => [{ type: 'PostMarkedHelpful', data: { accountId: reader.user.id, threadId: id, number: 0 } }],
      BY_TEST,
    );
    const followed = await recording.commands.handle(
      follows,
      reader.user.id,
      () => [{ type: 'ThreadFollowed', data: { accountId: reader.user.id, threadId: id, mail: 'daily' } }],
      BY_TEST,
    );
    position = followed.position ?? '';
    expect(await view(id, reader)).toMatchObject({ follow: 'daily', opening: { isHelpful: true, helpfulCount: 1 } });
    for (const asker of [null, author])
      expect(await view(id, asker)).toMatchObject({ follow: null, opening: { isHelpful: false, helpfulCount: 1 } });
    expect((await answer<FollowsAnswer>('/community/follows', reader)).data).toMatchObject([
      { thread: { id }, mail: 'daily' },
    ]);
    expect((await answer<FollowsAnswer>('/community/follows', author)).data).toEqual([]);
    position = await threads.happen(id, (state) => hidePost({ number: 0, by: 'moderator', reason: null }, state));
    expect((await answer<FollowsAnswer>('/community/follows', reader)).data).toEqual([]);
    expect((await get('/community/follows')).status).toBe(401);
  });

  test('names are those of members, a moderator is told from others, and nothing of a signed-in asker is kept', async () => {
    ({ id, position } = await threads.start({ accountId: admin.user.id }));
    position = await threads.reply(id, 1, [{ accountId: 'no-member-any-more', body: 'Good-bye' }]);
    const shown = await get(`/community/threads/${id}`, reader);
    expect(shown.headers.get('cache-control')).toBe('no-store');
    expect(shown.body['data']).toMatchObject({
      author: { name: 'Mo', isModerator: true },
      lastPostBy: { name: null, isModerator: false },
    });
    expect(JSON.stringify(shown.body)).not.toContain(admin.email);
    expect((await get(`/community/threads/${id}`)).headers.get('cache-control')).toBe('no-cache');
  });

  test('what a post has said before is for its author and moderators', async () => {
    ({ id, position } = await threads.start({ accountId: author.user.id, body: 'First *words*', at: ago(9) }));
    const edited = { threadId: id, number: 0, accountId: author.user.id, fingerprint: 'x' };
    await threads.happen(id, () => [{ type: 'PostEdited', data: { ...edited, body: 'Second words' } }], ago(5));
    position = await threads.happen(
      id,
      () => [{ type: 'PostEdited', data: { ...edited, body: 'Third words' } }],
      ago(2),
    );
    for (const asker of [author, admin]) {
      const { data } = await answer<PostHistoryAnswer>(`/community/threads/${id}/posts/0/history`, asker);
      expect(data.map(({ html }) => html)).toEqual([p('First <em>words</em>'), p('Second words'), p('Third words')]);
      expect(data.map(({ at }) => at)).toEqual(data.map(({ at }) => at).sort());
    }
    expect((await view(id)).opening.editedAt).not.toBeNull();
    expect(await get(`/community/threads/${id}/posts/0/history`, reader)).toMatchObject({
      status: 403,
      body: { code: 'ONLY_AUTHOR' },
    });
    expect((await get(`/community/threads/${id}/posts/0/history`)).status).toBe(401);
    expect(await get(`/community/threads/${id}/posts/1/history`, author)).toMatchObject({
      status: 404,
      body: { code: 'POST_NOT_FOUND' },
    });
    expect(await get(`/community/threads/${randomUUID()}/posts/0/history`, author)).toMatchObject({
      status: 404,
      body: { code: 'THREAD_NOT_FOUND' },
    });
  });
});

// The last, as whatever else follows the events has much to do after it. Long, and with the set-up of the others.
if (isFullRun)
  describe('a thread of 10,000 replies', () => {
    const REPLIES = 10_000;
    let id: string;
    beforeAll(async () => {
      const started = await threads.start({ accountId: author.user.id, title: 'A very long thread' });
      id = started.id;
      position = await threads.reply(id, 1, some(REPLIES));
      await untilRead(product.url, position);
    });

    test('is read from the first page to the last and back, each reply once', async () => {
      const forth: number[] = [];
      let cursor: string | null = '';
      let last = '';
      while (cursor !== null) {
        const page: ThreadAnswer = await read(id, `?limit=100${cursor && `&cursor=${cursor}`}`);
        forth.push(...page.data.replies.map(({ number }) => number));
        expect(page.data.opening.number).toBe(0);
        expect(page.data.previousCursor === null).toBe(cursor === '');
        last = cursor;
        cursor = page.nextCursor;
      }
      const all = Array.from({ length: REPLIES }, (_, index) => index + 1);
      expect(forth).toEqual(all);
      const back: number[] = [];
      for (let at: string | null = last; at !== null; ) {
        const page: ThreadAnswer = await read(id, `?limit=100&cursor=${at}`);
        back.unshift(...page.data.replies.map(({ number }) => number));
        at = page.data.previousCursor;
      }
      expect(back).toEqual(all);
    });

    test.each([
      ['the first page', '', 1, 50],
      ['the page with the opening post', '?post=0', 1, 50],
      ['the page with a reply', '?post=7512', 7501, 7550],
      ['the page a reply ends', '?post=7550', 7501, 7550],
      ['the last page', '?post=last', 9951, 10_000],
      ['a number there is not yet', '?post=10001', 9951, 10_000],
      ['fewer on a page', '?post=100&limit=30', 91, 120],
    ])('%s', async (_what, query, first, end) => {
      const { data } = await read(id, query);
      expect([data.replies[0]?.number, data.replies.at(-1)?.number]).toEqual([first, end]);
      expect(data).toMatchObject({
        replyCount: REPLIES,
        lastNumber: REPLIES,
        previousCursor: first === 1 ? null : expect.any(String),
      });
    });

    test('is found by words that more of its replies have than are counted', async () => {
      const { data } = await answer<SearchAnswer>('/search?q=repl');
      expect(data.threads).toMatchObject({
        data: expect.arrayContaining([expect.objectContaining({ id })]),
        total: null,
      });
      expect(new Set(data.threads.data.map((one) => one.id)).size).toBe(data.threads.data.length);
    });

    test('its cursors lead nowhere in another thread', async () => {
      const { nextCursor } = await read(id);
      const other = await threads.start();
      position = other.position;
      expect(await get(`/community/threads/${other.id}?cursor=${nextCursor}`)).toMatchObject({
        status: 400,
        body: { code: 'INVALID_FIELDS', fields: { cursor: 'This cursor is not one of this list' } },
      });
      for (const query of ['?post=x', '?post=-1', '?limit=101', '?cursor=x'])
        expect((await get(`/community/threads/${id}${query}`)).status, query).toBe(400);
    });

    test('who reads on gets what has been posted meanwhile', async () => {
      const { nextCursor } = await read(id, '?post=9900');
      position = await threads.reply(id, REPLIES + 1, some(1, REPLIES + 1));
      const page = await read(id, `?limit=100&cursor=${nextCursor}`);
      expect(page.data.replies.map(({ number }) => number)).toEqual(
        Array.from({ length: 100 }, (_, index) => 9901 + index),
      );
      expect((await read(id, `?cursor=${page.nextCursor}`)).data.replies.map(({ number }) => number)).toEqual([
        REPLIES + 1,
      ]);
    });
  });
