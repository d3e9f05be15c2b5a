import {
  article,
  STOCK_PICTURE_COUNT,
  type AdminArticleView,
  type ArticleCard,
  type ArticleView,
} from '@alpenglow/domain';
import { createLogger } from '@alpenglow/infra';
import { beforeAll, describe, expect, test } from 'vitest';
import { unsafePartsOf } from '../../infra/test/markdown-safety.ts';
import { createArticleReader } from '../../query-api/src/blog/article-reader.ts';
import { publishArticles } from '../../workers/src/publish-articles.ts';
import { after, type ApiResponse, type Person } from '../support/api.ts';
import { TEST_ORIGIN } from '../support/recording.ts';
import { isFullRun } from '../support/sample.ts';
import { waitForReadModels as waitForReadModelsOf } from '../support/threads.ts';
import { testApi, testPool, testProduct, testRecording } from '../support/fixtures.ts';

const product = testProduct();
const api = testApi(product);
const recording = testRecording(product);
const pool = testPool(product);
let admin: Person;
let client: Person;

beforeAll(async () => {
  [admin, client] = await Promise.all([api.signUp('client', { email: 'admin@example.com' }), api.signUp('client')]);
});

const DAY_ms = 24 * 60 * 60_000;
const ARTICLE = { title: 'Meeting safely', summary: 'What helps.', body: '## Before\n\nTell a friend.' };
const asAdmin = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  api.call(method, `/api/admin/blog${path}`, { token: admin.token, headers, ...(body !== undefined && { body }) });
const rejection = (status: number, code: string, more: Record<string, unknown> = {}) => ({
  status,
  body: { success: false, code, ...more },
});

/** Creates a draft and returns its slug. */
async function createDraft(changes: Record<string, unknown> = {}): Promise<string> {
  const response = await asAdmin('POST', '/articles', { ...ARTICLE, ...changes });
  if (response.status !== 201) throw new Error(JSON.stringify(response.body));
  return (response.body['data'] as { slug: string }).slug;
}
async function publish(slug: string): Promise<ApiResponse> {
  const response = await asAdmin('POST', `/articles/${slug}/publish`, {});
  if (response.status !== 200) throw new Error(JSON.stringify(response.body));
  return response;
}
const createPublished = async (changes: Record<string, unknown> = {}) => {
  const slug = await createDraft(changes);
  await publish(slug);
  return slug;
};

/** Waits until the read models have processed all writes. */
const waitForReadModels = () => waitForReadModelsOf(product.url);
/** Checks for each list and page whether it shows an article to visitors. `word` is the search text. */
async function visibilityOf(slug: string, word: string) {
  await waitForReadModels();
  const reader = createArticleReader({ reads: pool });
  const [single, list, search] = await Promise.all([
    api.call('GET', `/api/blog/articles/${slug}`),
    api.call('GET', '/api/blog/articles?limit=100'),
    api.call('GET', `/api/search?q=${word}`),
  ]);
  const groups = search.body['data'] as { articles: { data: readonly ArticleCard[] } };
  return {
    page: single.status === 200,
    list: (list.body['data'] as readonly ArticleCard[]).some((card) => card.slug === slug),
    search: groups.articles.data.some((card) => card.slug === slug),
    feed: (await reader.listFeed(100)).some((entry) => entry.slug === slug),
    sitemap: (await reader.listSlugs(100)).some((entry) => entry.slug === slug),
    firstHtml: (await reader.findPage(slug)) !== null,
  };
}
const NOWHERE = { page: false, list: false, search: false, feed: false, sitemap: false, firstHtml: false };
const EVERYWHERE = { page: true, list: true, search: true, feed: true, sitemap: true, firstHtml: true };
const adminView = async (slug: string) => {
  await waitForReadModels();
  return (await asAdmin('GET', `/articles/${slug}`)).body['data'] as AdminArticleView;
};

describe('the language of an article', () => {
  test('is English by default, and every list and page states it', async () => {
    const slug = await createDraft({
      title: 'Sicher treffen',
      body: 'Erzählen Sie es **okapisch**.',
      tags: ['safety'],
    });
    expect(await adminView(slug)).toMatchObject({ language: 'en' });
    expect(await asAdmin('PUT', `/articles/${slug}`, { language: 'es' })).toMatchObject(
      rejection(400, 'INVALID_FIELDS', { fields: { language: 'Please choose a language' } }),
    );
    expect((await asAdmin('PUT', `/articles/${slug}`, { language: 'de' })).status).toBe(200);
    await publish(slug);
    await waitForReadModels();
    const [single, list, search, adminList] = await Promise.all([
      api.call('GET', `/api/blog/articles/${slug}`),
      api.call('GET', '/api/blog/articles?limit=100'),
      api.call('GET', '/api/search?q=okapisch'),
      asAdmin('GET', '/articles?limit=100'),
    ]);
    const reader = createArticleReader({ reads: pool });
    const { articles } = search.body['data'] as { articles: { data: readonly ArticleCard[] } };
    const findIn = (cards: unknown) => (cards as readonly ArticleCard[]).find((card) => card.slug === slug);
    const views = [
      single.body['data'],
      findIn(list.body['data']),
      findIn(articles.data),
      findIn(adminList.body['data']),
      await adminView(slug),
      await reader.findPage(slug),
      (await reader.listFeed(100)).find((entry) => entry.slug === slug),
    ];
    for (const view of views) expect(view).toMatchObject({ slug, language: 'de' });
    await asAdmin('POST', `/articles/${slug}/correct`, { language: 'fr', note: 'The language.' });
    expect(await adminView(slug)).toMatchObject({ language: 'fr', title: 'Sicher treffen' });
  });
});

describe('the life cycle of an article', () => {
  test('shows a draft to admins only, a published article everywhere and a withdrawn article nowhere', async () => {
    const slug = await createDraft({
      title: 'Zanzibar',
      body: 'About **zanzibarbar**.\n\n<script>steal()</script>',
      tags: ['safety'],
      state: 'NV',
      city: 'Reno',
      cover: '/uploads/photos/demo-03/1600.jpg',
    });
    expect(slug).toBe('zanzibar');
    expect(await visibilityOf(slug, 'zanzibarbar')).toEqual(NOWHERE);
    expect(await adminView(slug)).toMatchObject({
      slug,
      status: 'draft',
      publishAt: null,
      publishedAt: null,
      corrections: [],
      body: 'About **zanzibarbar**.\n\n<script>steal()</script>',
    });

    const publication = await publish(slug);
    expect(publication.body).toMatchObject({ message: 'Article published', data: { slug, status: 'published' } });
    expect(await visibilityOf(slug, 'zanzibarbar')).toEqual(EVERYWHERE);
    const { body, headers } = await api.call('GET', `/api/blog/articles/${slug}`, { headers: after(publication) });
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
    expect(unsafePartsOf(view.html, 'article')).toEqual([]);
    expect(view.updatedAt).toBe(view.publishedAt);
    expect(headers.get('etag')).toMatch(/^"/u);

    await asAdmin('POST', `/articles/${slug}/withdraw`, { reason: 'Out of date.' });
    expect(await visibilityOf(slug, 'zanzibarbar')).toEqual(NOWHERE);
    expect(await adminView(slug)).toMatchObject({ status: 'withdrawn', publishedAt: view.publishedAt });
    // The slug stays reserved for the withdrawn article.
    expect(await asAdmin('POST', '/articles', { ...ARTICLE, slug })).toMatchObject(rejection(409, 'SLUG_TAKEN'));

    await publish(slug);
    expect(await visibilityOf(slug, 'zanzibarbar')).toEqual(EVERYWHERE);
    expect(await adminView(slug)).toMatchObject({ publishedAt: view.publishedAt });
  });

  test('returns 304 for a matching ETag until the article changes', async () => {
    const slug = await createPublished({ title: 'Sent once' });
    await waitForReadModels();
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

  test('shows the corrections of a published article to readers, newest first', async () => {
    const slug = await createPublished({ title: 'Corrected twice' });
    expect(await asAdmin('PUT', `/articles/${slug}`, { body: 'Other' })).toMatchObject(
      rejection(409, 'ARTICLE_IS_PUBLISHED'),
    );
    expect(
      await asAdmin('POST', `/articles/${slug}/correct`, { ...ARTICLE, title: 'Corrected twice', note: 'Nothing.' }),
    ).toMatchObject(rejection(400, 'INVALID_FIELDS', { fields: { body: 'There are no changes to publish' } }));
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
      rejection(409, 'ARTICLE_NOT_PUBLISHED'),
    );
  });

  test('makes the slug of a discarded draft available again', async () => {
    const slug = await createDraft({ slug: 'discarded' });
    expect((await asAdmin('DELETE', `/articles/${slug}`)).body).toMatchObject({
      success: true,
      data: { slug, status: null },
    });
    expect(await asAdmin('GET', `/articles/${slug}`)).toMatchObject(rejection(404, 'ARTICLE_NOT_FOUND'));
    expect(await asAdmin('PUT', `/articles/${slug}`, { body: 'Other' })).toMatchObject(
      rejection(404, 'ARTICLE_NOT_FOUND'),
    );
    expect(await createDraft({ slug })).toBe(slug);
    await publish(slug);
    expect(await asAdmin('DELETE', `/articles/${slug}`)).toMatchObject(rejection(409, 'ARTICLE_IS_PUBLISHED'));
  });
});

describe('a scheduled article', () => {
  const publishDue = (now_ms: number) =>
    publishArticles(
      { pool, commands: recording.commands, log: createLogger('silent') },
      now_ms,
      new AbortController().signal,
    );
  const publishAt = (offset_ms: number) => new Date(Date.now() + offset_ms).toISOString();

  test('is published at its time and not before', async () => {
    const slug = await createDraft({ title: 'Quetzal', body: 'quetzalcoatlus' });
    const time = publishAt(3 * DAY_ms);
    const scheduled = await asAdmin('POST', `/articles/${slug}/publish`, { publishAt: time });
    expect(scheduled.body).toMatchObject({ message: 'Article scheduled', data: { status: 'scheduled' } });
    await waitForReadModels();
    await publishDue(Date.parse(time) - 1);
    expect(await visibilityOf(slug, 'quetzalcoatlus')).toEqual(NOWHERE);
    expect(await adminView(slug)).toMatchObject({ status: 'scheduled', publishAt: time, publishedAt: null });
    expect(await publishDue(Date.parse(time))).toBe(1);
    expect(await visibilityOf(slug, 'quetzalcoatlus')).toEqual(EVERYWHERE);
    expect(await adminView(slug)).toMatchObject({ status: 'published', publishAt: null, publishedAt: time });
    expect(await publishDue(Date.parse(time) + 1)).toBe(0);
    const [last] = (
      await pool.query<{ meta: unknown }>(
        `select meta from es.events where stream = $1 order by revision desc limit 1`,
        [`article-${slug}`],
      )
    ).rows;
    expect(last?.meta).toMatchObject({ actor: { kind: 'system', name: 'publish-articles' } });
  });

  test('stays a draft when it is unscheduled while the read model is outdated', async () => {
    const slug = await createDraft({ title: 'Unscheduled' });
    await asAdmin('POST', `/articles/${slug}/publish`, { publishAt: publishAt(DAY_ms) });
    await waitForReadModels();
    expect((await asAdmin('POST', `/articles/${slug}/unschedule`)).body).toMatchObject({ data: { status: 'draft' } });
    await waitForReadModels();
    // Simulates a read model that lags behind: it still lists the article as scheduled.
    await pool.query(`update rm.articles set status = 'scheduled', publish_at = now() where slug = $1`, [slug]);
    expect(await publishDue(Date.now() + 2 * DAY_ms)).toBe(0);
    expect((await recording.commands.load(article, slug)).state).toMatchObject({ status: 'draft', publishAt: null });
  });

  test('is published once when the background work runs several times at once', async () => {
    const slug = await createDraft({ title: 'Once' });
    await asAdmin('POST', `/articles/${slug}/publish`, { publishAt: publishAt(DAY_ms) });
    await waitForReadModels();
    const counts = await Promise.all([1, 2, 3].map(() => publishDue(Date.now() + 2 * DAY_ms)));
    expect(counts.reduce((sum, count) => sum + count)).toBeGreaterThanOrEqual(1);
    const { rows } = await pool.query('select from es.events where stream = $1 and type = $2', [
      `article-${slug}`,
      'ArticlePublished',
    ]);
    expect(rows).toHaveLength(1);
  });

  // This test is slow, because it waits for the background work that publishes articles.
  if (isFullRun)
    test('is published by the background work of the product', async () => {
      const slug = await createDraft({ title: 'By itself' });
      await asAdmin('POST', `/articles/${slug}/publish`, { publishAt: publishAt(1_500) });
      await expect
        .poll(async () => (await api.call('GET', `/api/blog/articles/${slug}`)).status, { interval: 250 })
        .toBe(200);
    });
});

describe('the slug of an article', () => {
  test('is the requested slug, or the request is rejected', async () => {
    expect(await createDraft({ slug: 'requested' })).toBe('requested');
    expect(await asAdmin('POST', '/articles', { ...ARTICLE, slug: 'requested' })).toMatchObject(
      rejection(409, 'SLUG_TAKEN', { fields: { slug: 'Another article already uses this address' } }),
    );
  });
  test('has a number when other articles have the same title', async () => {
    const title = 'The same title';
    const slugs = [];
    for (let count = 0; count < 9; count += 1) slugs.push(await createDraft({ title }));
    expect(slugs).toEqual(['the-same-title', ...[2, 3, 4, 5, 6, 7, 8, 9].map((number) => `the-same-title-${number}`)]);
    expect(await asAdmin('POST', '/articles', { ...ARTICLE, title })).toMatchObject(rejection(409, 'SLUG_TAKEN'));
  });
  test('is unique for concurrent drafts with the same title', async () => {
    const slugs = await Promise.all([1, 2, 3].map(() => createDraft({ title: 'At the same moment' })));
    expect([...slugs].sort()).toEqual(['at-the-same-moment', 'at-the-same-moment-2', 'at-the-same-moment-3']);
  });
  test('has room for the number after a title of maximum length', async () => {
    const title = `${'a'.repeat(77)} ${'b'.repeat(40)}`;
    expect([await createDraft({ title }), await createDraft({ title })]).toEqual([
      `${'a'.repeat(77)}-bb`,
      `${'a'.repeat(77)}-2`,
    ]);
  });
  test('is required when the title contains no usable letters', async () => {
    expect(await asAdmin('POST', '/articles', { ...ARTICLE, title: 'شكرا جزيلا' })).toMatchObject(
      rejection(400, 'INVALID_FIELDS', {
        fields: { slug: 'The address must consist of lowercase letters, digits and single hyphens' },
      }),
    );
    const slug = await createDraft({ title: 'شكرا جزيلا 🌹', slug: 'thank-you' });
    expect(await adminView(slug)).toMatchObject({ title: 'شكرا جزيلا 🌹' });
  });
  test('is the same for a repeated request with an idempotency key', async () => {
    const headers = { 'idempotency-key': 'twice-the-same' };
    const [first, second] = [
      await asAdmin('POST', '/articles', { ...ARTICLE, title: 'Sent twice over' }, headers),
      await asAdmin('POST', '/articles', { ...ARTICLE, title: 'Sent twice over' }, headers),
    ];
    expect(second.body).toEqual(first.body);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
  });
});

describe('If-Match', () => {
  test('prevents an admin from overwriting the changes of another admin', async () => {
    const slug = await createDraft({ title: 'Two admins' });
    const revision = (await asAdmin('GET', `/articles/${slug}`)).headers.get('etag') ?? '';
    expect(revision).toBe('"0"');
    const saved = await asAdmin('PUT', `/articles/${slug}`, { body: 'First' }, { 'if-match': revision });
    expect([saved.status, saved.headers.get('etag')]).toEqual([200, '"1"']);
    const outdated = { 'if-match': revision };
    expect(await asAdmin('PUT', `/articles/${slug}`, { body: 'Second' }, outdated)).toMatchObject(
      rejection(412, 'STALE'),
    );
    for (const path of ['publish', 'withdraw', 'unschedule'])
      expect(await asAdmin('POST', `/articles/${slug}/${path}`, {}, outdated)).toMatchObject(rejection(412, 'STALE'));
    expect(
      await asAdmin('POST', `/articles/${slug}/correct`, { body: 'Second', note: 'Late.' }, outdated),
    ).toMatchObject(rejection(412, 'STALE'));
    expect(await asAdmin('DELETE', `/articles/${slug}`, undefined, outdated)).toMatchObject(rejection(412, 'STALE'));
    expect(await adminView(slug)).toMatchObject({ body: 'First', html: expect.stringContaining('First') as string });
    expect((await asAdmin('POST', `/articles/${slug}/publish`, {}, { 'if-match': '"1"' })).status).toBe(200);
  });
});

describe('the cover', () => {
  const urlOf = (mediaId: string) => `/uploads/photos/${mediaId}/1600.jpg`;

  test('may be a stock picture or a photo of the admin', async () => {
    const ownPhoto = await recording.media(admin.user.id, 'photo');
    for (const id of ['demo-12', ownPhoto]) {
      const slug = await createDraft({ title: `Cover ${id}`, cover: urlOf(id) });
      expect(await adminView(slug)).toMatchObject({ cover: { id, status: 'ready' } });
    }
  });
  test('must not be a photo of another account, a video, a rejected photo or an unknown photo', async () => {
    const ids = [
      await recording.media(client.user.id, 'photo'),
      await recording.media(admin.user.id, 'video'),
      await recording.media(admin.user.id, 'photo', 'rejected'),
      'unknown-photo',
      `demo-${STOCK_PICTURE_COUNT + 1}`,
    ];
    const slug = await createDraft({ title: 'No cover' });
    for (const id of ids) {
      expect(await asAdmin('POST', '/articles', { ...ARTICLE, cover: urlOf(id) })).toMatchObject(
        rejection(400, 'COVER_NOT_YOURS'),
      );
      expect(await asAdmin('PUT', `/articles/${slug}`, { cover: urlOf(id) })).toMatchObject(
        rejection(400, 'COVER_NOT_YOURS'),
      );
    }
    expect(await asAdmin('POST', '/articles', { ...ARTICLE, cover: 'https://elsewhere.example/1.jpg' })).toMatchObject(
      rejection(400, 'INVALID_FIELDS'),
    );
    expect(await adminView(slug)).toMatchObject({ cover: null });
  });
  test('and the photos in the text must be stock pictures or uploads of the admin', async () => {
    const withPhoto = (id: string) => `![A photo](${urlOf(id)})`;
    const own = await recording.media(admin.user.id, 'photo');
    const slug = await createDraft({ title: 'Own photos', body: `${withPhoto(own)} ${withPhoto('demo-12')}` });
    for (const id of [await recording.media(client.user.id, 'photo'), 'unknown-photo']) {
      for (const body of [withPhoto(id), `[A link](${urlOf(id)})`, `${withPhoto(own)} ${withPhoto(id)}`]) {
        expect(await asAdmin('POST', '/articles', { ...ARTICLE, body })).toMatchObject(
          rejection(400, 'PHOTO_NOT_YOURS'),
        );
        expect(await asAdmin('PUT', `/articles/${slug}`, { body })).toMatchObject(rejection(400, 'PHOTO_NOT_YOURS'));
      }
    }
    expect((await asAdmin('PUT', `/articles/${slug}`, { body: `Now a text. ${withPhoto(own)}` })).status).toBe(200);
  });
  test('may stay the photo of another admin when the article changes', async () => {
    const otherPhoto = await recording.media('another-admin', 'photo');
    const slug = 'with-other-cover';
    await recording.commands.handle(
      article,
      slug,
      () => [
        {
          type: 'ArticleDrafted',
          data: { articleId: slug, ...ARTICLE, state: null, city: null, tags: [], cover: otherPhoto },
        },
      ],
      TEST_ORIGIN,
    );
    expect((await asAdmin('PUT', `/articles/${slug}`, { body: 'Other', cover: urlOf(otherPhoto) })).status).toBe(200);
    await publish(slug);
    expect(
      (
        await asAdmin('POST', `/articles/${slug}/correct`, {
          body: 'Clearer',
          note: 'Clearer.',
          cover: urlOf(otherPhoto),
        })
      ).status,
    ).toBe(200);
    expect(await adminView(slug)).toMatchObject({ body: 'Clearer', cover: { id: otherPhoto } });
  });
  test('is hidden from visitors when the file is not a valid picture', async () => {
    const invalidPhoto = await recording.media('another-admin', 'photo', 'rejected');
    const slug = 'with-invalid-cover';
    await recording.commands.handle(
      article,
      slug,
      () => [
        {
          type: 'ArticleDrafted',
          data: { articleId: slug, ...ARTICLE, state: null, city: null, tags: [], cover: invalidPhoto },
        },
      ],
      TEST_ORIGIN,
    );
    await publish(slug);
    await waitForReadModels();
    expect((await api.call('GET', `/api/blog/articles/${slug}`)).body).toMatchObject({ data: { cover: null } });
    expect(await createArticleReader({ reads: pool }).findPage(slug)).toMatchObject({ cover: null });
    expect(await adminView(slug)).toMatchObject({ cover: { id: invalidPhoto, status: 'rejected' } });
  });
});

describe('the list of articles', () => {
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

  test('is paged by newest article and can be filtered by city and tag', async () => {
    const slugs: string[] = [];
    for (const [index, city] of ['Chicago', 'Chicago', 'Chicago', 'Tucson'].entries()) {
      slugs.unshift(
        await createPublished({
          title: `Narrowed ${index}`,
          state: city === 'Chicago' ? 'IL' : 'AZ',
          city,
          tags: index === 0 ? ['list-test', 'first'] : ['list-test'],
        }),
      );
    }
    await createDraft({ title: 'Narrowed draft', state: 'IL', city: 'Chicago', tags: ['list-test'] });
    await waitForReadModels();
    const all = await list('tag=list-test');
    expect(slugsOf(all)).toEqual(slugs);
    expect(all.total).toBe(4);
    expect(all.tags.find(({ tag }) => tag === 'list-test')).toEqual({ tag: 'list-test', count: 4 });
    for (const city of ['chicago', 'Chicago', 'CHICAGO'])
      expect(slugsOf(await list(`city=${city}`))).toEqual(slugs.slice(1));
    expect(slugsOf(await list('city=chicago&tag=first'))).toEqual([slugs[3]]);
    expect(await list('city=el-paso')).toMatchObject({ data: [], total: 0, nextCursor: null });
    expect(await list('tag=unused')).toMatchObject({ data: [], total: 0 });

    const pages: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await list(`tag=list-test&limit=1&cursor=${cursor}`);
      pages.push(...slugsOf(page));
      cursor = page.nextCursor;
    }
    expect(pages).toEqual(slugs);
  });
  test.each([
    ['city=nowhere', 'city'],
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['cursor=abc', 'cursor'],
    ['city=reno&city=chicago', 'city'],
    [`tag=${'x'.repeat(31)}`, 'tag'],
    ['tag=a%00', 'tag'],
  ])('rejects ?%s', async (query, field) => {
    expect(await api.call('GET', `/api/blog/articles?${query}`)).toMatchObject(
      rejection(400, 'INVALID_FIELDS', { fields: { [field]: expect.any(String) as string } }),
    );
  });
  test('has articles of every status for admins, last changed first', async () => {
    const slug = await createDraft({ title: 'Changed last' });
    await asAdmin('PUT', `/articles/${slug}`, { body: 'Changed' });
    await waitForReadModels();
    const response = await asAdmin('GET', '/articles?status=draft&limit=2');
    expect((response.body['data'] as readonly AdminArticleView[])[0]).toMatchObject({ slug, status: 'draft' });
    expect(response.body['nextCursor']).toEqual(expect.any(String));
    expect(response.headers.get('cache-control')).toBe('no-store');
    for (const status of ['draft', 'scheduled', 'published', 'withdrawn']) {
      const { body } = await asAdmin('GET', `/articles?status=${status}&limit=100`);
      const data = body['data'] as readonly AdminArticleView[];
      expect(data.every((one) => one.status === status)).toBe(true);
      expect(body['total']).toBe(data.length);
    }
    expect((await asAdmin('GET', '/articles?status=gone')).status).toBe(400);
  });
  test('contains the reading time', async () => {
    const slug = await createPublished({ title: 'Long to read', body: 'word '.repeat(221) });
    await waitForReadModels();
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

  test('of 100 kB is inert in every response', async () => {
    const body = HOSTILE.join('\n\n').repeat(600).slice(0, 100_000);
    expect(body).toHaveLength(100_000);
    const slug = await createPublished({ title: 'Hostile <script>steal()</script>', slug: 'hostile', body });
    await waitForReadModels();
    const { html } = (await api.call('GET', `/api/blog/articles/${slug}`)).body['data'] as ArticleView;
    expect(html.length).toBeGreaterThan(1_000);
    expect(unsafePartsOf(html, 'article')).toEqual([]);
    expect((await adminView(slug)).html).toBe(html);
    expect((await createArticleReader({ reads: pool }).listFeed(100)).find((one) => one.slug === slug)?.html).toBe(
      html,
    );
    const preview = await asAdmin('POST', '/preview', { body });
    expect((preview.body['data'] as { html: string }).html).toBe(html);
  });
  test('may have three bytes per character, but not more characters than the limit', async () => {
    const slug = await createDraft({ title: 'Long and wide', body: '愛'.repeat(100_000) });
    expect((await adminView(slug)).body).toHaveLength(100_000);
    expect(await asAdmin('POST', '/articles', { ...ARTICLE, body: 'x'.repeat(100_001) })).toMatchObject(
      rejection(400, 'INVALID_FIELDS'),
    );
    expect(await asAdmin('POST', '/articles', { ...ARTICLE, body: 'x'.repeat(600_000) })).toMatchObject(
      rejection(413, 'BODY_TOO_LARGE'),
    );
  });
  test('returns right-to-left and emoji text unchanged', async () => {
    const body = 'شكرا 🌹 für **alles** 👩‍👩‍👧';
    const slug = await createPublished({ title: 'شكرا 🌹', slug: 'rtl', body });
    expect(await adminView(slug)).toMatchObject({ title: 'شكرا 🌹', body });
    expect((await adminView(slug)).html).toContain('👩‍👩‍👧');
  });
});
