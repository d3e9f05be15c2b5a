import { article, type AdminArticleView, type ArticleCard, type ArticleView } from '@alpenglow/domain';
import { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { faultsOf } from '../../infra/test/markdown-inertness.ts';
import { createArticleReader } from '../../query-api/src/blog/article-reader.ts';
import { publishArticles } from '../../workers/src/publish-articles.ts';
import { apiClient, type Answer, type ApiClient, type Person } from '../support/api.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { BY_TEST, openRecording, type Recording } from '../support/recording.ts';
import { isFullRun } from '../support/sample.ts';

let product: TestProduct;
let api: ApiClient;
let recording: Recording;
let pool: Pool;
let admin: Person;
let client: Person;

beforeAll(async () => {
  product = await startTestProduct();
  api = apiClient(product.url);
  recording = await openRecording(product);
  pool = new Pool({ connectionString: product.databaseUrl });
  [admin, client] = await Promise.all([api.signUp('client', { email: 'admin@example.com' }), api.signUp('client')]);
});
afterAll(async () => {
  await pool.end();
  await recording.close();
  await product.stop();
});

const DAY_ms = 24 * 60 * 60_000;
const words = { title: 'Meeting safely', summary: 'What helps.', body: '## Before\n\nTell a friend.' };
const asAdmin = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  api.call(method, `/api/admin/blog${path}`, { token: admin.token, headers, ...(body !== undefined && { body }) });
const refusal = (status: number, code: string, more: Record<string, unknown> = {}) => ({
  status,
  body: { success: false, code, ...more },
});
const after = ({ headers }: Answer) => ({ 'x-wait-position': headers.get('x-position') ?? '' });

/** Writes a draft and answers its address. */
async function draft(changes: Record<string, unknown> = {}): Promise<string> {
  const answer = await asAdmin('POST', '/articles', { ...words, ...changes });
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return (answer.body['data'] as { slug: string }).slug;
}
async function publish(slug: string): Promise<Answer> {
  const answer = await asAdmin('POST', `/articles/${slug}/publish`, {});
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  return answer;
}
const published = async (changes: Record<string, unknown> = {}) => {
  const slug = await draft(changes);
  await publish(slug);
  return slug;
};

/** Lets the read models come to what was written until now. */
const caughtUp = () => api.call('POST', '/api/sync/force');
/** What a visitor finds: everywhere an article could be. */
async function foundByVisitors(slug: string, word: string) {
  await caughtUp();
  const reader = createArticleReader({ pool });
  const [one, list, found] = await Promise.all([
    api.call('GET', `/api/blog/articles/${slug}`),
    api.call('GET', '/api/blog/articles?limit=100'),
    api.call('GET', `/api/search?q=${word}`),
  ]);
  const groups = found.body['data'] as { articles: { data: readonly ArticleCard[] } };
  return {
    page: one.status === 200,
    list: (list.body['data'] as readonly ArticleCard[]).some((card) => card.slug === slug),
    search: groups.articles.data.some((card) => card.slug === slug),
    feed: (await reader.feed(100)).some((one) => one.slug === slug),
    sitemap: (await reader.slugs(100)).some((one) => one.slug === slug),
    firstHtml: (await reader.page(slug)) !== null,
  };
}
const NOWHERE = { page: false, list: false, search: false, feed: false, sitemap: false, firstHtml: false };
const EVERYWHERE = { page: true, list: true, search: true, feed: true, sitemap: true, firstHtml: true };
const adminView = async (slug: string) => {
  await caughtUp();
  return (await asAdmin('GET', `/articles/${slug}`)).body['data'] as AdminArticleView;
};

describe('only admins write', () => {
  test.each([
    ['GET', '/articles', undefined],
    ['GET', '/articles/unknown', undefined],
    ['POST', '/articles', words],
    ['PUT', '/articles/unknown', words],
    ['DELETE', '/articles/unknown', undefined],
    ['POST', '/articles/unknown/publish', {}],
    ['POST', '/articles/unknown/unschedule', undefined],
    ['POST', '/articles/unknown/correct', { ...words, note: 'Clearer.' }],
    ['POST', '/articles/unknown/withdraw', {}],
    ['POST', '/preview', { body: 'Text' }],
  ])('%s %s', async (method, path, body) => {
    const call = (token?: string) =>
      api.call(method, `/api/admin/blog${path}`, {
        ...(token !== undefined && { token }),
        ...(body !== undefined && { body }),
      });
    expect(await call()).toMatchObject(refusal(401, 'AUTHENTICATION_REQUIRED'));
    expect(await call(client.token)).toMatchObject(refusal(403, 'ONLY_ADMINS'));
    if (path.includes('unknown')) expect(await call(admin.token)).toMatchObject(refusal(404, 'ARTICLE_NOT_FOUND'));
  });
});

describe('from a draft to an article that is withdrawn', () => {
  test('a draft is seen by admins alone; published, it is found everywhere; withdrawn, nowhere', async () => {
    const slug = await draft({
      title: 'Zanzibar',
      body: 'About **zanzibarbar**.\n\n<script>steal()</script>',
      tags: ['safety'],
      state: 'NV',
      city: 'Reno',
      cover: '/uploads/photos/demo-03/1600.jpg',
    });
    expect(slug).toBe('zanzibar');
    expect(await foundByVisitors(slug, 'zanzibarbar')).toEqual(NOWHERE);
    expect(await adminView(slug)).toMatchObject({
      slug,
      status: 'draft',
      publishAt: null,
      publishedAt: null,
      corrections: [],
      body: 'About **zanzibarbar**.\n\n<script>steal()</script>',
    });

    const done = await publish(slug);
    expect(done.body).toMatchObject({ message: 'Article published', data: { slug, status: 'published' } });
    expect(await foundByVisitors(slug, 'zanzibarbar')).toEqual(EVERYWHERE);
    const { body, headers } = await api.call('GET', `/api/blog/articles/${slug}`, { headers: after(done) });
    const view = body['data'] as ArticleView;
    expect(view).toMatchObject({
      slug,
      title: 'Zanzibar',
      summary: 'What helps.',
      state: 'NV',
      city: 'Reno',
      tags: ['safety'],
      readingMinutes: 1,
      corrections: [],
      cover: { id: 'demo-03', status: 'ready', url: '/uploads/photos/demo-03/1600.jpg' },
    });
    expect(view.html).toContain('<strong>zanzibarbar</strong>');
    expect(faultsOf(view.html, 'article')).toEqual([]);
    expect(view.updatedAt).toBe(view.publishedAt);
    expect(headers.get('etag')).toMatch(/^"/u);

    await asAdmin('POST', `/articles/${slug}/withdraw`, { reason: 'Out of date.' });
    expect(await foundByVisitors(slug, 'zanzibarbar')).toEqual(NOWHERE);
    expect(await adminView(slug)).toMatchObject({ status: 'withdrawn', publishedAt: view.publishedAt });
    // Its address stays its own.
    expect(await asAdmin('POST', '/articles', { ...words, slug })).toMatchObject(refusal(409, 'SLUG_TAKEN'));

    await publish(slug);
    expect(await foundByVisitors(slug, 'zanzibarbar')).toEqual(EVERYWHERE);
    expect(await adminView(slug)).toMatchObject({ publishedAt: view.publishedAt });
  });

  test('an answer somebody has already is not sent again, until the article changes', async () => {
    const slug = await published({ title: 'Sent once' });
    await caughtUp();
    for (const path of ['/api/blog/articles', `/api/blog/articles/${slug}`]) {
      const etag = (await api.call('GET', path)).headers.get('etag') ?? '';
      expect((await api.call('GET', path, { headers: { 'if-none-match': etag } })).status).toBe(304);
    }
    const etag = (await api.call('GET', `/api/blog/articles/${slug}`)).headers.get('etag') ?? '';
    const corrected = await asAdmin('POST', `/articles/${slug}/correct`, { title: 'Sent twice', note: 'Title.' });
    expect(
      (await api.call('GET', `/api/blog/articles/${slug}`, { headers: { 'if-none-match': etag, ...after(corrected) } }))
        .status,
    ).toBe(200);
  });

  test('a published article is corrected, and readers are told, the newest first', async () => {
    const slug = await published({ title: 'Corrected twice' });
    expect(await asAdmin('PUT', `/articles/${slug}`, { body: 'Other' })).toMatchObject(
      refusal(409, 'ARTICLE_IS_PUBLISHED'),
    );
    expect(
      await asAdmin('POST', `/articles/${slug}/correct`, { ...words, title: 'Corrected twice', note: 'Nothing.' }),
    ).toMatchObject(
      refusal(400, 'INVALID_FIELDS', { fields: { body: 'Nothing has changed that could be corrected' } }),
    );
    await asAdmin('POST', `/articles/${slug}/correct`, { body: 'Tell *two* friends.', note: 'Two are better.' });
    const last = await asAdmin('POST', `/articles/${slug}/correct`, { tags: ['friends'], note: 'A topic.' });
    expect(last.body).toMatchObject({ data: { status: 'published' } });
    const { body } = await api.call('GET', `/api/blog/articles/${slug}`, { headers: after(last) });
    const view = body['data'] as ArticleView;
    expect(view).toMatchObject({
      tags: ['friends'],
      html: expect.stringContaining('<em>two</em>') as string,
      corrections: [{ note: 'A topic.' }, { note: 'Two are better.' }],
    });
    expect(view.updatedAt).toBe(view.corrections[0]?.at);
    expect(Date.parse(view.updatedAt)).toBeGreaterThan(Date.parse(view.publishedAt));
    await asAdmin('POST', `/articles/${slug}/withdraw`, {});
    expect(await asAdmin('POST', `/articles/${slug}/correct`, { body: 'Other', note: 'Late.' })).toMatchObject(
      refusal(409, 'ARTICLE_NOT_PUBLISHED'),
    );
  });

  test('a draft is thrown away, and its address is free again', async () => {
    const slug = await draft({ slug: 'thrown-away' });
    expect((await asAdmin('DELETE', `/articles/${slug}`)).body).toMatchObject({
      success: true,
      data: { slug, status: null },
    });
    expect(await asAdmin('GET', `/articles/${slug}`)).toMatchObject(refusal(404, 'ARTICLE_NOT_FOUND'));
    expect(await asAdmin('PUT', `/articles/${slug}`, { body: 'Other' })).toMatchObject(
      refusal(404, 'ARTICLE_NOT_FOUND'),
    );
    expect(await draft({ slug })).toBe(slug);
    await publish(slug);
    expect(await asAdmin('DELETE', `/articles/${slug}`)).toMatchObject(refusal(409, 'ARTICLE_IS_PUBLISHED'));
  });
});

describe('a scheduled article', () => {
  const round = (now_ms: number) =>
    publishArticles({ pool, commands: recording.commands }, now_ms, new AbortController().signal);
  const publishAt = (offset_ms: number) => new Date(Date.now() + offset_ms).toISOString();

  test('is published by the round when its time has come, at that time, and not before', async () => {
    const slug = await draft({ title: 'Quetzal', body: 'quetzalcoatlus' });
    const time = publishAt(3 * DAY_ms);
    const done = await asAdmin('POST', `/articles/${slug}/publish`, { publishAt: time });
    expect(done.body).toMatchObject({ message: 'Article scheduled', data: { status: 'scheduled' } });
    await caughtUp();
    await round(Date.parse(time) - 1);
    expect(await foundByVisitors(slug, 'quetzalcoatlus')).toEqual(NOWHERE);
    expect(await adminView(slug)).toMatchObject({ status: 'scheduled', publishAt: time, publishedAt: null });
    expect(await round(Date.parse(time))).toBe(1);
    expect(await foundByVisitors(slug, 'quetzalcoatlus')).toEqual(EVERYWHERE);
    expect(await adminView(slug)).toMatchObject({ status: 'published', publishAt: null, publishedAt: time });
    expect(await round(Date.parse(time) + 1)).toBe(0);
    const [last] = (
      await pool.query<{ meta: unknown }>(
        `select meta from es.events where stream = $1 order by revision desc limit 1`,
        [`article-${slug}`],
      )
    ).rows;
    expect(last?.meta).toMatchObject({ actor: { kind: 'system', name: 'publish-articles' } });
  });

  test('that was unscheduled since the read model looked stays a draft', async () => {
    const slug = await draft({ title: 'Unscheduled' });
    await asAdmin('POST', `/articles/${slug}/publish`, { publishAt: publishAt(DAY_ms) });
    await caughtUp();
    expect((await asAdmin('POST', `/articles/${slug}/unschedule`)).body).toMatchObject({ data: { status: 'draft' } });
    await caughtUp();
    // As a read model that has not heard of it.
    await pool.query(`update rm.articles set status = 'scheduled', publish_at = now() where slug = $1`, [slug]);
    expect(await round(Date.now() + 2 * DAY_ms)).toBe(0);
    expect((await recording.commands.load(article, slug)).state).toMatchObject({ status: 'draft', publishAt: null });
  });

  test('by several rounds at once is published once', async () => {
    const slug = await draft({ title: 'Once' });
    await asAdmin('POST', `/articles/${slug}/publish`, { publishAt: publishAt(DAY_ms) });
    await caughtUp();
    const done = await Promise.all([1, 2, 3].map(() => round(Date.now() + 2 * DAY_ms)));
    expect(done.reduce((sum, count) => sum + count)).toBeGreaterThanOrEqual(1);
    const { rows } = await pool.query('select from es.events where stream = $1 and type = $2', [
      `article-${slug}`,
      'ArticlePublished',
    ]);
    expect(rows).toHaveLength(1);
  });

  // Waits for a round of the product.
  if (isFullRun)
    test('is published by the product itself', async () => {
      const slug = await draft({ title: 'By itself' });
      await asAdmin('POST', `/articles/${slug}/publish`, { publishAt: publishAt(1_500) });
      await expect
        .poll(async () => (await api.call('GET', `/api/blog/articles/${slug}`)).status, { interval: 250 })
        .toBe(200);
    });

  test('needs a time that is one', async () => {
    const slug = await draft({ title: 'Some time' });
    expect(await asAdmin('POST', `/articles/${slug}/publish`, { publishAt: 'soon' })).toMatchObject(
      refusal(400, 'INVALID_FIELDS', { fields: { publishAt: 'Please choose a date and a time' } }),
    );
  });
});

describe('the address of an article', () => {
  test('is the one asked for, or refused: nobody gets another', async () => {
    expect(await draft({ slug: 'asked-for' })).toBe('asked-for');
    expect(await asAdmin('POST', '/articles', { ...words, slug: 'asked-for' })).toMatchObject(
      refusal(409, 'SLUG_TAKEN', { fields: { slug: 'There is an article with this address already' } }),
    );
    for (const slug of ['Las Vegas', 'las-vegas', 'a--b', '../a'])
      expect((await asAdmin('POST', '/articles', { ...words, slug })).status).toBe(400);
  });
  test('made of a title that others have gets a number', async () => {
    const title = 'The same title';
    const made = [];
    for (let count = 0; count < 9; count += 1) made.push(await draft({ title }));
    expect(made).toEqual(['the-same-title', ...[2, 3, 4, 5, 6, 7, 8, 9].map((number) => `the-same-title-${number}`)]);
    expect(await asAdmin('POST', '/articles', { ...words, title })).toMatchObject(refusal(409, 'SLUG_TAKEN'));
  });
  test('of titles that collide at once differ', async () => {
    const made = await Promise.all([1, 2, 3].map(() => draft({ title: 'At the same moment' })));
    expect([...made].sort()).toEqual(['at-the-same-moment', 'at-the-same-moment-2', 'at-the-same-moment-3']);
  });
  test('of a title as long as can be leaves room for the number', async () => {
    const title = `${'a'.repeat(77)} ${'b'.repeat(40)}`;
    expect([await draft({ title }), await draft({ title })]).toEqual([`${'a'.repeat(77)}-bb`, `${'a'.repeat(77)}-2`]);
  });
  test('has to be chosen where nothing is left of a title', async () => {
    expect(await asAdmin('POST', '/articles', { ...words, title: 'شكرا جزيلا' })).toMatchObject(
      refusal(400, 'INVALID_FIELDS', { fields: { slug: 'An address has small letters, digits and single hyphens' } }),
    );
    const slug = await draft({ title: 'شكرا جزيلا 🌹', slug: 'thank-you' });
    expect(await adminView(slug)).toMatchObject({ title: 'شكرا جزيلا 🌹' });
  });
  test('is the same for the same request sent twice', async () => {
    const headers = { 'idempotency-key': 'twice-the-same' };
    const [first, second] = [
      await asAdmin('POST', '/articles', { ...words, title: 'Sent twice over' }, headers),
      await asAdmin('POST', '/articles', { ...words, title: 'Sent twice over' }, headers),
    ];
    expect(second.body).toEqual(first.body);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
  });
});

describe('If-Match', () => {
  test('keeps two admins from overwriting each other', async () => {
    const slug = await draft({ title: 'Two admins' });
    const revision = (await asAdmin('GET', `/articles/${slug}`)).headers.get('etag') ?? '';
    expect(revision).toBe('"0"');
    const saved = await asAdmin('PUT', `/articles/${slug}`, { body: 'First' }, { 'if-match': revision });
    expect([saved.status, saved.headers.get('etag')]).toEqual([200, '"1"']);
    const late = { 'if-match': revision };
    expect(await asAdmin('PUT', `/articles/${slug}`, { body: 'Second' }, late)).toMatchObject(refusal(412, 'STALE'));
    for (const path of ['publish', 'withdraw', 'unschedule'])
      expect(await asAdmin('POST', `/articles/${slug}/${path}`, {}, late)).toMatchObject(refusal(412, 'STALE'));
    expect(await asAdmin('POST', `/articles/${slug}/correct`, { body: 'Second', note: 'Late.' }, late)).toMatchObject(
      refusal(412, 'STALE'),
    );
    expect(await asAdmin('DELETE', `/articles/${slug}`, undefined, late)).toMatchObject(refusal(412, 'STALE'));
    expect(await adminView(slug)).toMatchObject({ body: 'First', html: expect.stringContaining('First') as string });
    expect((await asAdmin('POST', `/articles/${slug}/publish`, {}, { 'if-match': '"1"' })).status).toBe(200);
  });
});

describe('the cover', () => {
  const urlOf = (mediaId: string) => `/uploads/photos/${mediaId}/1600.jpg`;

  test('is a picture of the house, or a photo the admin has uploaded', async () => {
    const own = await recording.media(admin.user.id, 'photo');
    for (const id of ['demo-12', own]) {
      const slug = await draft({ title: `Cover ${id}`, cover: urlOf(id) });
      expect(await adminView(slug)).toMatchObject({ cover: { id, status: 'ready' } });
    }
  });
  test('is nobody else’s photo, no video, and none that was refused or never there', async () => {
    const ids = [
      await recording.media(client.user.id, 'photo'),
      await recording.media(admin.user.id, 'video'),
      await recording.media(admin.user.id, 'photo', 'rejected'),
      'never-there',
      'demo-13',
    ];
    const slug = await draft({ title: 'No cover' });
    for (const id of ids) {
      expect(await asAdmin('POST', '/articles', { ...words, cover: urlOf(id) })).toMatchObject(
        refusal(400, 'COVER_NOT_YOURS'),
      );
      expect(await asAdmin('PUT', `/articles/${slug}`, { cover: urlOf(id) })).toMatchObject(
        refusal(400, 'COVER_NOT_YOURS'),
      );
    }
    expect(await asAdmin('POST', '/articles', { ...words, cover: 'https://elsewhere.example/1.jpg' })).toMatchObject(
      refusal(400, 'INVALID_FIELDS'),
    );
    expect(await adminView(slug)).toMatchObject({ cover: null });
  });
  test('that another admin has uploaded may stay', async () => {
    const anothers = await recording.media('another-admin', 'photo');
    const slug = 'with-anothers-cover';
    await recording.commands.handle(
      article,
      slug,
      () => [
        {
          type: 'ArticleDrafted',
          data: { articleId: slug, ...words, state: null, city: null, tags: [], cover: anothers },
        },
      ],
      BY_TEST,
    );
    expect((await asAdmin('PUT', `/articles/${slug}`, { body: 'Other', cover: urlOf(anothers) })).status).toBe(200);
    await publish(slug);
    expect(
      (
        await asAdmin('POST', `/articles/${slug}/correct`, {
          body: 'Clearer',
          note: 'Clearer.',
          cover: urlOf(anothers),
        })
      ).status,
    ).toBe(200);
    expect(await adminView(slug)).toMatchObject({ body: 'Clearer', cover: { id: anothers } });
  });
  test('is not shown to visitors where the file turned out to be no picture', async () => {
    const broken = await recording.media('another-admin', 'photo', 'rejected');
    const slug = 'with-a-broken-cover';
    await recording.commands.handle(
      article,
      slug,
      () => [
        {
          type: 'ArticleDrafted',
          data: { articleId: slug, ...words, state: null, city: null, tags: [], cover: broken },
        },
      ],
      BY_TEST,
    );
    await publish(slug);
    await caughtUp();
    expect((await api.call('GET', `/api/blog/articles/${slug}`)).body).toMatchObject({ data: { cover: null } });
    expect(await createArticleReader({ pool }).page(slug)).toMatchObject({ cover: null });
    expect(await adminView(slug)).toMatchObject({ cover: { id: broken, status: 'rejected' } });
  });
});

describe('the list', () => {
  const list = async (query: string) => {
    const { status, body } = await api.call('GET', `/api/blog/articles?${query}`);
    expect(status, JSON.stringify(body)).toBe(200);
    return body as unknown as {
      data: readonly ArticleCard[];
      tags: readonly { tag: string; count: number }[];
      nextCursor: string | null;
      total: number;
    };
  };
  const slugsOf = ({ data }: { data: readonly ArticleCard[] }) => data.map(({ slug }) => slug);

  test('has the newest first, page by page, and can be narrowed to a city and a tag', async () => {
    const made: string[] = [];
    for (const [index, city] of ['Chicago', 'Chicago', 'Chicago', 'Tucson'].entries()) {
      made.unshift(
        await published({
          title: `Narrowed ${index}`,
          state: city === 'Chicago' ? 'IL' : 'AZ',
          city,
          tags: index === 0 ? ['list-test', 'first'] : ['list-test'],
        }),
      );
    }
    await draft({ title: 'Narrowed draft', state: 'IL', city: 'Chicago', tags: ['list-test'] });
    await caughtUp();
    const all = await list('tag=list-test');
    expect(slugsOf(all)).toEqual(made);
    expect(all.total).toBe(4);
    expect(all.tags.find(({ tag }) => tag === 'list-test')).toEqual({ tag: 'list-test', count: 4 });
    for (const city of ['chicago', 'Chicago', 'CHICAGO'])
      expect(slugsOf(await list(`city=${city}`))).toEqual(made.slice(1));
    expect(slugsOf(await list('city=chicago&tag=first'))).toEqual([made[3]]);
    expect(await list('city=el-paso')).toMatchObject({ data: [], total: 0, nextCursor: null });
    expect(await list('tag=nobody-has-it')).toMatchObject({ data: [], total: 0 });

    const pages: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await list(`tag=list-test&limit=1&cursor=${cursor}`);
      pages.push(...slugsOf(page));
      cursor = page.nextCursor;
    }
    expect(pages).toEqual(made);
  });
  test.each([
    ['city=nowhere', 'city'],
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['cursor=abc', 'cursor'],
    ['city=reno&city=chicago', 'city'],
    [`tag=${'x'.repeat(31)}`, 'tag'],
    ['tag=a%00', 'tag'],
  ])('refuses ?%s', async (query, field) => {
    expect(await api.call('GET', `/api/blog/articles?${query}`)).toMatchObject(
      refusal(400, 'INVALID_FIELDS', { fields: { [field]: expect.any(String) as string } }),
    );
  });
  test('of admins has every status, the one changed last first', async () => {
    const slug = await draft({ title: 'Changed last' });
    await asAdmin('PUT', `/articles/${slug}`, { body: 'Changed' });
    await caughtUp();
    const answer = await asAdmin('GET', '/articles?status=draft&limit=2');
    expect((answer.body['data'] as readonly AdminArticleView[])[0]).toMatchObject({ slug, status: 'draft' });
    expect(answer.body['nextCursor']).toEqual(expect.any(String));
    expect(answer.headers.get('cache-control')).toBe('no-store');
    for (const status of ['draft', 'scheduled', 'published', 'withdrawn']) {
      const { body } = await asAdmin('GET', `/articles?status=${status}&limit=100`);
      const data = body['data'] as readonly AdminArticleView[];
      expect(data.every((one) => one.status === status)).toBe(true);
      expect(body['total']).toBe(data.length);
    }
    expect((await asAdmin('GET', '/articles?status=gone')).status).toBe(400);
  });
  test('says how long reading takes', async () => {
    const slug = await published({ title: 'Long to read', body: 'word '.repeat(221) });
    await caughtUp();
    expect((await api.call('GET', `/api/blog/articles/${slug}`)).body).toMatchObject({ data: { readingMinutes: 2 } });
  });
});

describe('hostile Markdown', () => {
  const HOSTILE = [
    '<script>steal()</script>',
    '<img src=x onerror=steal()>',
    '[words](javascript:steal())',
    '![x](https://evil.example/x.png)',
    '<svg/onload=steal()>',
    '`</code><script>steal()</script>`',
    '[a]: javascript:steal()\n[a]',
    '<style>*{}</style>',
    '> <iframe src="//evil.example">',
  ];

  test('of 100 kB is inert in every answer', async () => {
    const body = HOSTILE.join('\n\n').repeat(600).slice(0, 100_000);
    expect(body).toHaveLength(100_000);
    const slug = await published({ title: 'Hostile <script>steal()</script>', slug: 'hostile', body });
    await caughtUp();
    const { html } = (await api.call('GET', `/api/blog/articles/${slug}`)).body['data'] as ArticleView;
    expect(html.length).toBeGreaterThan(1_000);
    expect(faultsOf(html, 'article')).toEqual([]);
    expect((await adminView(slug)).html).toBe(html);
    expect((await createArticleReader({ pool }).feed(100)).find((one) => one.slug === slug)?.html).toBe(html);
    const preview = await asAdmin('POST', '/preview', { body });
    expect((preview.body['data'] as { html: string }).html).toBe(html);
  });
  test('of three bytes for each character still fits; more than an article may have does not', async () => {
    const slug = await draft({ title: 'Long and wide', body: '愛'.repeat(100_000) });
    expect((await adminView(slug)).body).toHaveLength(100_000);
    expect(await asAdmin('POST', '/articles', { ...words, body: 'x'.repeat(100_001) })).toMatchObject(
      refusal(400, 'INVALID_FIELDS'),
    );
    expect(await asAdmin('POST', '/articles', { ...words, body: 'x'.repeat(600_000) })).toMatchObject(
      refusal(413, 'BODY_TOO_LARGE'),
    );
  });
  test('right-to-left and emoji text comes back as it was written', async () => {
    const body = 'شكرا 🌹 für **alles** 👩‍👩‍👧';
    const slug = await published({ title: 'شكرا 🌹', slug: 'rtl', body });
    expect(await adminView(slug)).toMatchObject({ title: 'شكرا 🌹', body });
    expect((await adminView(slug)).html).toContain('👩‍👩‍👧');
  });
});
