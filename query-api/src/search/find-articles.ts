import type { ResponseOf } from '@alpenglow/domain';
import { ARTICLES, type ReadPool } from '@alpenglow/infra';
import { ARTICLE_COLUMNS, createArticleCard, type ArticleRow } from '../blog/article-row.ts';
import { createTitleTsquery } from './word-tsquery.ts';

/**
 * Finds published blog articles that contain all search words. Articles with all words in the title come first, and
 * newer articles come before older ones.
 */
export async function findArticles(
  reads: ReadPool,
  wordsQuery: string,
  limit: number,
): Promise<ResponseOf<'search'>['data']['articles']> {
  const { rows } = await reads.query<ArticleRow & { readonly articles: number }>({
    name: 'search-articles',
    text: `select ${ARTICLE_COLUMNS}, count(*) over ()::int as articles from ${ARTICLES.table} a
           where a.words @@ $1::tsquery and a.status = 'published'
           order by a.words @@ $2::tsquery desc, a.published_at desc, a.slug desc limit $3`,
    values: [wordsQuery, createTitleTsquery(wordsQuery), limit],
  });
  return { data: rows.map(createArticleCard), total: rows[0]?.articles ?? 0 };
}
