import type { FeedArticle, PageReader } from '@alpenglow/domain/contracts';
import { afterEach, describe, expect, it, test } from 'vitest';
import { childOf, childrenOf, parseXml } from '../../tests/support/xml.ts';
import { makeLinksAbsolute } from '../server/feeds/absolute-links.ts';
import { createFeedFile } from '../server/feeds/feed-file.ts';
import { FEEDS, type FeedFormat } from '../server/feeds/formats.ts';
import { NO_READS, startTestShell, type TestShell } from './test-shell.ts';

const ORIGIN = 'https://www.example.org';
const [RSS, ATOM] = FEEDS as [FeedFormat, FeedFormat];
const ARTICLE: FeedArticle = {
  slug: 'meeting-safely',
  title: 'Tom & Jerry: “meeting” <safely>',
  summary: 'What helps, a < b & c.',
  language: 'en',
  state: 'NV',
  city: 'Las Vegas',
  tags: ['safety', 'first-meeting'],
  cover: { id: 'm1', width_px: 1280, height_px: 720 },
  publishedAt: '2026-11-01T10:00:00.000Z',
  updatedAt: '2026-11-20T10:00:00.000Z',
  html:
    '<p>Read <a href="/blog/etiquette?a=1&amp;b=2" rel="nofollow">this</a> &amp; ' +
    '<a href="https://other.example/x">that</a>.</p>',
};
/** Text that could end a CDATA section, that could confuse a parser, or that XML cannot represent. */
const SPECIAL = 'a ]]> b ]]]]> <![CDATA[ &amp; & \u0000\u0008\u001b\ufffe\ud800 مرحبا \u202e 👩‍👩‍👧 𝒳 \u2028 é';
const SPECIAL_AS_TEXT = SPECIAL.toWellFormed().replaceAll(/[\u0000\u0008\u001b\ufffe]/gu, '');

const xmlOf = async (format: FeedFormat, articles: readonly FeedArticle[]) =>
  (await createFeedFile(format, articles, ORIGIN)).body.toString();
const asHtml = (text: string) =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});
async function served(reads: PageReader | null, siteUrl?: string | null): Promise<TestShell> {
  const shell = await startTestShell(reads, siteUrl);
  stops.push(() => shell.stop());
  return shell;
}

describe('RSS', () => {
  it('has a channel with its own URL, and articles with their full text', async () => {
    const rss = parseXml(await xmlOf(RSS, [ARTICLE, { ...ARTICLE, slug: 'older', cover: null }]));
    expect([rss.name, rss.attributes['version']]).toEqual(['rss', '2.0']);
    const channel = childOf(rss, 'channel');
    expect([
      childOf(channel, 'title').text,
      childOf(channel, 'link').text,
      childOf(channel, 'language').text,
      childOf(channel, 'lastBuildDate').text,
    ]).toEqual(['Alpenglow · Blog', `${ORIGIN}/blog`, 'en', 'Fri, 20 Nov 2026 10:00:00 GMT']);
    expect(childOf(channel, 'atom:link').attributes).toEqual({
      href: `${ORIGIN}/blog/rss.xml`,
      rel: 'self',
      type: 'application/rss+xml',
    });
    const [item, older] = childrenOf(channel, 'item');
    if (!item || !older) throw new Error('An item is missing');
    expect([childOf(item, 'title').text, childOf(item, 'link').text, childOf(item, 'pubDate').text]).toEqual([
      ARTICLE.title,
      `${ORIGIN}/blog/meeting-safely`,
      'Sun, 01 Nov 2026 10:00:00 GMT',
    ]);
    expect([childOf(item, 'guid').text, childOf(item, 'guid').attributes]).toEqual([
      `${ORIGIN}/blog/meeting-safely`,
      { isPermaLink: 'true' },
    ]);
    expect(asHtml(childOf(item, 'description').text)).toBe(ARTICLE.summary);
    expect(childrenOf(item, 'category').map(({ text }) => text)).toEqual(ARTICLE.tags);
    expect(childOf(item, 'content:encoded').text).toBe(
      `<div lang="en"><p><img src="${ORIGIN}/uploads/photos/m1/640.jpg" width="640" height="360" alt=""></p>` +
        `<p>Read <a href="${ORIGIN}/blog/etiquette?a=1&amp;b=2" rel="nofollow">this</a> &amp; ` +
        '<a href="https://other.example/x">that</a>.</p></div>',
    );
    expect(childOf(older, 'content:encoded').text).not.toContain('<img');
  });
});

describe('Atom', () => {
  it('has a feed with its own URL and author, and articles with their full text', async () => {
    const feed = parseXml(await xmlOf(ATOM, [ARTICLE]));
    expect([feed.name, feed.attributes['xmlns']]).toEqual(['feed', 'http://www.w3.org/2005/Atom']);
    expect([
      childOf(feed, 'id').text,
      childOf(feed, 'updated').text,
      childOf(childOf(feed, 'author'), 'name').text,
    ]).toEqual([`${ORIGIN}/blog`, ARTICLE.updatedAt, 'Alpenglow']);
    expect(childrenOf(feed, 'link').map(({ attributes }) => attributes)).toEqual([
      { rel: 'alternate', href: `${ORIGIN}/blog` },
      { rel: 'self', href: `${ORIGIN}/blog/atom.xml` },
    ]);
    const entry = childOf(feed, 'entry');
    expect([
      childOf(entry, 'id').text,
      childOf(entry, 'link').attributes['href'],
      childOf(entry, 'published').text,
      childOf(entry, 'updated').text,
    ]).toEqual([
      `${ORIGIN}/blog/meeting-safely`,
      `${ORIGIN}/blog/meeting-safely`,
      ARTICLE.publishedAt,
      ARTICLE.updatedAt,
    ]);
    expect([
      childOf(entry, 'title').attributes['type'],
      asHtml(childOf(entry, 'title').text),
      asHtml(childOf(entry, 'summary').text),
    ]).toEqual(['html', ARTICLE.title, ARTICLE.summary]);
    expect(childrenOf(entry, 'category').map(({ attributes }) => attributes['term'])).toEqual(ARTICLE.tags);
    expect(childOf(entry, 'content').text).toContain(`href="${ORIGIN}/blog/etiquette?a=1&amp;b=2"`);
  });
});

describe('the language of each article', () => {
  const articles = [ARTICLE, { ...ARTICLE, slug: 'sicher', language: 'de', title: 'Sicher <entry>' }];
  test('is stated in RSS', async () => {
    const channel = childOf(parseXml(await xmlOf(RSS, articles)), 'channel');
    const items = childrenOf(channel, 'item');
    expect(items.map((item) => childOf(item, 'dc:language').text)).toEqual(['en', 'de']);
    expect(items.map((item) => childOf(item, 'content:encoded').text.slice(0, 15))).toEqual([
      '<div lang="en">',
      '<div lang="de">',
    ]);
  });
  test('is stated in Atom', async () => {
    const entries = childrenOf(parseXml(await xmlOf(ATOM, articles)), 'entry');
    expect(entries.map(({ attributes }) => attributes['xml:lang'])).toEqual(['en', 'de']);
    expect(entries.map((entry) => childOf(entry, 'content').text.slice(0, 15))).toEqual([
      '<div lang="en">',
      '<div lang="de">',
    ]);
  });
});

describe('special characters', () => {
  test.each(FEEDS)('are preserved in $name', async (format) => {
    const html = `<p dir="auto">${SPECIAL.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</p>`;
    const root = parseXml(await xmlOf(format, [{ ...ARTICLE, title: SPECIAL, summary: SPECIAL, html }]));
    const item = format === RSS ? childOf(childOf(root, 'channel'), 'item') : childOf(root, 'entry');
    // RSS readers interpret titles as HTML, so the RSS feed contains the title as escaped HTML.
    expect(asHtml(childOf(item, 'title').text)).toBe(format === RSS ? asHtml(SPECIAL_AS_TEXT) : SPECIAL_AS_TEXT);
    expect(asHtml(childOf(item, format === RSS ? 'description' : 'summary').text)).toBe(SPECIAL_AS_TEXT);
    expect(asHtml(childOf(item, format === RSS ? 'content:encoded' : 'content').text)).toContain(SPECIAL_AS_TEXT);
  });
});

describe('links', () => {
  test.each([
    ['<a href="/x">', `<a href="${ORIGIN}/x">`],
    ['<img alt="a > b" src="/uploads/photos/m/640.jpg">', `<img alt="a > b" src="${ORIGIN}/uploads/photos/m/640.jpg">`],
    ['<a href="//other.example/x">', '<a href="//other.example/x">'],
    ['<a href="https://other.example/?href=/x">', '<a href="https://other.example/?href=/x">'],
    ['<p>a href="/x" in words</p>', '<p>a href="/x" in words</p>'],
    ['<pre><code>&lt;a href="/x"&gt;</code></pre>', '<pre><code>&lt;a href="/x"&gt;</code></pre>'],
  ])('%s', (html, expected) => {
    expect(makeLinksAbsolute(html, ORIGIN)).toBe(expected);
  });
});

describe('the feed routes', () => {
  test.each(FEEDS)(
    '$name has its content type and cache time, supports compression, and responds with 304 if unchanged',
    async ({ path, type }) => {
      const shell = await served({ ...NO_READS, listFeedArticles: () => Promise.resolve([ARTICLE]) });
      const { status, headers, text } = await shell.get(path);
      expect([status, headers['content-type'], headers['cache-control'], headers.vary]).toEqual([
        200,
        `${type}; charset=utf-8`,
        'public, max-age=20, s-maxage=2',
        'Accept-Encoding',
      ]);
      expect(parseXml(text).children.length).toBeGreaterThan(0);
      expect((await shell.get(path, { 'if-none-match': String(headers.etag) })).status).toBe(304);
      expect((await shell.get(path, { 'accept-encoding': 'gzip' })).headers['content-encoding']).toBe('gzip');
      expect([(await shell.get(path, {}, 'HEAD')).status, (await shell.get(path, {}, 'HEAD')).text]).toEqual([200, '']);
      // The feed is also returned for the `Accept` header of a feed reader.
      expect((await shell.get(path, { accept: type })).status).toBe(200);
    },
  );

  it('creates the feed once for concurrent requests, with at most twenty articles', async () => {
    const limits: number[] = [];
    const shell = await served({
      ...NO_READS,
      listFeedArticles: (limit) => (limits.push(limit), Promise.resolve([ARTICLE])),
    });
    await Promise.all(Array.from({ length: 20 }, () => shell.get('/blog/rss.xml')));
    expect(limits).toEqual([20]);
  });

  it('returns a valid, unchanging feed if there are no articles', async () => {
    const [first, second] = await Promise.all([served(NO_READS), served(NO_READS)]);
    for (const { path } of FEEDS) {
      const { status, headers, text } = await first.get(path);
      expect([status, headers.etag]).toEqual([200, (await second.get(path)).headers.etag]);
      expect(text).not.toMatch(/<item|<entry/u);
      parseXml(text);
    }
  });

  it('returns 404 if the origin is unknown, and 503 if articles cannot be read', async () => {
    const withoutOrigin = await served(NO_READS, null);
    expect((await withoutOrigin.get('/blog/rss.xml', { host: 'evil.example' })).status).toBe(404);
    expect((await withoutOrigin.get('/blog/rss.xml', { host: 'localhost:8080' })).text).toContain(
      'http://localhost:8080/blog',
    );
    expect((await (await served(null)).get('/blog/atom.xml')).status).toBe(404);
    const failing = await served({ ...NO_READS, listFeedArticles: () => Promise.reject(new Error('gone')) });
    const { status, headers } = await failing.get('/blog/atom.xml');
    expect([status, headers['retry-after']]).toEqual([503, '60']);
  });
});

test.each([
  '<a>',
  '<a></b>',
  '<a/><b/>',
  '<a b="1" b="2"/>',
  '<a b=1/>',
  '<a>&nbsp;</a>',
  '<a>& b</a>',
  '<a>]]></a>',
  '<a><![CDATA[ ]]> ]]></a>',
  '<a>\u0008</a>',
  '<a>\ud800</a>',
  '<a b="<"/>',
])('the XML parser of these tests rejects %j', (xml) => {
  expect(() => parseXml(xml)).toThrow(/./u);
});
