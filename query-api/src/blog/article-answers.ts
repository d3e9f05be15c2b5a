import { DomainError, type ArticleAnswer, type ArticleListAnswer } from '@alpenglow/domain';
import type { ReadModelProgress } from '@alpenglow/infra';
import type { Asked } from '../ads/list-answers.ts';
import { createListCache, type CachedAnswer } from '../ads/list-cache.ts';
import { parseArticleQuery } from './article-query.ts';
import type { ArticleReader } from './article-reader.ts';

/** What answers on articles are made of: when one of these moves, kept answers go. */
const SHOWN = new Set(['articles', 'media_items', 'all']);

/** Answers on published articles, the same for everybody, from memory where the same was asked since the read models last moved. */
export interface ArticleAnswers {
  /** `GET /blog/articles`. Rejects with INVALID_FIELDS. */
  list(asked: Asked): Promise<CachedAnswer>;
  /** `GET /blog/articles/{slug}`. Rejects with ARTICLE_NOT_FOUND. */
  article(slug: string): Promise<CachedAnswer>;
  stop(): void;
}

export function createArticleAnswers({
  articles,
  progress,
}: {
  readonly articles: ArticleReader;
  readonly progress: ReadModelProgress;
}): ArticleAnswers {
  const cache = createListCache(() => progress.positionOf('articles'));
  const stop = progress.onChange((projection) => {
    if (SHOWN.has(projection)) cache.invalidate();
  });
  return {
    list: ({ search, query }) =>
      cache.get(`list ${search}`, async (): Promise<ArticleListAnswer> => {
        const { articles: data, tags, nextCursor, total } = await articles.list(parseArticleQuery(query()));
        return { success: true, data, tags, nextCursor, total };
      }),
    article: (slug) =>
      cache.get(`article ${slug}`, async (): Promise<ArticleAnswer> => {
        const data = await articles.find(slug);
        if (!data) throw new DomainError('ARTICLE_NOT_FOUND');
        return { success: true, data };
      }),
    stop,
  };
}
