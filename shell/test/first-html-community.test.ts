import { readFileSync } from 'node:fs';
import path from 'node:path';
import {
  threadPath,
  threadSlug,
  type PageArticle,
  type PageReader,
  type PageThread,
} from '@alpenglow/domain/contracts';
import { createApi } from '@alpenglow/ui';
import { afterAll, beforeAll, describe, expect, it, test, vi } from 'vitest';
import { listPlaces, listThreads, readThread } from '../../mf-community/src/api/requests.ts';
import { getArticlesPath } from '../../mf-community/src/blog/articles.ts';
import { getPreloadPaths } from '../server/data/preload-paths.ts';
import { NO_READS, startTestShell, type TestShell, withoutOwnScripts } from './test-shell.ts';

const EVIL = '</script><script>alert(1)</script>"\'><img src=x onerror=alert(2)>&amp;\u2028';
const { preloadData } = JSON.parse(
  readFileSync(path.join(import.meta.dirname, '../../mf-community/package.json'), 'utf8'),
) as { preloadData: Record<string, string[]> };

const idOf = (n: number) => `0193a1b2-0000-7000-8000-00000000000${n}`;
const THREAD: PageThread = {
  id: idOf(1),
  country: 'us',
  state: 'NV',
  city: 'Las Vegas',
  title: 'Quiet places to meet',
  heading: 'Quiet places to meet',
  excerpt: 'Where do you like to have a first coffee?',
  replyCount: 3,
  startedAt: '2026-11-20T10:00:00.000Z',
  lastPostAt: '2026-11-21T10:00:00.000Z',
  isListed: true,
};
const THREADS: readonly PageThread[] = [
  THREAD,
  { ...THREAD, id: idOf(2), title: EVIL, heading: EVIL, excerpt: EVIL },
  { ...THREAD, id: idOf(3), title: '', heading: '', excerpt: '', isListed: false },
  { ...THREAD, id: idOf(4), title: '+1 702 555 0142', heading: '' },
];
const [PLAIN, EVIL_PATH, DELETED, NUMBER] = THREADS.map(threadPath) as [string, string, string, string];
const ARTICLE: PageArticle = {
  slug: 'meeting-safely',
  title: 'Meeting safely',
  summary: 'What helps before, during and after.',
  language: 'de',
  state: 'NV',
  city: 'Las Vegas',
  tags: ['safety', 'first-meeting'],
  cover: { id: 'm1', width_px: 1280, height_px: 720 },
  publishedAt: '2026-11-01T10:00:00.000Z',
  updatedAt: '2026-11-20T10:00:00.000Z',
};
const ARTICLES: readonly PageArticle[] = [
  ARTICLE,
  { ...ARTICLE, slug: 'evil', title: EVIL, summary: EVIL, cover: null, state: null, city: null, tags: [] },
];
const card = (thread: PageThread) => ({
  ...thread,
  slug: threadSlug(thread),
  author: { name: 'Robin Winter', isModerator: false },
});
/** API responses by path. */
const RESPONSES: Readonly<Record<string, unknown>> = {
  '/api/community/threads': { data: THREADS.slice(0, 2).map(card) },
  '/api/community/locations': { data: [{ code: 'us', name: 'United States', count: 2, states: [] }] },
  '/api/blog/articles': { data: ARTICLES.map(({ slug }) => ({ slug })) },
  '/api/blog/articles?city=Las+Vegas': { data: [{ slug: ARTICLE.slug }] },
  '/api/blog/articles/meeting-safely': { data: { slug: ARTICLE.slug, html: EVIL } },
  [`/api/community/threads/${threadSlug(THREAD)}`]: { data: { ...card(THREAD), opening: { html: EVIL } } },
};
const READS: PageReader = {
  ...NO_READS,
  readApiResponse: (requestedPath) =>
    Promise.resolve(
      RESPONSES[requestedPath] === undefined
        ? null
        : { body: JSON.stringify(RESPONSES[requestedPath]), position: '0000000000000000009' },
    ),
  findThread: (idOrSlug) =>
    Promise.resolve(
      THREADS.find((thread) => idOrSlug === thread.id || idOrSlug.slice(-10) === threadSlug(thread).slice(-10)) ?? null,
    ),
  findArticle: (slug) => Promise.resolve(ARTICLES.find((article) => article.slug === slug) ?? null),
};

let shell: TestShell;
beforeAll(async () => {
  shell = await startTestShell(READS, undefined, { preloadData });
});
afterAll(() => shell.stop());

const unescaped = (text = '') =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
function readHead(html: string) {
  const all = (pattern: RegExp) => [...html.matchAll(pattern)].map(([, match]) => unescaped(match));
  const data = all(/<script type="application\/ld\+json">(.*?)<\/script>/gsu)[0];
  const first = /<script type="application\/json" id="first-answers">(.*?)<\/script>/su.exec(html)?.[1];
  return {
    title: all(/<title>(.*?)<\/title>/gsu)[0],
    description: all(/<meta name="description" content="([^"]*)"/gu)[0],
    canonical: all(/<link rel="canonical" href="([^"]*)"/gu)[0],
    robots: all(/<meta name="robots" content="([^"]*)"/gu)[0],
    feeds: all(/<link rel="alternate" type="[^"]*" title="[^"]*" href="([^"]*)"/gu),
    of: (property: string) => all(new RegExp(`<meta property="${property}" content="([^"]*)"`, 'gu')),
    things:
      data === undefined
        ? []
        : (
            JSON.parse(/<script type="application\/ld\+json">(.*?)<\/script>/su.exec(html)?.[1] ?? '') as {
              '@graph': Record<string, unknown>[];
            }
          )['@graph'],
    first: first === undefined ? [] : Object.keys((JSON.parse(first) as { answers: Record<string, unknown> }).answers),
  };
}
const headAt = async (target: string) => readHead((await shell.get(target)).text);
const url = (target: string) => `https://www.example.org${target}`;

describe('a thread', () => {
  it('is a posting with a reply count and breadcrumbs, but without author names', async () => {
    const { status, text } = await shell.get(PLAIN);
    const head = readHead(text);
    expect(status).toBe(200);
    expect(head).toMatchObject({
      title: 'Quiet places to meet, Las Vegas · Alpenglow',
      description: THREAD.excerpt,
      canonical: url(PLAIN),
      robots: undefined,
      feeds: [],
    });
    expect([head.of('og:type'), head.of('og:url'), head.of('og:title')]).toEqual([
      ['website'],
      [url(PLAIN)],
      [head.title],
    ]);
    expect(head.things[0]).toEqual({
      '@type': 'DiscussionForumPosting',
      url: url(PLAIN),
      mainEntityOfPage: url(PLAIN),
      headline: THREAD.heading,
      text: THREAD.excerpt,
      author: { '@type': 'Organization', name: 'Members of Alpenglow', url: url('/community') },
      datePublished: THREAD.startedAt,
      commentCount: 3,
      interactionStatistic: {
        '@type': 'InteractionCounter',
        interactionType: 'https://schema.org/CommentAction',
        userInteractionCount: 3,
      },
      contentLocation: { '@type': 'City', name: 'Las Vegas', containedInPlace: { '@type': 'State', name: 'Nevada' } },
    });
    expect(head.things[1]).toMatchObject({
      '@type': 'BreadcrumbList',
      itemListElement: [
        { item: url('/') },
        { item: url('/community') },
        { item: url('/community/us') },
        { item: url('/community/us/nv') },
        { item: url('/community/us/nv/las-vegas') },
        { name: THREAD.heading, item: url(PLAIN) },
      ],
    });
    expect(text.slice(0, text.indexOf('first-answers'))).not.toContain('Robin');
  });

  it('has one canonical path; its id, an old slug and another place redirect there, with the query', async () => {
    for (const target of [
      `/community/${THREAD.id}`,
      `/community/${threadSlug(THREAD)}`,
      `/community/us/nv/las-vegas/${THREAD.id}`,
      `/community/us/nv/las-vegas/old-words${PLAIN.slice(-11)}`,
      `/community/US/nevada/reno/${threadSlug(THREAD)}`,
      `/community/x/y/z/${threadSlug(THREAD)}`,
    ]) {
      for (const query of ['', '?post=12&x=%2F']) {
        const { status, headers } = await shell.get(`${target}${query}`);
        expect([status, headers.location, headers['cache-control']], target).toEqual([
          301,
          // An unknown parameter is dropped.
          `${PLAIN}${query.replace('&x=%2F', '')}`,
          'no-cache',
        ]);
      }
    }
    expect((await shell.get(`${PLAIN}?post=12`)).status).toBe(200);
    expect(await headAt(`${PLAIN}?post=12`)).toMatchObject({ canonical: url(PLAIN), robots: 'noindex' });
  });

  it('without a displayable title is described by its place', async () => {
    expect(await headAt(NUMBER)).toMatchObject({ title: 'A thread, Las Vegas · Alpenglow' });
    expect(JSON.stringify(await headAt(NUMBER))).not.toContain('555');
  });

  it('that its author deleted has a page that is not indexed', async () => {
    expect([(await shell.get(DELETED)).status, await headAt(DELETED)]).toMatchObject([
      200,
      { robots: 'noindex', things: [], description: 'A thread among members about Las Vegas, Nevada. Adults only.' },
    ]);
  });

  test.each([
    `/community/${idOf(9)}`,
    '/community/us/nv/las-vegas/words-0000000000',
    '/community/us/nv/las-vegas/words',
    '/community/us/nv/las-vegas/a/b',
    '/community/nowhere',
    '/community/us/zz',
    '/community/us/nv/atlantis',
  ])('%s is not found', async (target) => {
    const { status, text } = await shell.get(target);
    expect([status, readHead(text)]).toMatchObject([
      404,
      { title: 'Thread not found · Alpenglow', robots: 'noindex', canonical: undefined, things: [], first: [] },
    ]);
    expect(text).toContain('<div id="root">');
  });

  it('that cannot be read in time has a page without its data, and no 404', async () => {
    const never = await startTestShell({
      ...NO_READS,
      findThread: () => new Promise(() => undefined),
      findArticle: () => Promise.reject(new Error('gone')),
    });
    for (const target of [PLAIN, '/blog/meeting-safely']) {
      const { status, text } = await never.get(target);
      expect([status, readHead(text).robots, readHead(text).canonical]).toEqual([200, undefined, undefined]);
    }
    await never.stop();
  });
});

describe('an article', () => {
  it('is a blog posting of the operator, with its city and cover', async () => {
    const head = await headAt('/blog/meeting-safely');
    expect(head).toMatchObject({
      title: 'Meeting safely · Alpenglow',
      description: ARTICLE.summary,
      canonical: url('/blog/meeting-safely'),
      robots: undefined,
    });
    expect([
      head.of('og:type'),
      head.of('og:image'),
      head.of('og:image:height'),
      head.of('article:published_time'),
      head.of('article:modified_time'),
      head.of('article:tag'),
    ]).toEqual([
      ['article'],
      [url('/uploads/photos/m1/640.jpg')],
      ['360'],
      [ARTICLE.publishedAt],
      [ARTICLE.updatedAt],
      ARTICLE.tags,
    ]);
    expect(head.things[0]).toEqual({
      '@type': 'BlogPosting',
      url: url('/blog/meeting-safely'),
      mainEntityOfPage: url('/blog/meeting-safely'),
      headline: ARTICLE.title,
      description: ARTICLE.summary,
      inLanguage: 'de',
      image: url('/uploads/photos/m1/640.jpg'),
      datePublished: ARTICLE.publishedAt,
      dateModified: ARTICLE.updatedAt,
      author: { '@type': 'Organization', '@id': url('/#operator'), name: 'Alpenglow', url: url('/') },
      publisher: { '@id': url('/#operator') },
      keywords: 'safety, first-meeting',
      about: { '@type': 'City', name: 'Las Vegas', containedInPlace: { '@type': 'State', name: 'Nevada' } },
    });
    expect(head.things[1]).toMatchObject({
      itemListElement: [
        { item: url('/') },
        { item: url('/blog') },
        { item: url('/blog/las-vegas') },
        { item: url('/blog/meeting-safely') },
      ],
    });
    const bare = (await headAt('/blog/evil')).things[0];
    expect(bare).toMatchObject({ image: url('/shared.jpg') });
    expect(Object.keys(bare ?? {})).not.toEqual(expect.arrayContaining(['keywords']));
  });

  test.each(['/blog/nothing-here', '/blog/Meeting-Safely', '/blog/%2e%2e', `/blog/${encodeURIComponent(EVIL)}`])(
    '%s is not found',
    async (target) => {
      expect([(await shell.get(target)).status, await headAt(target)]).toMatchObject([
        404,
        { title: 'Article not found · Alpenglow', robots: 'noindex', canonical: undefined, things: [] },
      ]);
    },
  );
});

describe('feeds', () => {
  test.each(['/blog', '/blog/las-vegas', '/blog/meeting-safely', '/blog?tag=safety'])(
    'are linked on %s',
    async (target) => {
      expect((await headAt(target)).feeds).toEqual([url('/blog/rss.xml'), url('/blog/atom.xml')]);
    },
  );

  it('are not linked on other pages, nor if the origin is unknown', async () => {
    for (const target of ['/', '/community', PLAIN]) expect((await headAt(target)).feeds).toEqual([]);
    const withoutOrigin = await startTestShell(READS, null);
    expect(readHead((await withoutOrigin.get('/blog', { host: 'evil.example' })).text).feeds).toEqual([]);
    await withoutOrigin.stop();
  });
});

test.each([
  '/community?sort=active',
  '/community?q=tea',
  '/community/us/nv?cursor=x',
  '/community?show=following',
  '/blog?tag=safety',
  '/blog?cursor=x',
  '/blog/las-vegas?tag=safety',
])('%s is not indexed and names the whole list as canonical', async (target) => {
  expect(await headAt(target)).toMatchObject({ robots: 'noindex', canonical: url(target.replace(/\?.*/u, '')) });
});

test.each(['/community/unsubscribe', '/community/unsubscribe/some-token'])('%s is not indexed', async (target) => {
  expect([(await shell.get(target)).status, await headAt(target)]).toMatchObject([
    200,
    { robots: 'noindex', canonical: undefined, things: [], first: [] },
  ]);
});

describe('the embedded API responses', () => {
  test.each([
    ['/community', ['/api/community/threads', '/api/community/locations']],
    ['/community/locations', ['/api/community/locations']],
    ['/blog', ['/api/blog/articles']],
    ['/blog/las-vegas', ['/api/blog/articles?city=Las+Vegas']],
    ['/blog/meeting-safely', ['/api/blog/articles/meeting-safely']],
    [PLAIN, [`/api/community/threads/${threadSlug(THREAD)}`]],
    // The API returns an error for this article, and error responses are not embedded.
    ['/blog/nothing-here', []],
  ])('of %s', async (target, paths) => {
    expect((await headAt(target)).first).toEqual(paths);
  });

  it('threads and articles are listed for search engines, places are not', async () => {
    const listed = async (target: string) => JSON.stringify((await headAt(target)).things[0]);
    expect(await listed('/community')).toContain(
      `"numberOfItems":2,"itemListElement":[{"@type":"ListItem","position":1,"url":"${url(PLAIN)}"}`,
    );
    expect(await listed('/blog')).toContain(`"url":"${url('/blog/meeting-safely')}"`);
    expect(await listed('/community/locations')).not.toContain('ItemList');
  });

  it('belong to exactly the paths that the remote requests', async () => {
    const requestOf = async (call: (api: ReturnType<typeof createApi>) => Promise<unknown>) => {
      const fetched = vi.fn(() => Promise.resolve(new Response('{"success":true,"data":{}}')));
      vi.stubGlobal('fetch', fetched);
      await call(createApi());
      vi.unstubAllGlobals();
      return String((fetched.mock.calls[0] as unknown[] | undefined)?.[0]);
    };
    const threads = (filter: Parameters<typeof listThreads>[1]) => requestOf((api) => listThreads(api, filter, null));
    const preloadPaths = (address: string) => {
      const [pathname = '', search = ''] = address.split('?');
      return getPreloadPaths(preloadData, pathname, search && `?${search}`);
    };
    expect(preloadPaths('/community')).toEqual([await threads({}), await requestOf((api) => listPlaces(api))]);
    expect(preloadPaths('/community?sort=active')).toEqual([await threads({ sort: 'active' })]);
    expect(preloadPaths('/community/us')[0]).toBe(await threads({ country: 'us' }));
    expect(preloadPaths('/community/US/nevada?sort=newest')).toEqual([
      await threads({ country: 'us', state: 'NV', sort: 'newest' }),
    ]);
    expect(preloadPaths('/community/us/NV/las-vegas?country=ch&city=Reno')).toEqual([
      await threads({ country: 'us', state: 'NV', city: 'Las Vegas' }),
    ]);
    expect(preloadPaths(PLAIN)).toEqual([await requestOf((api) => readThread(api, threadSlug(THREAD), null))]);
    expect(preloadPaths(`${PLAIN}?post=12`)).toEqual([
      await requestOf((api) => readThread(api, threadSlug(THREAD), { post: 12 })),
    ]);
    expect(preloadPaths('/blog?tag=safety&city=las-vegas')).toEqual([
      `/api${getArticlesPath({ city: 'Las Vegas', tag: 'safety' })}`,
    ]);
    expect(preloadPaths('/blog/las-vegas')).toEqual([`/api${getArticlesPath({ city: 'Las Vegas', tag: null })}`]);
  });
});

describe('text of users', () => {
  test.each([
    EVIL_PATH,
    PLAIN,
    '/community',
    '/blog/evil',
    '/blog/meeting-safely',
    `/community/us/nv/las-vegas/${encodeURIComponent(EVIL)}`,
    `/community?q=${encodeURIComponent(EVIL)}`,
  ])('cannot inject markup on %s', async (target) => {
    const { text } = await shell.get(target);
    expect(withoutOwnScripts(text)).not.toMatch(/<script>|<img|alert\(1\)<\/script>/u);
    for (const [, script] of withoutOwnScripts(text).matchAll(/<script[^>]*>(.*?)<\/script>/gsu))
      expect(script).not.toMatch(/[<>&\u2028]/u);
    expect([...text.matchAll(/<script[ >]/gu)].length).toBe([...text.matchAll(/<\/script>/gu)].length);
  });

  it('is complete in the embedded responses', async () => {
    const { text } = await shell.get(PLAIN);
    const embedded = JSON.parse(/id="first-answers">(.*?)<\/script>/su.exec(text)?.[1] ?? '') as {
      answers: Record<string, { data: { opening: { html: string } } }>;
    };
    expect(Object.values(embedded.answers)[0]?.data.opening.html).toBe(EVIL);
    expect((await headAt(EVIL_PATH)).title).toContain(EVIL);
  });
});

describe('API path templates with path variables', () => {
  const declared = { '/x/{name}': ['/api/things/{name}{?name,sort}', '/api/{other}', '/api/{name}/more'] };
  test.each([
    ['/x/a-b', '', ['/api/things/a-b?name=a-b', '/api/a-b/more']],
    ['/x/a%2Fb%3Fc%23d', '?sort=1', ['/api/things/a%2Fb%3Fc%23d?name=a%2Fb%3Fc%23d&sort=1']],
    ['/x/..', '', []],
    ['/x/%2e%2e', '', []],
    ['/x/.', '', []],
    [`/x/${'é'.repeat(300)}`, '', []],
  ])('%s%s', (pathname, search, paths) => {
    expect(getPreloadPaths(declared, pathname, search)).toEqual(paths);
  });
});
