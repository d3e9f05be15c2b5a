import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { PageReader } from '@alpenglow/domain/contracts';
import type { Registry } from '@alpenglow/ui/contract';
import { toLocalePath } from '@alpenglow/ui/locale-path';
import { findArea, getContentPath, isUnknownPath, registerRoutes, routesOf } from '../../src/routes/owners.ts';
import { createEmbeddedResponses, type EmbeddedResponse } from '../data/embedded-responses.ts';
import { createShortCache } from '../data/short-cache.ts';
import { getPreloadPaths } from '../data/preload-paths.ts';
import { withTimeout } from '../data/with-timeout.ts';
import { renderPage, type RenderedContent } from '../page.ts';
import type { PageSource } from '../page-source.ts';
import { createRareWarnings } from '../rare-warnings.ts';
import { toByteText } from '../rendering/byte-text.ts';
import type { Renderer } from '../rendering/renderer.ts';
import type { ShellBuild } from '../shell-build.ts';
import { TEXTS } from '../texts.ts';
import type { Visitor } from '../visitor.ts';
import type { HeadInput } from './head-parts.ts';
import { createHead } from './head.ts';
import { toPageSearch } from './page-search.ts';
import { parseSubject, type PageSubject } from './subject.ts';

type PageEncoding = 'br' | 'gzip' | 'identity';

export interface PageRequest extends Visitor {
  readonly origin: string | null;
  readonly pathname: string;
  /** The query of the URL with its `?`. It may be empty. */
  readonly search: string;
  readonly encoding: PageEncoding;
}

/** The parts of a request on which the content of a page depends. */
type ContentRequest = Pick<PageRequest, 'pathname' | 'search' | 'locale'>;

/** A page that is ready to be sent. */
export interface SentPage {
  readonly status: 200 | 404;
  readonly movedTo: string | null;
  readonly body: Buffer;
  readonly etag: string;
}

export interface PagesOptions extends Omit<PageSource, 'siteUrl'> {
  readonly build: ShellBuild;
  readonly registry: () => Promise<Registry>;
  readonly isDemo: boolean;
  readonly renderer: Renderer;
}

/**
 * The longest time that the server waits for the data of a page. If the data is late, the page is sent without it, and
 * the browser requests the data. Crawlers and visitors without scripts then get no content, so the limit is long.
 */
const DATA_LIMIT_ms = 2_000;
/** The longest time that a page waits for its HTML. After that, the browser renders the page. */
const RENDER_LIMIT_ms = 5_000;
/**
 * Cache time of data, of the content of a page, and of a complete page. Visitors with the same language share the
 * content. Visitors who also have the same theme and encoding share the page.
 */
const LIFETIME_ms = 1_000;
const MAX_PAGES = 300;
const MAX_SUBJECTS = 1_000;
/** Maximum length of a URL whose page is cached. A longer URL is probably an attack, so its page is not cached. */
const MAX_CACHED_LENGTH = 600;

/** The path with which the page of all unknown paths is rendered. Its links to other languages have this path. */
const UNKNOWN_PATHNAME = '/404';

const isCached = ({ pathname, search }: Pick<PageRequest, 'pathname' | 'search'>) =>
  pathname.length + search.length <= MAX_CACHED_LENGTH;

/**
 * Each page is compressed when it is requested. Quality 3 needs 40 % less processor time than 4, and returns 6 % more
 * bytes. The window of 2^18 bytes contains the whole page.
 */
const BROTLI = { [constants.BROTLI_PARAM_QUALITY]: 3, [constants.BROTLI_PARAM_LGWIN]: 18 };

const compressBrotli = promisify(brotliCompress);
const compressGzip = promisify(gzip);
const compress: Readonly<Record<PageEncoding, (html: Buffer) => Promise<Buffer>>> = {
  br: (html) => compressBrotli(html, { params: BROTLI }),
  gzip: (html) => compressGzip(html),
  identity: (html) => Promise.resolve(html),
};

type PageContent = Pick<HeadInput, 'ad' | 'isFormerAd' | 'thread' | 'article'>;

async function read(reads: PageReader, subject: PageSubject): Promise<PageContent> {
  switch (subject.kind) {
    case 'ad': {
      const ad = await reads.findAd(subject.id);
      // An older version of query-api, which runs during an update, does not know this read.
      return { ad, isFormerAd: ad === null && (await reads.isFormerAd(subject.id).catch(() => false)) };
    }
    case 'thread':
      return { thread: await reads.findThread(subject.idOrSlug) };
    case 'article':
      return { article: await reads.findArticle(subject.slug) };
  }
}

/**
 * Creates a function that renders the first HTML of pages. If data is late or a read fails, the page contains no data.
 */
export function createPages(options: PagesOptions): (request: PageRequest) => Promise<SentPage> {
  const { build, registry, reads, log, isDemo, renderer } = options;
  const readResponses = reads && createEmbeddedResponses(reads);
  const subjects =
    reads &&
    createShortCache({
      create: (key) => read(reads, JSON.parse(key) as PageSubject),
      lifetime_ms: LIFETIME_ms,
      max: MAX_SUBJECTS,
    });
  const contents = createShortCache({
    create: (key) => createContent(JSON.parse(key) as ContentRequest),
    lifetime_ms: LIFETIME_ms,
    max: MAX_PAGES,
  });
  const pages = createShortCache({
    create: (key) => make(JSON.parse(key) as PageRequest),
    lifetime_ms: LIFETIME_ms,
    max: MAX_PAGES,
  });
  const warn = createRareWarnings(log);
  let deployed: Registry = { remotes: {} };

  async function withFallback<Value, Otherwise>(
    what: string,
    value: Promise<Value>,
    otherwise: Otherwise,
  ): Promise<Value | Otherwise> {
    try {
      return await withTimeout(value, DATA_LIMIT_ms, otherwise);
    } catch (err) {
      warn({ err, what }, 'a page came without data');
      return otherwise;
    }
  }

  async function createContent({ pathname, search, locale }: ContentRequest) {
    const known = deployed;
    const { owner } = findArea(pathname);
    const preloadData = owner === 'shell' ? undefined : known.remotes[owner]?.preloadData;
    const subject = parseSubject(pathname);
    const [content, responses] = await Promise.all([
      subject === null || !subjects
        ? {}
        : withFallback<PageContent, PageContent>(subject.kind, subjects.get(JSON.stringify(subject)), {}),
      readResponses
        ? withFallback<readonly EmbeddedResponse[], readonly EmbeddedResponse[]>(
            'answers',
            readResponses(getPreloadPaths(preloadData, getContentPath(pathname), search)),
            [],
          )
        : [],
    ]);
    const head = createHead({ pathname, search, t: TEXTS[locale], ...content });
    const rendered = head.movedTo === null ? await render(known, { pathname, search, locale, responses }) : null;
    return { registry: known, head, responses, rendered };
  }

  async function make({ origin, pathname, search, encoding, locale, theme }: PageRequest): Promise<SentPage> {
    const request = { pathname, search, locale };
    const content = await (isCached(request) ? contents.get(JSON.stringify(request)) : createContent(request));
    const { head } = content;
    const html = renderPage({ build, pathname, origin, locale, theme, isDemo, ...content });
    const body = await compress[encoding](html);
    return {
      status: head.status,
      movedTo: head.movedTo === null ? null : toLocalePath(locale, head.movedTo),
      body,
      etag: `W/"${createHash('sha1').update(body).digest('base64url')}"`,
    };
  }

  /** Renders the HTML of a public page. Returns null if the page depends on the visitor, or after a failure. */
  async function render(
    { remotes }: Registry,
    {
      pathname,
      search,
      locale,
      responses,
    }: ContentRequest & {
      readonly responses: readonly EmbeddedResponse[];
    },
  ): Promise<RenderedContent | null> {
    const { owner, isServerRendered } = findArea(pathname);
    const entry = owner === 'shell' ? null : remotes[owner];
    if (!isServerRendered || entry === undefined || !build.server) return null;
    const at_ms = Date.now();
    const byPath = Object.fromEntries(responses.map(({ path, body }) => [path, toByteText(body)]));
    const rendering = renderer.render(entry, { url: pathname + search, locale, isDemo, at_ms, responses: byPath });
    const page = await withTimeout(rendering, RENDER_LIMIT_ms, null);
    return page && { ...page, at_ms };
  }

  return async (request) => {
    const now = await registry();
    // If a deployment has replaced the registry, the cached pages refer to old files, so they are removed.
    if (now !== deployed) {
      contents.clear();
      pages.clear();
      renderer.follow(now);
      registerRoutes(routesOf(now));
    }
    deployed = now;
    // All unknown paths share one page, because there is no end of them.
    const page = isUnknownPath(request.pathname) ? { ...request, pathname: UNKNOWN_PATHNAME, search: '' } : request;
    const { origin, pathname, encoding, locale, theme } = page;
    const { owner } = findArea(pathname);
    const search = toPageSearch(page.search, owner === 'shell' ? {} : now.remotes[owner]?.preloadData);
    const canonical = { origin, pathname, search, encoding, locale, theme };
    return isCached(canonical) ? pages.get(JSON.stringify(canonical)) : make(canonical);
  };
}
