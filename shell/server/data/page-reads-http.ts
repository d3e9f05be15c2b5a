import type {
  FeedArticle,
  ResponseOf,
  PageAd,
  PageApiResponse,
  PageArticle,
  PageReader,
  PageThread,
  SitemapAd,
  SitemapThread,
} from '@alpenglow/domain/contracts';

/**
 * Time limit of a request for the data of a page. A page may stop waiting earlier. The late response is then cached for
 * the next request.
 */
const PAGE_LIMIT_ms = 5_000;
const FEED_LIMIT_ms = 5_000;
const SITEMAP_LIMIT_ms = 20_000;

/**
 * Reads page data from separate query-api processes (query-api/src/pages/routes.ts). Each read starts with the next URL
 * in `urls`, and tries the other URLs after a failure. The functions reject if no process responds in time.
 */
export function createPageReadsOverHttp(urls: readonly string[]): PageReader {
  let nextIndex = 0;

  async function get<Result>(
    path: string,
    query: Readonly<Record<string, string | number | null>>,
    limit_ms: number,
  ): Promise<Result> {
    const search = new URLSearchParams(
      Object.entries(query).flatMap(([name, value]) => (value === null || value === '' ? [] : [[name, String(value)]])),
    );
    const signal = AbortSignal.timeout(limit_ms);
    nextIndex += 1;
    let lastError: unknown;
    for (let attempt = 0; attempt < urls.length && !signal.aborted; attempt += 1) {
      const url = new URL(`/internal/pages${path}?${search}`, urls[(nextIndex + attempt) % urls.length]);
      try {
        const response = await fetch(url, { signal });
        // The cast is safe, because query-api wrote the JSON.
        if (response.ok) return (await response.json()) as Result;
        await response.body?.cancel();
        lastError = new Error(`query-api responded with status ${response.status}`);
      } catch (error) {
        lastError = error;
      }
    }
    throw new Error('query-api is not available', { cause: lastError });
  }

  return {
    readApiResponse: (path) => get<PageApiResponse | null>('/answer', { path }, PAGE_LIMIT_ms),
    readFrontEndStatistics: (firstDay) =>
      get<ResponseOf<'getFrontEndStatistics'>['data']['deployments']>('/front-ends', { firstDay }, FEED_LIMIT_ms),
    findAd: (adId) => get<PageAd | null>(`/ads/${encodeURIComponent(adId)}`, {}, PAGE_LIMIT_ms),
    isFormerAd: (adId) => get<boolean>(`/former-ads/${encodeURIComponent(adId)}`, {}, PAGE_LIMIT_ms),
    findThread: (idOrSlug) => get<PageThread | null>(`/threads/${encodeURIComponent(idOrSlug)}`, {}, PAGE_LIMIT_ms),
    findArticle: (slug) => get<PageArticle | null>(`/articles/${encodeURIComponent(slug)}`, {}, PAGE_LIMIT_ms),
    listFeedArticles: (limit) => get<readonly FeedArticle[]>('/feed', { limit }, FEED_LIMIT_ms),
    listSitemapThreads: (after, limit) =>
      get<readonly SitemapThread[]>('/sitemap/threads', { after, limit }, SITEMAP_LIMIT_ms),
    listSitemapArticles: (limit) =>
      get<readonly Pick<PageArticle, 'slug' | 'updatedAt'>[]>('/sitemap/articles', { limit }, SITEMAP_LIMIT_ms),
    listSitemapAds: (after, upTo, limit) =>
      get<readonly SitemapAd[]>('/sitemap/ads', { after, upTo, limit }, SITEMAP_LIMIT_ms),
    listSitemapBoundaries: (size) => get<readonly string[]>('/sitemap/ends', { size }, SITEMAP_LIMIT_ms),
  };
}
