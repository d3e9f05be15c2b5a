import { DomainError, type ResponseOf } from '@alpenglow/domain';
import type { QueryOf } from '@alpenglow/domain/api';
import type { Dependencies } from '../dependencies.ts';
import type { CacheableQuery } from '../ads/list-responses.ts';
import { createListCache, type CachedResponse } from '../ads/response-cache.ts';
import { toArticleQuery } from './article-query.ts';
import type { ArticleReader } from './article-reader.ts';

/**
 * The read models from which lists of articles are created. A change in one of these read models invalidates the cached
 * responses.
 */
const ARTICLE_READ_MODELS = new Set(['articles', 'media_items', 'moderation_cases', 'all']);

/**
 * The functions that return the API responses with published blog articles. The responses are the same for all clients,
 * and are cached until the read models change.
 */
export type ArticleResponses = ReturnType<typeof createArticleResponses>;

export function createArticleResponses({
  articles,
  progress,
}: Dependencies<'progress'> & { readonly articles: ArticleReader }) {
  const cache = createListCache(() => progress.getMark('articles'));
  const stop = progress.onChange((projection) => {
    if (ARTICLE_READ_MODELS.has(projection)) cache.invalidate();
  });
  return {
    /** `GET /blog/articles`: returns a page of published articles. Rejects with INVALID_FIELDS. */
    list: ({ search, query }: CacheableQuery<QueryOf<'listArticles'>>): Promise<CachedResponse> =>
      cache.get(`list ${search}`, async (): Promise<ResponseOf<'listArticles'>> => {
        const { articles: data, tags, nextCursor, total } = await articles.list(toArticleQuery(query()));
        return { success: true, data, tags, nextCursor, total };
      }),
    /** `GET /blog/articles/{slug}`: returns a published article. Rejects with ARTICLE_NOT_FOUND. */
    article: (slug: string): Promise<CachedResponse> =>
      cache.get(`article ${slug}`, async (): Promise<ResponseOf<'getArticle'>> => {
        const data = await articles.find(slug);
        if (!data) throw new DomainError('ARTICLE_NOT_FOUND');
        return { success: true, data };
      }),
    stop,
  };
}
