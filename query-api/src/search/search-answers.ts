import type { AdListAnswer, SearchAnswer } from '@alpenglow/domain';
import type { Pool, ReadModelProgress } from '@alpenglow/infra';
import type { Asked, ListAnswers } from '../ads/list-answers.ts';
import { createListCache, type CachedAnswer } from '../ads/list-cache.ts';
import { AD_VIEWS } from '../ads/view-counter.ts';
import { findArticles } from './found-articles.ts';
import { findThreads } from './found-threads.ts';
import { parseSearchQuery, type SearchQuery } from './search-query.ts';
import { wordsQueryOf } from './words-query.ts';

/** What is found is made of these: when one of them moves, kept answers go. */
const SHOWN = new Set([
  'community_threads',
  'community_posts',
  'articles',
  'ad_cards',
  'media_items',
  'accounts',
  AD_VIEWS,
  'all',
]);

/** Answers of `GET /search`, the same for everybody, from memory where the same was asked since the read models last moved. */
export interface SearchAnswers {
  /** Rejects with INVALID_FIELDS. */
  search(asked: Asked): Promise<CachedAnswer>;
  stop(): void;
}

export interface SearchDependencies {
  readonly pool: Pool;
  /** Where ads are looked for. */
  readonly lists: ListAnswers;
  readonly progress: ReadModelProgress;
  readonly adminEmail: string | null;
}

export function createSearchAnswers({ pool, lists, progress, adminEmail }: SearchDependencies): SearchAnswers {
  const cache = createListCache(() => progress.positionOf('community_posts'));
  const stop = progress.onChange((projection) => {
    if (SHOWN.has(projection)) cache.invalidate();
  });
  const admin = adminEmail?.toLowerCase() ?? null;

  async function find({ q, limit }: SearchQuery): Promise<SearchAnswer['data']> {
    if (q === '') return { threads: NOTHING, articles: NOTHING, ads: NOTHING };
    const wordsQuery = wordsQueryOf(q);
    const [threads, articles, ads] = await Promise.all([
      wordsQuery === null ? NOTHING : findThreads(pool, admin, wordsQuery, limit),
      wordsQuery === null ? NOTHING : findArticles(pool, wordsQuery, limit),
      findAds(q, limit),
    ]);
    return { threads, articles, ads };
  }

  /** As `GET /ads` finds them. */
  async function findAds(q: string, limit: number): Promise<SearchAnswer['data']['ads']> {
    const search = new URLSearchParams({ q, limit: String(limit) }).toString();
    const { body } = await lists.list({ search, query: () => ({ q, limit: String(limit) }) });
    const { data, total } = JSON.parse(body.toString()) as AdListAnswer;
    return { data, total };
  }

  return {
    search: ({ search, query }) =>
      cache.get(
        search,
        async (): Promise<SearchAnswer> => ({ success: true, data: await find(parseSearchQuery(query())) }),
      ),
    stop,
  };
}

const NOTHING = { data: [], total: 0 } as const;
