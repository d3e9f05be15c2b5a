import { randomUUID } from 'node:crypto';
import {
  CONTACT_MARK,
  COUNTRIES,
  follows,
  helpful,
  createThreadCode,
  type ResponseOf,
  type PostView,
  type ThreadView,
} from '@alpenglow/domain';
import { deletePost, hidePost, lockThread, pinThread, restorePost } from '@alpenglow/domain/deciders';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { after, type ApiResponse, type Person } from '../support/api.ts';
import { TEST_ORIGIN } from '../support/recording.ts';
import { isFullRun } from '../support/sample.ts';
import { threadRecorder, waitForReadModels, type ThreadRecorder } from '../support/threads.ts';
import { testApi, testProduct, testRecording } from '../support/fixtures.ts';

const product = testProduct();
const api = testApi(product);
const recording = testRecording(product);
let threads: ThreadRecorder;
let author: Person;
let reader: Person;
let admin: Person;
/** Position of the last write in the event log. Reads wait until they include this write. */
let position: string;

beforeAll(async () => {
  threads = threadRecorder(recording);
  author = await api.signUp('client', { displayName: 'Robin' });
  reader = await api.signUp('client', { displayName: 'Kim' });
  admin = await api.signUp('client', { email: 'admin@example.com', displayName: 'Mo' });
});

async function get(path: string, as: Person | null = null): Promise<ApiResponse> {
  await waitForReadModels(product.url);
  return api.call('GET', `/api${path}`, { headers: after(position), ...(as && { token: as.token }) });
}

async function getBody<View>(path: string, as: Person | null = null): Promise<View> {
  const { status, body } = await get(path, as);
  if (status !== 200) throw new Error(`${path} returned ${status}: ${JSON.stringify(body)}`);
  return body as unknown as View;
}

const list = (query = '') => getBody<ResponseOf<'listThreads'>>(`/community/threads${query}`);
const titles = async (query: string) => (await list(query)).data.map(({ title }) => title);
const readThread = (idOrSlug: string, query = '', as: Person | null = null) =>
  getBody<ResponseOf<'getThread'>>(`/community/threads/${idOrSlug}${query}`, as);
const viewThread = async (id: string, as: Person | null = null): Promise<ThreadView> =>
  (await readThread(id, '', as)).data;
const findReply = (view: ThreadView, number: number): PostView =>
  view.replies.find((reply) => reply.number === number) as PostView;
const createReplies = (count: number, from = 1) =>
  Array.from({ length: count }, (_, index) => ({ body: `Reply ${from + index}` }));
/** Returns the HTML of a post with a single paragraph. */
const paragraph = (html: string) => `<p dir="auto">${html}</p>\n`;
const hours = (count: number) => new Date(Date.UTC(2026, 9, 1) + count * 3_600_000).toISOString();

describe('a list of threads by place and order', () => {
  const RENO = { state: 'NV', city: 'Reno' };
  const MIAMI = { state: 'FL', city: 'Miami' };
  const HENDERSON = { state: 'NV', city: 'Henderson' };

  beforeAll(async () => {
    const old = await threads.start({ title: 'Reno, long ago', place: RENO, at: hours(0) });
    const busy = await threads.start({ title: 'Reno, busy', place: RENO, at: hours(1) });
    await threads.start({ title: 'Miami, alone', place: MIAMI, at: hours(2) });
    await threads.start({ title: 'Henderson, alone', place: HENDERSON, at: hours(3) });
    await threads.reply(busy.id, 1, createReplies(20), hours(4));
    position = await threads.reply(old.id, 1, createReplies(1), hours(5));
  });

  test.each([
    ['all places, last post first', '', ['Reno, long ago', 'Reno, busy', 'Henderson, alone', 'Miami, alone']],
    ['most active first', '?sort=active', ['Reno, busy', 'Reno, long ago', 'Henderson, alone', 'Miami, alone']],
    ['newest first', '?sort=newest', ['Henderson, alone', 'Miami, alone', 'Reno, busy', 'Reno, long ago']],
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
  ])('is correct for %s', async (_what, query, expected) => {
    expect(await titles(query)).toEqual(expected);
    expect((await list(query)).total).toBe(expected.length);
  });

  test('includes all cities of the same name until the request names a state', async () => {
    const sharedNames = COUNTRIES.flatMap(({ states }) => states)
      .flatMap(({ code, cities }) => cities.map((city) => ({ state: code, city })))
      .filter(({ city }, _index, all) => all.filter((candidate) => candidate.city === city).length === 2);
    const [first, second] = sharedNames.filter(({ city }) => city === sharedNames[0]?.city);
    if (!first || !second) throw new Error('There are no two cities with the same name');
    await threads.start({ title: 'Here', place: first, at: hours(-2) });
    position = (await threads.start({ title: 'There', place: second, at: hours(-1) })).position;
    expect(await titles(`?city=${first.city}`)).toEqual(['There', 'Here']);
    expect((await list(`?city=${first.city}`)).total).toBe(2);
    expect(await titles(`?city=${first.city}&state=${first.state}`)).toEqual(['Here']);
  });

  test.each([
    ['country', '?country=ch', 'There are no listings in this place yet'],
    ['state', '?state=XX', 'There are no listings in this state yet'],
    ['city', '?state=NV&city=miami', 'There are no listings in this city yet'],
  ])('rejects an unknown %s with a message', async (field, query, reason) => {
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
  ])('rejects %s', async (query) =>
    expect(await get(`/community/threads${query}`)).toMatchObject({ status: 400, body: { code: 'INVALID_FIELDS' } }),
  );

  test('counts the threads of every place, including places without threads', async () => {
    const { data } = await getBody<ResponseOf<'listCommunityLocations'>>('/community/locations');
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

  test('returns an ETag to visitors, and 304 for a matching ETag', async () => {
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

describe('paging through a list of threads', () => {
  const PLACE = { state: 'TX', city: 'Austin' };
  const AUSTIN = '?state=TX&city=austin&limit=7';

  async function readAllPages(
    query: string,
    onPage: () => Promise<unknown> = () => Promise.resolve(),
  ): Promise<readonly string[]> {
    const listed: string[] = [];
    let cursor: string | null = null;
    do {
      const page: ResponseOf<'listThreads'> = await list(`${query}${cursor === null ? '' : `&cursor=${cursor}`}`);
      listed.push(...page.data.map(({ title }) => title));
      cursor = page.nextCursor;
      await onPage();
    } while (cursor !== null);
    return listed;
  }

  const names = Array.from({ length: 30 }, (_, index) => `Austin ${index}`);
  beforeAll(async () => {
    // Several threads have the same time, so the id determines their order.
    for (const [index, title] of names.entries())
      position = (await threads.start({ title, place: PLACE, at: hours(100 + Math.floor(index / 4)) })).position;
  });

  test.each(['latest', 'active', 'newest'])('returns every thread once in the order "%s"', async (sort) => {
    const listed = await readAllPages(`${AUSTIN}&sort=${sort}`);
    expect([...listed].sort()).toEqual([...names].sort());
  });

  test('is not affected by new threads', async () => {
    const before = await readAllPages(`${AUSTIN}&sort=newest`);
    let count = 0;
    const startThread = async () => {
      count += 1;
      position = (await threads.start({ title: `New thread ${count}`, place: PLACE, at: hours(200 + count) })).position;
    };
    expect(await readAllPages(`${AUSTIN}&sort=newest`, startThread)).toEqual(before);
    expect(count).toBeGreaterThan(3);
  });

  test('lists a pinned thread first in its city and only on the first page', async () => {
    const pinned = await threads.start({ title: 'Please read this first', place: PLACE, at: hours(50) });
    position = await threads.happen(pinned.id, (state, context) => pinThread({ isPinned: true }, state, context));
    const listed = await readAllPages(AUSTIN);
    expect(listed[0]).toBe('Please read this first');
    expect(listed.filter((title) => title === 'Please read this first')).toHaveLength(1);
    expect((await list('?state=TX&limit=1')).data[0]?.title).not.toBe('Please read this first');
    expect((await list(AUSTIN)).data[0]?.isPinned).toBe(true);
    // A cursor of a list without pinned threads is invalid for a list with pinned threads, so the product rejects this
    // cursor.
    const { nextCursor } = await list('?state=TX&limit=1');
    expect((await get(`/community/threads${AUSTIN}&cursor=${nextCursor}`)).status).toBe(400);
    position = await threads.happen(pinned.id, (state, context) => pinThread({ isPinned: false }, state, context));
    expect((await readAllPages(AUSTIN))[0]).not.toBe('Please read this first');
  });
});

describe('the address of a thread', () => {
  test('has a unique slug per thread and accepts old titles and places', async () => {
    const firstThread = await threads.start({ title: 'Same title', body: 'The first' });
    const secondThread = await threads.start({
      title: 'Same title',
      body: 'The second',
      place: { state: 'NV', city: 'Reno' },
    });
    position = secondThread.position;
    const [first, second] = [await viewThread(firstThread.id), await viewThread(secondThread.id)];
    expect(first.slug).not.toBe(second.slug);
    expect(first.slug).toBe(`same-title-${createThreadCode(firstThread.id)}`);
    expect((await viewThread(first.slug)).id).toBe(firstThread.id);
    expect((await viewThread(second.slug)).id).toBe(secondThread.id);
    expect((await viewThread(`previous-title-${createThreadCode(firstThread.id)}`)).id).toBe(firstThread.id);
    expect((await viewThread(createThreadCode(firstThread.id))).id).toBe(firstThread.id);
  });

  test.each([
    'nothing',
    '0193a1b2-0000-7000-8000-0000000000ff',
    `unknown-${'0'.repeat(10)}`,
    'x'.repeat(120),
    '%F0%9F%8C%B8',
    "';--",
  ])('returns 404 for %s', async (id) => {
    expect(await get(`/community/threads/${id}`)).toMatchObject({ status: 404 });
  });
});

describe('contact details in a thread', () => {
  const HIDDEN = ['555-0142', '555-0143', 'kim@mail.example'];
  const everything = async (id: string, as: Person | null = null) => {
    const search = await getBody<ResponseOf<'search'>>('/search?q=gondola', as);
    const lists = as ? [] : [await list('?state=NV'), search.data.threads];
    return JSON.stringify([await viewThread(id, as), ...lists]);
  };

  test('are read only by the author and moderators', async () => {
    const { id } = await threads.start({
      accountId: author.user.id,
      title: 'Gondola: call (702) 555-0142',
      body: 'Call (702) 555-**0143**',
    });
    position = await threads.reply(id, 1, [
      { accountId: reader.user.id, body: 'Or write to kim@mail.example, see https://www.example.com/a' },
      { accountId: author.user.id, body: 'A response to it', quotedNumber: 1 },
    ]);
    const shown = await viewThread(id);
    expect(shown.title).toBe(`Gondola: call ${CONTACT_MARK}`);
    expect(shown.opening.html).toBe(paragraph(`Call ${CONTACT_MARK}<strong></strong>`));
    expect(findReply(shown, 1).html).toContain('href="https://www.example.com/a"');
    expect(findReply(shown, 2).quote?.excerpt).toContain(`Or write to ${CONTACT_MARK}`);
    const publicTexts = await everything(id);
    expect(publicTexts).toContain('Gondola');
    for (const text of HIDDEN) expect(publicTexts).not.toContain(text);
    expect((await viewThread(id, author)).title).toContain('555-0142');
    expect((await viewThread(id, author)).opening.html).toContain('<strong>0143</strong>');
    expect(findReply(await viewThread(id, author), 1).html).not.toContain('kim@mail.example');
    expect(findReply(await viewThread(id, reader), 1).html).toContain('kim@mail.example');
    expect((await viewThread(id, reader)).title).toBe(shown.title);
    const ofModerator = await everything(id, admin);
    for (const text of ['555-0142', '<strong>0143</strong>', 'kim@mail.example'])
      expect(ofModerator).toContain(JSON.stringify(text).slice(1, -1));
  });
});

test('authors learn that others see marks in their posts, or in the title of their thread', async () => {
  const marked = async (id: string, as: Person | null) => {
    const { opening, replies } = await viewThread(id, as);
    return [opening, ...replies].map(({ hasContactDetails }) => hasContactDetails);
  };
  const { id } = await threads.start({ accountId: author.user.id, title: 'Canal: (702) 555-0142', body: 'Call.' });
  position = await threads.reply(id, 1, [
    { accountId: reader.user.id, body: 'Write to kim@mail.example' },
    { accountId: author.user.id, body: 'See https://www.example.com/a' },
    { accountId: author.user.id, body: '702 555 0143' },
  ]);
  expect(await marked(id, author)).toEqual([true, false, false, true]);
  expect(await marked(id, reader)).toEqual([false, true, false, false]);
  expect(await marked(id, admin)).toEqual([false, false, false, false]);
  expect(await marked(id, null)).toEqual([false, false, false, false]);
});

describe('the text of a hidden or deleted post', () => {
  let id: string;
  beforeEach(async () => {
    const started = await threads.start({ accountId: author.user.id, title: 'About tea', body: 'Secret opening' });
    id = started.id;
    position = await threads.reply(id, 1, [
      { accountId: reader.user.id, body: 'Secret *reply*' },
      { accountId: author.user.id, body: 'A response to it', quotedNumber: 1 },
    ]);
  });

  test('is quoted while the post is visible', async () => {
    expect(findReply(await viewThread(id), 2).quote).toEqual({
      number: 1,
      author: { name: 'Kim', isModerator: false },
      excerpt: 'Secret reply',
    });
    expect(findReply(await viewThread(id), 1)).toMatchObject({
      html: paragraph('Secret <em>reply</em>'),
      markdown: null,
      status: 'visible',
    });
  });

  test('is removed from all quotes while the post is hidden', async () => {
    position = await threads.happen(id, (state, context) =>
      hidePost({ number: 1, by: 'moderator', reason: 'Not nice' }, state, context),
    );
    for (const viewer of [null, author]) {
      const shown = await viewThread(id, viewer);
      expect(JSON.stringify(shown)).not.toContain('Secret reply');
      expect(JSON.stringify(shown)).not.toContain('<em>');
      expect(findReply(shown, 2).quote).toMatchObject({ number: 1, excerpt: null });
      expect(findReply(shown, 1)).toMatchObject({
        status: 'hidden',
        html: null,
        markdown: null,
        quote: null,
        hiddenReason: null,
      });
      expect(shown.replyCount).toBe(1);
    }
    // The author and moderators see the post and the reason.
    for (const viewer of [reader, admin]) {
      const shown = await viewThread(id, viewer);
      expect(findReply(shown, 2).quote).toMatchObject({ number: 1, excerpt: null });
      expect(findReply(shown, 1)).toMatchObject({
        status: 'hidden',
        html: paragraph('Secret <em>reply</em>'),
        markdown: null,
        hiddenReason: 'Not nice',
      });
    }
    position = await threads.happen(id, (state, context) => restorePost({ number: 1 }, state, context));
    expect(findReply(await viewThread(id), 2).quote?.excerpt).toBe('Secret reply');
  });

  test('is removed while the deleted post keeps its position and its number', async () => {
    position = await threads.happen(id, (state, context) =>
      deletePost({ number: 1, member: { accountId: reader.user.id, emailVerified: true } }, state, context),
    );
    for (const viewer of [null, reader, admin]) {
      const shown = await viewThread(id, viewer);
      expect(shown.replies.map(({ number, status }) => [number, status])).toEqual([
        [1, 'deleted'],
        [2, 'visible'],
      ]);
      expect(JSON.stringify(shown)).not.toContain('Secret reply');
      expect(shown).toMatchObject({ lastNumber: 2, replyCount: 1 });
    }
    expect((await get(`/community/threads/${id}/posts/1/history`, reader)).status).toBe(404);
  });

  test('is hidden with the whole thread when the opening post is hidden', async () => {
    const { slug } = await viewThread(id);
    position = await threads.happen(id, (state, context) =>
      hidePost({ number: 0, by: 'report', reason: null }, state, context),
    );
    for (const viewer of [null, reader]) {
      for (const path of [id, slug])
        expect(await get(`/community/threads/${path}`, viewer)).toMatchObject({
          status: 404,
          body: { code: 'THREAD_NOT_FOUND' },
        });
      if (viewer) expect((await get(`/community/threads/${id}/posts/0/history`, viewer)).status).toBe(404);
    }
    expect((await list('?limit=100')).data.some((item) => item.id === id)).toBe(false);
    // The author and moderators see the thread.
    for (const viewer of [author, admin])
      for (const path of [id, slug])
        expect(await viewThread(path, viewer)).toMatchObject({
          status: 'hidden',
          title: 'About tea',
          opening: { status: 'hidden', html: paragraph('Secret opening') },
          canReply: viewer === admin,
        });
    expect((await get(`/community/threads/${id}/posts/0/history`, author)).status).toBe(200);
    expect((await get(`/community/threads/${id}/posts/1/history`, author)).status).toBe(403);
  });

  test('is removed while the replies of a deleted opening post stay readable but unlisted', async () => {
    position = await threads.happen(id, (state, context) =>
      deletePost({ number: 0, member: { accountId: author.user.id, emailVerified: true } }, state, context),
    );
    const shown = await viewThread(id);
    expect(shown).toMatchObject({
      status: 'deleted',
      title: '',
      excerpt: '',
      opening: { status: 'deleted', html: null },
      canReply: true,
    });
    expect(shown.replies).toHaveLength(2);
    expect((await list('?limit=100')).data.some((item) => item.id === id)).toBe(false);
  });

  test('is listed for moderators only, last hidden first', async () => {
    await threads.happen(id, (state, context) => hidePost({ number: 1, by: 'report', reason: null }, state, context));
    position = await threads.happen(id, (state, context) =>
      hidePost({ number: 2, by: 'moderator', reason: 'Noise' }, state, context),
    );
    const page = await getBody<ResponseOf<'listHiddenPosts'>>('/admin/community/hidden?limit=1', admin);
    expect(page.data).toMatchObject([
      {
        thread: { id, title: 'About tea' },
        post: { number: 2, html: paragraph('A response to it'), hiddenReason: 'Noise' },
        by: 'moderator',
      },
    ]);
    expect(page.total).toBeGreaterThanOrEqual(2);
    const next = await getBody<ResponseOf<'listHiddenPosts'>>(
      `/admin/community/hidden?limit=1&cursor=${page.nextCursor}`,
      admin,
    );
    expect(next.data).toMatchObject([{ thread: { id }, post: { number: 1 }, by: 'report' }]);
    expect((await get('/admin/community/hidden', reader)).status).toBe(403);
  });
});

describe('a thread for different readers', () => {
  let id: string;
  const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

  test('returns the Markdown of a post to its author for the 15 minutes of the edit period', async () => {
    ({ id, position } = await threads.start({ accountId: author.user.id, title: 'Mine', body: '*Old*', at: ago(16) }));
    position = await threads.reply(id, 1, [{ accountId: author.user.id, body: '*New*' }], ago(14));
    const mine = await viewThread(id, author);
    expect(mine.opening).toMatchObject({
      isMine: true,
      markdown: null,
      editableUntil: null,
      html: paragraph('<em>Old</em>'),
    });
    expect(findReply(mine, 1)).toMatchObject({ isMine: true, markdown: '*New*', editableUntil: expect.any(String) });
    expect(Date.parse(findReply(mine, 1).editableUntil ?? '') - Date.parse(findReply(mine, 1).postedAt)).toBe(
      15 * 60_000,
    );
    for (const viewer of [null, reader, admin])
      expect(findReply(await viewThread(id, viewer), 1)).toMatchObject({
        isMine: false,
        markdown: null,
        editableUntil: null,
      });
    position = await threads.happen(id, (state, context) => lockThread({ isLocked: true }, state, context));
    expect(findReply(await viewThread(id, author), 1)).toMatchObject({ markdown: null, editableUntil: null });
    expect(await viewThread(id, author)).toMatchObject({ isLocked: true, canReply: false });
    expect(await viewThread(id, admin)).toMatchObject({ canReply: true });
    expect(await viewThread(id)).toMatchObject({ canReply: false });
  });

  test('returns marks and follows to their owner only', async () => {
    ({ id, position } = await threads.start({ accountId: author.user.id }));
    await recording.commands.handle(
      helpful,
      reader.user.id,
      () => [{ type: 'PostMarkedHelpful', data: { accountId: reader.user.id, threadId: id, number: 0 } }],
      TEST_ORIGIN,
    );
    const followed = await recording.commands.handle(
      follows,
      reader.user.id,
      () => [{ type: 'ThreadFollowed', data: { accountId: reader.user.id, threadId: id, mail: 'daily' } }],
      TEST_ORIGIN,
    );
    position = followed.position ?? '';
    expect(await viewThread(id, reader)).toMatchObject({
      follow: 'daily',
      opening: { isHelpful: true, helpfulCount: 1 },
    });
    for (const viewer of [null, author])
      expect(await viewThread(id, viewer)).toMatchObject({
        follow: null,
        opening: { isHelpful: false, helpfulCount: 1 },
      });
    expect((await getBody<ResponseOf<'listFollows'>>('/community/follows', reader)).data).toMatchObject([
      { thread: { id }, mail: 'daily' },
    ]);
    expect((await getBody<ResponseOf<'listFollows'>>('/community/follows', author)).data).toEqual([]);
    position = await threads.happen(id, (state, context) =>
      hidePost({ number: 0, by: 'moderator', reason: null }, state, context),
    );
    expect((await getBody<ResponseOf<'listFollows'>>('/community/follows', reader)).data).toEqual([]);
    expect((await get('/community/follows')).status).toBe(401);
  });

  test('returns names of members only, marks moderators and is not cached for signed-in readers', async () => {
    ({ id, position } = await threads.start({ accountId: admin.user.id }));
    position = await threads.reply(id, 1, [{ accountId: 'former-member', body: 'Good-bye' }]);
    const shown = await get(`/community/threads/${id}`, reader);
    expect(shown.headers.get('cache-control')).toBe('no-store');
    expect(shown.body['data']).toMatchObject({
      author: { name: 'Mo', isModerator: true },
      lastPostBy: { name: null, isModerator: false },
    });
    expect(JSON.stringify(shown.body)).not.toContain(admin.email);
    expect((await get(`/community/threads/${id}`)).headers.get('cache-control')).toBe('no-cache');
  });

  test('returns the history of a post to its author and to moderators', async () => {
    ({ id, position } = await threads.start({ accountId: author.user.id, body: 'First *words*', at: ago(9) }));
    const edited = { threadId: id, number: 0, accountId: author.user.id, fingerprint: 'x' };
    await threads.happen(id, () => [{ type: 'PostEdited', data: { ...edited, body: 'Second words' } }], ago(5));
    position = await threads.happen(
      id,
      () => [{ type: 'PostEdited', data: { ...edited, body: 'Third words' } }],
      ago(2),
    );
    for (const viewer of [author, admin]) {
      const { data } = await getBody<ResponseOf<'getPostHistory'>>(`/community/threads/${id}/posts/0/history`, viewer);
      expect(data.map(({ html }) => html)).toEqual([
        paragraph('First <em>words</em>'),
        paragraph('Second words'),
        paragraph('Third words'),
      ]);
      expect(data.map(({ at }) => at)).toEqual(data.map(({ at }) => at).sort());
    }
    expect((await viewThread(id)).opening.editedAt).not.toBeNull();
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

// This block of tests must be last, because its 10,000 events delay all reads that wait for later writes.
if (isFullRun)
  describe('a thread of 10,000 replies', () => {
    const REPLIES = 10_000;
    let id: string;
    beforeAll(async () => {
      const started = await threads.start({ accountId: author.user.id, title: 'A very long thread' });
      id = started.id;
      position = await threads.reply(id, 1, createReplies(REPLIES));
      await waitForReadModels(product.url);
    });

    test('can be paged forwards and backwards with each reply once', async () => {
      const forwards: number[] = [];
      let cursor: string | null = '';
      let last = '';
      while (cursor !== null) {
        const page: ResponseOf<'getThread'> = await readThread(id, `?limit=100${cursor && `&cursor=${cursor}`}`);
        forwards.push(...page.data.replies.map(({ number }) => number));
        expect(page.data.opening.number).toBe(0);
        expect(page.data.previousCursor === null).toBe(cursor === '');
        last = cursor;
        cursor = page.nextCursor;
      }
      const all = Array.from({ length: REPLIES }, (_, index) => index + 1);
      expect(forwards).toEqual(all);
      const backwards: number[] = [];
      for (let at: string | null = last; at !== null; ) {
        const page: ResponseOf<'getThread'> = await readThread(id, `?limit=100&cursor=${at}`);
        backwards.unshift(...page.data.replies.map(({ number }) => number));
        at = page.data.previousCursor;
      }
      expect(backwards).toEqual(all);
    });

    test.each([
      ['the first page', '', 1, 50],
      ['the page with the opening post', '?post=0', 1, 50],
      ['the page with a reply', '?post=7512', 7501, 7550],
      ['the page that ends with a reply', '?post=7550', 7501, 7550],
      ['the last page', '?post=last', 9951, 10_000],
      ['a number after the last reply', '?post=10001', 9951, 10_000],
      ['a smaller page', '?post=100&limit=30', 91, 120],
    ])('returns %s', async (_what, query, first, end) => {
      const { data } = await readThread(id, query);
      expect([data.replies[0]?.number, data.replies.at(-1)?.number]).toEqual([first, end]);
      expect(data).toMatchObject({
        replyCount: REPLIES,
        lastNumber: REPLIES,
        previousCursor: first === 1 ? null : expect.any(String),
      });
    });

    test('is found by a word that occurs in more replies than the search counts', async () => {
      const { data } = await getBody<ResponseOf<'search'>>('/search?q=repl');
      expect(data.threads).toMatchObject({
        data: expect.arrayContaining([expect.objectContaining({ id })]),
        total: null,
      });
      expect(new Set(data.threads.data.map((thread) => thread.id)).size).toBe(data.threads.data.length);
    });

    test('rejects a cursor of another thread', async () => {
      const { nextCursor } = await readThread(id);
      const other = await threads.start();
      position = other.position;
      expect(await get(`/community/threads/${other.id}?cursor=${nextCursor}`)).toMatchObject({
        status: 400,
        body: { code: 'INVALID_FIELDS', fields: { cursor: 'This cursor belongs to a different list' } },
      });
      for (const query of ['?post=x', '?post=-1', '?limit=101', '?cursor=x'])
        expect((await get(`/community/threads/${id}${query}`)).status, query).toBe(400);
    });

    test('includes new replies on the following pages', async () => {
      const { nextCursor } = await readThread(id, '?post=9900');
      position = await threads.reply(id, REPLIES + 1, createReplies(1, REPLIES + 1));
      const page = await readThread(id, `?limit=100&cursor=${nextCursor}`);
      expect(page.data.replies.map(({ number }) => number)).toEqual(
        Array.from({ length: 100 }, (_, index) => 9901 + index),
      );
      expect((await readThread(id, `?cursor=${page.nextCursor}`)).data.replies.map(({ number }) => number)).toEqual([
        REPLIES + 1,
      ]);
    });
  });
