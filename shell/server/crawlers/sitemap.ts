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
  type PageReader,
  type SitemapThread,
} from '@alpenglow/domain/contracts';
import { escapeHtml } from '@alpenglow/infra';
import { toLocalePath } from '@alpenglow/ui/locale-path';
import { isLocale, LOCALES, SOURCE_LOCALE, type Locale } from '@alpenglow/ui/locales';
import { createShortCache } from '../data/short-cache.ts';

/** A file of the sitemap. It is stored compressed (gzip), because this needs a tenth of the memory. */
interface SitemapFile {
  readonly gzip: Buffer;
  readonly etag: string;
  /** The time in seconds for which a client may cache the file. */
  readonly lifetime_s: number;
}

type PackedFile = Omit<SitemapFile, 'lifetime_s'>;

/** Names a file of one site. `name` is without its language. */
interface FileName {
  readonly origin: string;
  readonly locale: Locale;
  readonly name: string;
}

export interface SitemapOptions {
  readonly reads: PageReader;
  /**
   * The number of ads or threads per file. It is lower than the 50,000 URLs that the protocol allows. The difference is
   * a reserve for ads that are posted after the boundaries between the files were computed.
   */
  readonly fileSize?: number;
}

/** Cache time of most sitemap files. Crawlers request them rarely, so their data may be one hour old. */
const LIFETIME_ms = 60 * 60_000;
/**
 * Cache time of files that contain URLs of threads or articles. Such a URL contains the title of the content. The title
 * must disappear soon after the content is hidden.
 */
const SHORT_LIFETIME_ms = 5_000;
const SHORT_LIVED = /^(?:threads-|articles$)/u;
/** Maximum number of files in each cache. It suffices for one million ads, which need about 80 MB. */
const MAX_CACHED_FILES = 32 * LOCALES.length;
const MAX_URLS = 50_000;
/** The number of items that are read with one request. */
const PAGE_SIZE = 2_500;
const NAMESPACE = 'http://www.sitemaps.org/schemas/sitemap/0.9';

const SINGLE: ReadonlySet<string> = new Set(['index', 'pages', 'articles']);
const NUMBERED = /^(ads|threads)-([1-9]\d{0,4})$/u;

/**
 * Creates a sitemap that consists of files with a maximum size. Each file is read page by page and then cached. Only
 * one file is created at a time, even if clients request several files.
 */
export function createSitemap({ reads, fileSize = 45_000 }: SitemapOptions) {
  const fileEnds = createShortCache({
    create: (kind: string) => (kind === 'ads' ? reads.listSitemapBoundaries(fileSize) : threadEnds()),
    lifetime_ms: LIFETIME_ms,
    max: 2,
  });
  const cacheFor = (lifetime_ms: number) =>
    createShortCache({
      create: (wanted: FileName) => runInSequence(() => make(wanted)),
      lifetime_ms,
      max: MAX_CACHED_FILES,
    });
  const [files, shortLived] = [cacheFor(LIFETIME_ms), cacheFor(SHORT_LIFETIME_ms)];
  let last: Promise<unknown> = Promise.resolve();

  function runInSequence<Value>(work: () => Promise<Value>): Promise<Value> {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  }

  async function make({ origin, locale, name }: FileName): Promise<PackedFile> {
    if (name === 'index')
      return packed('sitemapindex', indexEntries(origin, await fileEnds.get('ads'), await fileEnds.get('threads')));
    const toEntry = (path: string, changedAt?: string) => entry(`${origin}${toLocalePath(locale, path)}`, changedAt);
    if (name === 'pages') return packed('urlset', [PAGES.map((path) => toEntry(path)).join('')]);
    if (name === 'articles')
      return packed('urlset', [
        (await reads.listSitemapArticles(MAX_URLS))
          .map(({ slug, updatedAt }) => toEntry(articlePath(slug), updatedAt))
          .join(''),
      ]);
    const [, kind = '', number = ''] = NUMBERED.exec(name) ?? [];
    const boundaries = await fileEnds.get(kind);
    const after = boundaries[Number(number) - 2] ?? '';
    const upTo = boundaries[Number(number) - 1] ?? null;
    return packed('urlset', kind === 'ads' ? adEntries(toEntry, after, upTo) : threadEntries(toEntry, after, upTo));
  }

  const adEntries = (toEntry: ToEntry, after: string, upTo: string | null) =>
    entriesAfter(
      after,
      (from, limit) => reads.listSitemapAds(from, upTo, limit),
      (ad) => toEntry(adPath(ad), ad.updatedAt),
    );

  const threadEntries = (toEntry: ToEntry, after: string, upTo: string | null) =>
    entriesAfter(
      after,
      async (from, limit) =>
        (await reads.listSitemapThreads(from, limit)).filter(({ id }) => upTo === null || id <= upTo),
      (thread) => toEntry(threadPath(thread), thread.lastPostAt),
    );

  /** Reads the items after the id `after`, page by page. Yields the XML of each page. */
  async function* entriesAfter<Item extends { readonly id: string }>(
    after: string,
    read: (from: string, limit: number) => Promise<readonly Item[]>,
    toXml: (item: Item) => string,
  ): AsyncGenerator<string> {
    let remaining = MAX_URLS;
    for (let from: string | undefined = after; from !== undefined && remaining > 0; ) {
      const limit = Math.min(PAGE_SIZE, remaining);
      const items: readonly Item[] = await read(from, limit);
      yield items.map(toXml).join('');
      remaining -= items.length;
      from = items.length < limit ? undefined : items.at(-1)?.id;
    }
  }

  /** Reads the ids of all threads, and returns the last thread id of each full sitemap file. */
  async function threadEnds(): Promise<readonly string[]> {
    const boundaries: string[] = [];
    let count = 0;
    for (let after: string | undefined = ''; after !== undefined; ) {
      const page: readonly SitemapThread[] = await reads.listSitemapThreads(after, PAGE_SIZE);
      for (const { id } of page) if ((count += 1) % fileSize === 0) boundaries.push(id);
      after = page.length < PAGE_SIZE ? undefined : page.at(-1)?.id;
    }
    return boundaries;
  }

  return {
    /**
     * Returns the file `index`, `pages`, `articles`, `ads-<number>` or `threads-<number>`. All files except `index`
     * exist in each language. Names in other languages than the source language begin with the language, as in
     * `de-pages`. Returns null if there is no such file. Rejects if its data cannot be read.
     */
    async file(origin: string, fullName: string): Promise<SitemapFile | null> {
      const { locale, name } = parseName(fullName);
      const [, kind, number] = NUMBERED.exec(name) ?? [];
      if (kind === undefined && (!SINGLE.has(name) || (name === 'index' && fullName !== 'index'))) return null;
      // The last file is not full. It contains the items after the last boundary, including newer ones.
      if (kind !== undefined && Number(number) > (await fileEnds.get(kind)).length + 1) return null;
      const wanted = { origin, locale, name };
      if (SHORT_LIVED.test(name)) return { ...(await shortLived.get(wanted)), lifetime_s: SHORT_LIFETIME_ms / 1000 };
      return { ...(await files.get(wanted)), lifetime_s: LIFETIME_ms / 1000 };
    },
  };
}

type ToEntry = (path: string, changedAt?: string) => string;

function parseName(fullName: string): { readonly locale: Locale; readonly name: string } {
  const [, first = '', rest = ''] = /^([a-z]{2})-(.+)$/u.exec(fullName) ?? [];
  return isLocale(first) && first !== SOURCE_LOCALE
    ? { locale: first, name: rest }
    : { locale: SOURCE_LOCALE, name: fullName };
}

/** Paths of the fixed pages and of the pages of places. */
const PAGES: readonly string[] = [
  ...[
    '/',
    '/listings',
    '/blog',
    '/community',
    '/community/locations',
    '/about',
    '/help',
    '/removal',
    '/privacy',
    '/terms',
  ],
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
  `<url><loc>${escapeHtml(url)}</loc>${changedAt === undefined ? '' : `<lastmod>${changedAt}</lastmod>`}</url>\n`;

function indexEntries(origin: string, adEnds: readonly string[], threadEnds: readonly string[]): readonly string[] {
  const numbered = (kind: string, fileEnds: readonly string[]) =>
    Array.from({ length: fileEnds.length + 1 }, (_, index) => `${kind}-${index + 1}`);
  const names = [...SINGLE, ...numbered('ads', adEnds), ...numbered('threads', threadEnds)].filter(
    (name) => name !== 'index',
  );
  return LOCALES.flatMap((locale) =>
    names.map((name) => {
      const file = locale === SOURCE_LOCALE ? name : `${locale}-${name}`;
      return `<sitemap><loc>${escapeHtml(`${origin}/sitemaps/${file}.xml`)}</loc></sitemap>\n`;
    }),
  );
}

/** Compresses the XML as a stream, so that the complete XML is never in memory. */
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
