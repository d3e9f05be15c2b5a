import type { ResponseOf } from '@alpenglow/domain';
import type { QueryOf } from '@alpenglow/domain/api';
import { parseQuery } from '@alpenglow/infra';
import type { Dependencies } from '../dependencies.ts';
import type { CacheableQuery, ListResponses } from '../ads/list-responses.ts';
import { createListCache, type CachedResponse } from '../ads/response-cache.ts';
import { AD_VIEWS_NAME } from '../ads/view-counter.ts';
import { findArticles } from './find-articles.ts';
import { findThreads } from './find-threads.ts';
import { createWordsTsquery } from './word-tsquery.ts';

/**
 * The read models from which search results are created. A change in one of these read models invalidates the cached
 * responses.
 */
const SEARCH_READ_MODELS = new Set([
  'community_threads',
  'community_posts',
  'articles',
  'ad_cards',
  'media_items',
  'moderation_cases',
  'accounts',
  AD_VIEWS_NAME,
  'all',
]);

/**
 * The function that returns the responses of `GET /search`. The responses are the same for all clients, and are cached
 * until the read models change.
 */
export type SearchResponses = ReturnType<typeof createSearchResponses>;

interface SearchDependencies extends Dependencies<'reads' | 'progress' | 'adminEmail'> {
  /** The cached lists of ads. The search uses them to find ads. */
  readonly lists: ListResponses;
}

export function createSearchResponses({ reads, lists, progress, adminEmail }: SearchDependencies) {
  const cache = createListCache(() => progress.getMark('community_posts'));
  const stop = progress.onChange((projection) => {
    if (SEARCH_READ_MODELS.has(projection)) cache.invalidate();
  });
  const admin = adminEmail?.toLowerCase() ?? null;

  async function find({ q, limit }: QueryOf<'search'>): Promise<ResponseOf<'search'>['data']> {
    if (q === null) return { threads: NO_RESULTS, articles: NO_RESULTS, ads: NO_RESULTS };
    const wordsQuery = createWordsTsquery(q);
    const [threads, articles, ads] = await Promise.all([
      wordsQuery === null ? NO_RESULTS : findThreads(reads, admin, wordsQuery, limit),
      wordsQuery === null ? NO_RESULTS : findArticles(reads, wordsQuery, limit),
      findAds(q, limit),
    ]);
    return { threads, articles, ads };
  }

  /** Finds ads with the same search as `GET /ads`, so that the cached responses of `GET /ads` are used. */
  async function findAds(q: string, limit: number): Promise<ResponseOf<'search'>['data']['ads']> {
    const query = { q, limit: String(limit), details: 'false' };
    const search = new URLSearchParams(query).toString();
    const { body } = await lists.list({ search, query: () => parseQuery('listAds', query) });
    const { data, total } = JSON.parse(body.toString()) as ResponseOf<'listAds'>;
    return { data, total };
  }

  return {
    /** `GET /search`: returns the search results. Rejects with INVALID_FIELDS. */
    search: ({ search, query }: CacheableQuery<QueryOf<'search'>>): Promise<CachedResponse> =>
      cache.get(search, async (): Promise<ResponseOf<'search'>> => ({ success: true, data: await find(query()) })),
    stop,
  };
}

const NO_RESULTS = { data: [], total: 0 } as const;
