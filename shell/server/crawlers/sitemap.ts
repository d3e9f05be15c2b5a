import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createGzip } from 'node:zlib';
import {
  adPath,
  articlePath,
  cityPath,
  communityPath,
  COUNTRIES,
  STATES,
  threadPath,
  type PageReads,
  type SitemapThread,
} from '@alpenglow/domain/contracts';
import { createKept, type Kept } from '../data/kept.ts';
import { escaped } from '../html.ts';

/** A file of the sitemap, packed: XML of so many addresses packs to a tenth. */
export interface SitemapFile {
  readonly gzip: Buffer;
  readonly etag: string;
  /** How long anybody may keep it. */
  readonly lifetime_s: number;
}

type PackedFile = Omit<SitemapFile, 'lifetime_s'>;

export interface SitemapOptions {
  readonly reads: PageReads;
  /** Ads or threads of one file. The protocol allows 50,000 addresses; what comes after the files were divided has room. */
  readonly fileSize?: number;
  /** Read at a time. */
  readonly pageSize?: number;
}

/** Crawlers come seldom, and an hour is nothing to them. */
const LIFETIME_ms = 60 * 60_000;
/** Of files whose addresses have words of threads and articles in them, which are gone with what is hidden or withdrawn. */
const SHORT_ms = 5_000;
const SHORT_LIVED = /^(?:threads-|articles$)/u;
/** All files of one million ads: some 20 MB. */
const MOST_KEPT = 32;
const MOST_ADDRESSES = 50_000;
const NAMESPACE = 'http://www.sitemaps.org/schemas/sitemap/0.9';

const SINGLE: ReadonlySet<string> = new Set(['index', 'pages', 'articles']);
/** What has files of its own, as many as it takes. */
const NUMBERED = /^(ads|threads)-([1-9]\d{0,4})$/u;

export interface Sitemap {
  /** `index`, `pages`, `articles`, `ads-1…` or `threads-1…`; null when there is no such file. Rejects when what it is made of cannot be read. */
  file(origin: string, name: string): Promise<SitemapFile | null>;
}

/** The sitemap in files of bounded size, each read page by page and kept for a while. One is made at a time, however many are asked for. */
export function createSitemap({ reads, fileSize = 45_000, pageSize = 2_500 }: SitemapOptions): Sitemap {
  const ends = createKept({
    make: (kind) => (kind === 'ads' ? reads.sitemapEnds(fileSize) : threadEnds()),
    lifetime_ms: LIFETIME_ms,
    max: 2,
  });
  const keptFor = (lifetime_ms: number): Kept<PackedFile> =>
    createKept({
      make: (key) => inTurn(() => make(...(JSON.parse(key) as [origin: string, name: string]))),
      lifetime_ms,
      max: MOST_KEPT,
    });
  const [files, shortLived] = [keptFor(LIFETIME_ms), keptFor(SHORT_ms)];
  let last: Promise<unknown> = Promise.resolve();

  function inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  }

  async function make(origin: string, name: string): Promise<PackedFile> {
    if (name === 'index')
      return packed('sitemapindex', indexEntries(origin, await ends.get('ads'), await ends.get('threads')));
    if (name === 'pages') return packed('urlset', [PAGES.map((path) => entry(`${origin}${path}`)).join('')]);
    if (name === 'articles')
      return packed('urlset', [
        (await reads.sitemapArticles(MOST_ADDRESSES))
          .map(({ slug, updatedAt }) => entry(`${origin}${articlePath(slug)}`, updatedAt))
          .join(''),
      ]);
    const [, kind = '', number = ''] = NUMBERED.exec(name) ?? [];
    const divided = await ends.get(kind);
    const after = divided[Number(number) - 2] ?? '';
    const upTo = divided[Number(number) - 1] ?? null;
    return packed('urlset', kind === 'ads' ? adEntries(origin, after, upTo) : threadEntries(origin, after, upTo));
  }

  const adEntries = (origin: string, after: string, upTo: string | null) =>
    entries(
      after,
      (from, limit) => reads.sitemapAds(from, upTo, limit),
      (ad) => entry(`${origin}${adPath(ad)}`, ad.updatedAt),
    );

  const threadEntries = (origin: string, after: string, upTo: string | null) =>
    entries(
      after,
      async (from, limit) => (await reads.sitemapThreads(from, limit)).filter(({ id }) => upTo === null || id <= upTo),
      (thread) => entry(`${origin}${threadPath(thread)}`, thread.lastPostAt),
    );

  /** What is behind a place, read page by page. */
  async function* entries<Item extends { readonly id: string }>(
    after: string,
    read: (from: string, limit: number) => Promise<readonly Item[]>,
    entryOf: (item: Item) => string,
  ): AsyncGenerator<string> {
    let left = MOST_ADDRESSES;
    for (let from: string | undefined = after; from !== undefined && left > 0; ) {
      const limit = Math.min(pageSize, left);
      const items: readonly Item[] = await read(from, limit);
      yield items.map(entryOf).join('');
      left -= items.length;
      from = items.length < limit ? undefined : items.at(-1)?.id;
    }
  }

  /** Where the files of threads end, as `sitemapEnds` says it of ads: found by walking through them. */
  async function threadEnds(): Promise<readonly string[]> {
    const found: string[] = [];
    let count = 0;
    for (let after: string | undefined = ''; after !== undefined; ) {
      const page: readonly SitemapThread[] = await reads.sitemapThreads(after, pageSize);
      for (const { id } of page) if ((count += 1) % fileSize === 0) found.push(id);
      after = page.length < pageSize ? undefined : page.at(-1)?.id;
    }
    return found;
  }

  return {
    async file(origin, name) {
      const [, kind, number] = NUMBERED.exec(name) ?? [];
      if (kind === undefined && !SINGLE.has(name)) return null;
      // The last file is of those behind the last full one, and of those that came since.
      if (kind !== undefined && Number(number) > (await ends.get(kind)).length + 1) return null;
      const key = JSON.stringify([origin, name]);
      if (SHORT_LIVED.test(name)) return { ...(await shortLived.get(key)), lifetime_s: SHORT_ms / 1000 };
      return { ...(await files.get(key)), lifetime_s: LIFETIME_ms / 1000 };
    },
  };
}

/** What is there whoever has posted: pages of the site, and of each place. */
const PAGES: readonly string[] = [
  ...['/', '/listings', '/blog', '/community', '/community/locations', '/about', '/help', '/privacy', '/terms'],
  ...STATES.flatMap(({ code, cities }) => [`/listings?state=${code}`, ...cities.map((city) => cityPath(code, city))]),
  ...COUNTRIES.flatMap((country) => [
    communityPath(country.code),
    ...country.states.flatMap(({ code, cities }) => [
      communityPath(country.code, code),
      ...cities.map((city) => communityPath(country.code, code, city)),
    ]),
  ]),
];

const entry = (url: string, changedAt?: string) =>
  `<url><loc>${escaped(url)}</loc>${changedAt === undefined ? '' : `<lastmod>${changedAt}</lastmod>`}</url>\n`;

function indexEntries(origin: string, adEnds: readonly string[], threadEnds: readonly string[]): readonly string[] {
  const numbered = (kind: string, ends: readonly string[]) =>
    Array.from({ length: ends.length + 1 }, (_, index) => `${kind}-${index + 1}`);
  const names = [...SINGLE, ...numbered('ads', adEnds), ...numbered('threads', threadEnds)].filter(
    (name) => name !== 'index',
  );
  return names.map((name) => `<sitemap><loc>${escaped(`${origin}/sitemaps/${name}.xml`)}</loc></sitemap>\n`);
}

/** Written into gzip as it comes, so that the text is never in memory whole. */
async function packed(root: string, parts: Iterable<string> | AsyncIterable<string>): Promise<PackedFile> {
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
