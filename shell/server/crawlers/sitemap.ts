import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createGzip } from 'node:zlib';
import { adPath, cityPath, COUNTRIES, slugOf, STATES, type PageReads, type SitemapAd } from '@alpenglow/domain/contracts';
import { createKept } from '../data/kept.ts';
import { escaped } from '../html.ts';

/** A file of the sitemap, packed: XML of so many addresses packs to a tenth. */
export interface SitemapFile {
  readonly gzip: Buffer;
  readonly etag: string;
}

export interface SitemapOptions {
  readonly reads: PageReads;
  /** Ads of one file. The protocol allows 50,000 addresses; ads that come after the files were divided have room. */
  readonly fileSize?: number;
  /** Ads read at a time. */
  readonly pageSize?: number;
}

/** Crawlers come seldom, and an hour is nothing to them. */
const LIFETIME_ms = 60 * 60_000;
/** All files of one million ads: some 20 MB. */
const MOST_KEPT = 32;
const MOST_ADDRESSES = 50_000;
const NAMESPACE = 'http://www.sitemaps.org/schemas/sitemap/0.9';

export interface Sitemap {
  /** `index`, `pages`, or the number of a file of ads; null when there is no such file. Rejects when the ads cannot be read. */
  file(origin: string, name: string): Promise<SitemapFile | null>;
}

/** The sitemap in files of bounded size, each read page by page and kept for an hour. One is made at a time, however many are asked for. */
export function createSitemap({ reads, fileSize = 45_000, pageSize = 2_500 }: SitemapOptions): Sitemap {
  const ends = createKept({ make: () => reads.sitemapEnds(fileSize), lifetime_ms: LIFETIME_ms, max: 1 });
  const files = createKept({ make: (key) => inTurn(() => make(...(JSON.parse(key) as [origin: string, name: string]))), lifetime_ms: LIFETIME_ms, max: MOST_KEPT });
  let last: Promise<unknown> = Promise.resolve();

  function inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  }

  async function make(origin: string, name: string): Promise<SitemapFile> {
    if (name === 'index') return packed('sitemapindex', indexEntries(origin, await ends.get('all')));
    if (name === 'pages') return packed('urlset', [PAGES.map((path) => entry(`${origin}${path}`)).join('')]);
    const number = Number(name);
    const known = await ends.get('all');
    return packed('urlset', adEntries(origin, known[number - 2] ?? '', known[number - 1] ?? null));
  }

  async function* adEntries(origin: string, after: string, upTo: string | null): AsyncGenerator<string> {
    let left = MOST_ADDRESSES;
    for (let from: string | undefined = after; from !== undefined && left > 0; ) {
      const ads: readonly SitemapAd[] = await reads.sitemapAds(from, upTo, Math.min(pageSize, left));
      yield ads.map((ad) => entry(`${origin}${adPath(ad)}`, ad.updatedAt)).join('');
      left -= ads.length;
      from = ads.length < pageSize ? undefined : ads.at(-1)?.id;
    }
  }

  return {
    async file(origin, name) {
      // The last file is of those ads behind the last full one, and of those that came since.
      if (/^\d+$/u.test(name) && Number(name) > (await ends.get('all')).length + 1) return null;
      return files.get(JSON.stringify([origin, name]));
    },
  };
}

/** What is there whoever has posted: pages of the site, and of each place. */
const PAGES: readonly string[] = [
  ...['/', '/listings', '/blog', '/community', '/community/locations', '/about', '/privacy', '/terms'],
  ...STATES.flatMap(({ code, cities }) => [`/listings?state=${code}`, ...cities.map((city) => cityPath(code, city))]),
  ...COUNTRIES.flatMap((country) => [
    `/community/${country.code}`,
    ...country.states.flatMap(({ code, cities }) => [`/community/${country.code}/${code.toLowerCase()}`, ...cities.map((city) => `/community/${country.code}/${code.toLowerCase()}/${slugOf(city)}`)]),
  ]),
];

const entry = (url: string, changedAt?: string) => `<url><loc>${escaped(url)}</loc>${changedAt === undefined ? '' : `<lastmod>${changedAt}</lastmod>`}</url>\n`;

function indexEntries(origin: string, ends: readonly string[]): readonly string[] {
  const names = ['pages', ...Array.from({ length: ends.length + 1 }, (_, index) => `ads-${index + 1}`)];
  return names.map((name) => `<sitemap><loc>${escaped(`${origin}/sitemaps/${name}.xml`)}</loc></sitemap>\n`);
}

/** Written into gzip as it comes, so that the text is never in memory whole. */
async function packed(root: string, parts: Iterable<string> | AsyncIterable<string>): Promise<SitemapFile> {
  const gzip = createGzip({ level: 9 });
  const chunks: Buffer[] = [];
  gzip.on('data', (chunk: Buffer) => chunks.push(chunk));
  const ended = once(gzip, 'end');
  gzip.write(`<?xml version="1.0" encoding="UTF-8"?>\n<${root} xmlns="${NAMESPACE}">\n`);
  try {
    for await (const part of parts) if (!gzip.write(part)) await once(gzip, 'drain');
  } catch (error) {
    ended.catch(() => undefined);
    gzip.destroy();
    throw error;
  }
  gzip.end(`</${root}>\n`);
  await ended;
  const body = Buffer.concat(chunks);
  return { gzip: body, etag: `"${createHash('sha1').update(body).digest('base64url')}"` };
}
