import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { PageReader } from '@alpenglow/domain/contracts';
import type { Registry } from '@alpenglow/ui/contract';
import { toLocalePath } from '@alpenglow/ui/locale-path';
import { areasOf, findArea, getContentPath, isUnknownPath, routesOf } from '../../src/routes/owners.ts';
import { createEmbeddedResponses, type EmbeddedResponse } from '../data/embedded-responses.ts';
import { createShortCache } from '../data/short-cache.ts';
import { getPreloadPaths } from '../data/preload-paths.ts';
import { withTimeout } from '../data/with-timeout.ts';
import { renderPage, type RenderedContent } from '../page.ts';
import type { BuildChoice } from '../build-choice.ts';
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
  /** The builds of remotes that the visitor gets. */
  readonly builds: BuildChoice;
  readonly origin: string | null;
  readonly pathname: string;
  /** The query of the URL with its `?`. It may be empty. */
  readonly search: string;
  readonly encoding: PageEncoding;
}

/** The parts of a request on which the content of a page depends. */
type ContentRequest = Pick<PageRequest, 'pathname' | 'search' | 'locale' | 'builds'>;

/** The cached content of a page is for all visitors with the same builds and the same language. */
const contentKeyOf = ({ pathname, search, locale, builds: { variant } }: ContentRequest) =>
  JSON.stringify([pathname, search, locale, variant]);

const pageKeyOf = (request: PageRequest) =>
  JSON.stringify([contentKeyOf(request), request.origin, request.encoding, request.theme]);

/** A page that is ready to be sent. */
export interface SentPage {
  readonly status: 200 | 404;
  readonly movedTo: string | null;
  readonly body: Buffer;
  readonly etag: string;
}

export interface PagesOptions extends Omit<PageSource, 'siteUrl'> {
  readonly build: ShellBuild;
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

const isShort = ({ pathname, search }: Pick<PageRequest, 'pathname' | 'search'>) =>
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
  const { build, reads, log, isDemo, renderer } = options;
  const readResponses = reads && createEmbeddedResponses(reads);
  const subjects =
    reads &&
    createShortCache({
      create: (subject: PageSubject) => read(reads, subject),
      lifetime_ms: LIFETIME_ms,
      max: MAX_SUBJECTS,
    });
  const contents = createShortCache({
    create: createContent,
    keyOf: contentKeyOf,
    lifetime_ms: LIFETIME_ms,
    max: MAX_PAGES,
  });
  const pages = createShortCache({
    create: async (request: PageRequest) => make(request, await contents.get(request)),
    keyOf: pageKeyOf,
    lifetime_ms: LIFETIME_ms,
    max: MAX_PAGES,
  });
  const warn = createRareWarnings(log);
  /** The live builds since the last deployment. */
  let deployed: Registry = { remotes: {} };
  /** The live builds before the last deployment. A request may have read them before it and be rendered after it. */
  const replaced = new WeakSet<Registry>();

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

  async function createContent(request: ContentRequest) {
    const { pathname, search, locale, builds } = request;
    const { registry, previews } = builds;
    const areas = areasOf(routesOf(registry));
    const { owner } = findArea(pathname, areas);
    const preloadData = owner === 'shell' ? undefined : registry.remotes[owner]?.preloadData;
    const subject = parseSubject(pathname);
    const [content, responses] = await Promise.all([
      subject === null || !subjects
        ? {}
        : withFallback<PageContent, PageContent>(subject.kind, subjects.get(subject), {}),
      readResponses
        ? withFallback<readonly EmbeddedResponse[], readonly EmbeddedResponse[]>(
            'answers',
            readResponses(getPreloadPaths(preloadData, getContentPath(pathname, areas), search)),
            [],
          )
        : [],
    ]);
    const head = createHead({ pathname, search, t: TEXTS[locale], areas, ...content });
    const rendered = head.movedTo === null ? await render(request, responses) : null;
    return { registry, previews, head, responses, rendered };
  }

  async function make(
    { origin, pathname, encoding, locale, theme }: PageRequest,
    content: Awaited<ReturnType<typeof createContent>>,
  ): Promise<SentPage> {
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
    { pathname, search, locale, builds: { registry, previews } }: ContentRequest,
    responses: readonly EmbeddedResponse[],
  ): Promise<RenderedContent | null> {
    const { owner, isServerRendered } = findArea(pathname, areasOf(routesOf(registry)));
    const entry = owner === 'shell' ? null : registry.remotes[owner];
    if (!isServerRendered || entry === undefined || !build.server) return null;
    const at_ms = Date.now();
    const byPath = Object.fromEntries(responses.map(({ path, body }) => [path, toByteText(body)]));
    const isPreview = previews.some(({ hash }) => hash === entry?.hash);
    const request = { url: pathname + search, locale, isDemo, at_ms, responses: byPath };
    const rendering = renderer.render(entry, request, isPreview);
    const page = await withTimeout(rendering, RENDER_LIMIT_ms, null);
    return page && { ...page, at_ms };
  }

  return async (request) => {
    const { live, variant } = request.builds;
    const isOutdated = replaced.has(live);
    if (live !== deployed && !isOutdated) {
      // This is the first request after a deployment. The cached pages refer to files of earlier builds.
      contents.clear();
      pages.clear();
      renderer.follow(live);
      replaced.add(deployed);
      deployed = live;
    }
    // A request that began before the deployment gets the new live builds. If it has other builds, such as a preview,
    // it gets the builds with which it began.
    const builds = isOutdated && variant === '' ? { ...request.builds, registry: deployed } : request.builds;
    // All unknown paths share one page, because there is no end of them.
    const areas = areasOf(routesOf(builds.registry));
    const page = isUnknownPath(request.pathname, areas)
      ? { ...request, pathname: UNKNOWN_PATHNAME, search: '' }
      : request;
    const { owner } = findArea(page.pathname, areas);
    const search = toPageSearch(page.search, owner === 'shell' ? {} : builds.registry.remotes[owner]?.preloadData);
    const canonical = { ...page, builds, search };
    // A page with builds from before the deployment is not cached, because later requests get other ones.
    const isCached = isShort(canonical) && (!isOutdated || variant === '');
    return isCached ? pages.get(canonical) : make(canonical, await createContent(canonical));
  };
}
