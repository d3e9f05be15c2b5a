import { gunzipSync } from 'node:zlib';
import { threadPath, type PageReader, type SitemapAd, type SitemapThread } from '@alpenglow/domain/contracts';
import { afterEach, describe, expect, it } from 'vitest';
import { createSitemap } from '../server/crawlers/sitemap.ts';
import { NO_READS, startTestShell, type TestShell } from './test-shell.ts';

const MANY_ADS = Array.from(
  { length: 9_500 },
  (_, index): SitemapAd => ({
    id: `ad-${String(index).padStart(4, '0')}`,
    slug: `walk-talk-${index}`,
    title: `Walk & talk ${index}`,
    state: 'NV',
    city: 'Las Vegas',
    updatedAt: '2026-11-20T10:00:00.000Z',
  }),
);
const ADS = MANY_ADS.slice(0, 95);
const pageLengths: number[] = [];
const readsOf = (ads: readonly SitemapAd[]): PageReader => ({
  ...NO_READS,
  listSitemapBoundaries: (size) =>
    Promise.resolve(ads.filter((_, index) => (index + 1) % size === 0).map(({ id }) => id)),
  listSitemapAds: (after, upTo, limit) => {
    const collected = ads.filter(({ id }) => id > after && (upTo === null || id <= upTo)).slice(0, limit);
    pageLengths.push(collected.length);
    return Promise.resolve(collected);
  },
});

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});
async function served(
  reads: PageReader | null,
  siteUrl: string | null = 'https://www.example.org',
): Promise<TestShell> {
  const shell = await startTestShell(reads, siteUrl);
  stops.push(() => shell.stop());
  return shell;
}
const locations = (xml: string) => [...xml.matchAll(/<loc>(.*?)<\/loc>/gu)].map(([, url = '']) => url);

describe('the sitemap', () => {
  it('contains every ad once, in files of bounded size that are read page by page', async () => {
    const sitemap = createSitemap({ reads: readsOf(MANY_ADS), fileSize: 4_000 });
    const read = async (name: string) =>
      gunzipSync((await sitemap.file('https://a.example', name))?.gzip ?? Buffer.alloc(0)).toString();
    const files = locations(await read('index')).map((url) => /\/sitemaps\/(.*)\.xml$/u.exec(url)?.[1] ?? '');
    const english = ['pages', 'articles', 'ads-1', 'ads-2', 'ads-3', 'threads-1'];
    const others = ['de', 'fr', 'it'].flatMap((locale) => english.map((name) => `${locale}-${name}`));
    expect(files).toEqual([...english, ...others]);
    expect(locations(await read('de-ads-2'))).toEqual(
      locations(await read('ads-2')).map((url) => url.replace('a.example/', 'a.example/de/')),
    );
    expect(locations(await read('it-pages'))[0]).toBe('https://a.example/it');
    expect(await sitemap.file('https://a.example', 'de-index')).toBeNull();
    expect(await sitemap.file('https://a.example', 'en-pages')).toBeNull();
    const collected: string[] = [];
    for (const file of english.slice(2, -1)) {
      const urls = locations(await read(file));
      expect(urls.length).toBeLessThanOrEqual(4_000);
      collected.push(...urls);
    }
    expect(collected).toEqual(
      MANY_ADS.map(({ id }, index) => `https://a.example/escorts/nv/las-vegas/walk-talk-${index}/${id}`),
    );
    expect(Math.max(...pageLengths)).toBe(2_500);
    expect(await read('ads-1')).toContain('<lastmod>2026-11-20T10:00:00.000Z</lastmod>');
    expect(await sitemap.file('https://a.example', 'ads-4')).toBeNull();
  });

  it('contains every thread once with its current URL, and every article', async () => {
    const threads = Array.from(
      { length: 4_500 },
      (_, index): SitemapThread => ({
        id: `0193a1b2-0000-7000-8000-${String(index).padStart(12, '0')}`,
        country: 'us',
        state: 'NV',
        city: 'Las Vegas',
        title: `Tea & talk ${index}`,
        lastPostAt: '2026-11-20T10:00:00.000Z',
      }),
    );
    const reads: PageReader = {
      ...NO_READS,
      listSitemapThreads: (after, limit) => Promise.resolve(threads.filter(({ id }) => id > after).slice(0, limit)),
      listSitemapArticles: () => Promise.resolve([{ slug: 'meeting-safely', updatedAt: '2026-11-19T10:00:00.000Z' }]),
    };
    const sitemap = createSitemap({ reads, fileSize: 2_000 });
    const read = async (name: string) =>
      gunzipSync((await sitemap.file('https://a.example', name))?.gzip ?? Buffer.alloc(0)).toString();
    const files = locations(await read('index')).flatMap((url) => /\/(threads-\d+)\.xml$/u.exec(url)?.[1] ?? []);
    expect(files).toEqual(['threads-1', 'threads-2', 'threads-3']);
    const collected = await Promise.all(files.map(async (file) => locations(await read(file))));
    expect(collected.map((urls) => urls.length)).toEqual([2_000, 2_000, 500]);
    expect(collected.flat()).toEqual(threads.map((thread) => `https://a.example${threadPath(thread)}`));
    expect(await read('threads-1')).toContain('<lastmod>2026-11-20T10:00:00.000Z</lastmod>');
    expect(await sitemap.file('https://a.example', 'threads-4')).toBeNull();
    expect(await read('articles')).toContain(
      '<loc>https://a.example/blog/meeting-safely</loc><lastmod>2026-11-19T10:00:00.000Z</lastmod>',
    );
  });

  it('ends with an empty file for new ads if the last file is full', async () => {
    const sitemap = createSitemap({ reads: readsOf(ADS.slice(0, 40)), fileSize: 20 });
    expect(gunzipSync((await sitemap.file('https://a.example', 'ads-3'))?.gzip ?? Buffer.alloc(0)).toString()).toMatch(
      /<urlset[^>]*>\n<\/urlset>/u,
    );
  });

  it('is created once for concurrent requests', async () => {
    let createdCount = 0;
    const sitemap = createSitemap({
      reads: { ...readsOf(ADS), listSitemapBoundaries: async () => ((createdCount += 1), []) },
    });
    await Promise.all(Array.from({ length: 20 }, () => sitemap.file('https://a.example', 'index')));
    expect(createdCount).toBe(1);
  });

  it('is served with its cache time, compressed and uncompressed', async () => {
    const shell = await served(readsOf(ADS));
    const index = await shell.get('/sitemap.xml');
    expect([index.status, index.headers['content-type'], index.headers['cache-control']]).toEqual([
      200,
      'application/xml; charset=utf-8',
      'public, max-age=3600',
    ]);
    expect(locations(index.text)).toEqual(
      ['', 'de-', 'fr-', 'it-'].flatMap((locale) =>
        ['pages', 'articles', 'ads-1', 'threads-1'].map(
          (name) => `https://www.example.org/sitemaps/${locale}${name}.xml`,
        ),
      ),
    );
    expect((await shell.get('/sitemap.xml', { 'if-none-match': String(index.headers.etag) })).status).toBe(304);
    expect((await shell.get('/sitemap.xml', { 'accept-encoding': 'gzip' })).headers['content-encoding']).toBe('gzip');
    expect((await shell.get('/sitemaps/ads-1.xml', {}, 'HEAD')).status).toBe(200);
    expect(locations((await shell.get('/sitemaps/ads-1.xml')).text)).toHaveLength(95);
    expect((await shell.get('/sitemaps/threads-1.xml')).headers['cache-control']).toBe('public, max-age=5');
    const pages = locations((await shell.get('/sitemaps/pages.xml')).text);
    expect(pages).toEqual(
      expect.arrayContaining([
        'https://www.example.org/',
        'https://www.example.org/city/nv/las-vegas',
        'https://www.example.org/listings?state=NV',
        'https://www.example.org/community/us/nv/las-vegas',
      ]),
    );
    for (const name of [
      'ads-2',
      'ads-0',
      'ads-99999',
      'threads-2',
      'threads-0',
      'threads',
      'index',
      'pages-1',
      'other',
      '..%2f..%2fetc',
    ])
      expect((await shell.get(`/sitemaps/${name}.xml`)).status, name).toBe(404);
  });

  it('returns 404 if the origin is unknown, and 503 if ads cannot be read', async () => {
    const withoutOrigin = await served(readsOf(ADS), null);
    expect((await withoutOrigin.get('/sitemap.xml', { host: 'evil.example' })).status).toBe(404);
    expect((await (await served(null)).get('/sitemap.xml')).status).toBe(404);
    const failing = await served({ ...NO_READS, listSitemapBoundaries: () => Promise.reject(new Error('gone')) });
    const { status, headers } = await failing.get('/sitemap.xml');
    expect([status, headers['retry-after']]).toEqual([503, '120']);
  });
});

describe('robots.txt', () => {
  it('names the sitemap and the paths that crawlers must not request', async () => {
    const { text, headers } = await (await served(NO_READS)).get('/robots.txt');
    expect(headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(text).toMatch(
      new RegExp(
        '^User-agent: \\*\\nDisallow: /api/\\n(?:Disallow: /[\\w/-]+\\n)+\\n' +
          'Sitemap: https://www\\.example\\.org/sitemap\\.xml\\n$',
        'u',
      ),
    );
    expect((await (await served(NO_READS, null)).get('/robots.txt', { host: 'evil.example' })).text).not.toMatch(
      /Sitemap|evil/u,
    );
  });
});
