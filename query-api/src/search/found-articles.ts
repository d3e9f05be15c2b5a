import type { SearchAnswer } from '@alpenglow/domain';
import type { Pool } from '@alpenglow/infra';
import { ARTICLE_COLUMNS, articleCardOf, type ArticleRow } from '../blog/article-row.ts';
import { titleQueryOf } from './words-query.ts';

/** Published articles with all words: those that have them in their title first, then the newest. */
export async function findArticles(
  pool: Pool,
  wordsQuery: string,
  limit: number,
): Promise<SearchAnswer['data']['articles']> {
  const { rows } = await pool.query<ArticleRow & { readonly articles: number }>({
    name: 'search-articles',
    text: `select ${ARTICLE_COLUMNS}, count(*) over ()::int as articles from rm.articles a
           where a.words @@ $1::tsquery and a.status = 'published' order by a.words @@ $2::tsquery desc, a.published_at desc, a.slug desc limit $3`,
    values: [wordsQuery, titleQueryOf(wordsQuery), limit],
  });
  return { data: rows.map(articleCardOf), total: rows[0]?.articles ?? 0 };
}
