import type {
  FeedArticle,
  PageAd,
  PageAnswer,
  PageArticle,
  PageReads,
  PageThread,
  SitemapAd,
  SitemapThread,
} from '@alpenglow/domain/contracts';

/** A page does not wait so long, but the next one has it then. */
const PAGE_LIMIT_ms = 1_000;
const FEED_LIMIT_ms = 5_000;
const SITEMAP_LIMIT_ms = 20_000;

/** The reads of pages from query-api in processes of its own (query-api/src/pages/routes.ts): the next of `urls` each time, and another one where that cannot answer. */
export function createPageReadsOverHttp(urls: readonly string[]): PageReads {
  let turn = 0;

  async function get<Answer>(
    path: string,
    query: Readonly<Record<string, string | number | null>>,
    limit_ms: number,
  ): Promise<Answer> {
    const search = new URLSearchParams(
      Object.entries(query).flatMap(([name, value]) => (value === null || value === '' ? [] : [[name, String(value)]])),
    );
    const signal = AbortSignal.timeout(limit_ms);
    turn += 1;
    let failure: unknown;
    for (let tried = 0; tried < urls.length && !signal.aborted; tried += 1) {
      const url = new URL(`/internal/pages${path}?${search}`, urls[(turn + tried) % urls.length]);
      try {
        const answer = await fetch(url, { signal });
        // This project's own query-api wrote it.
        if (answer.ok) return (await answer.json()) as Answer;
        await answer.body?.cancel();
        failure = new Error(`query-api answered ${answer.status}`);
      } catch (error) {
        failure = error;
      }
    }
    throw new Error('query-api cannot be asked', { cause: failure });
  }

  return {
    answer: (path) => get<PageAnswer | null>('/answer', { path }, PAGE_LIMIT_ms),
    ad: (adId) => get<PageAd | null>(`/ads/${encodeURIComponent(adId)}`, {}, PAGE_LIMIT_ms),
    thread: (idOrSlug) => get<PageThread | null>(`/threads/${encodeURIComponent(idOrSlug)}`, {}, PAGE_LIMIT_ms),
    article: (slug) => get<PageArticle | null>(`/articles/${encodeURIComponent(slug)}`, {}, PAGE_LIMIT_ms),
    feed: (limit) => get<readonly FeedArticle[]>('/feed', { limit }, FEED_LIMIT_ms),
    sitemapThreads: (after, limit) =>
      get<readonly SitemapThread[]>('/sitemap/threads', { after, limit }, SITEMAP_LIMIT_ms),
    sitemapArticles: (limit) =>
      get<readonly Pick<PageArticle, 'slug' | 'updatedAt'>[]>('/sitemap/articles', { limit }, SITEMAP_LIMIT_ms),
    sitemapAds: (after, upTo, limit) =>
      get<readonly SitemapAd[]>('/sitemap/ads', { after, upTo, limit }, SITEMAP_LIMIT_ms),
    sitemapEnds: (size) => get<readonly string[]>('/sitemap/ends', { size }, SITEMAP_LIMIT_ms),
  };
}
