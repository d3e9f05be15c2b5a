import { queryOptions } from '@tanstack/react-query';
import type { ArticleCard } from '@alpenglow/domain/contracts';
import { blogKeys, pagedQuery, queryOf, type Api } from '@alpenglow/ui';

/** Filter of a list of articles. Null means that articles of all cities or all tags are included. */
export interface ArticleFilter {
  /** Name of the city, such as `Las Vegas`, and not its slug. */
  readonly city: string | null;
  readonly tag: string | null;
}

export const ALL_ARTICLES: ArticleFilter = { city: null, tag: null };

/** Returns the API path of a page of articles. The server embeds pages in the first HTML under exactly these paths. */
export function getArticlesPath({ city, tag }: ArticleFilter, cursor: string | null = null) {
  return `/blog/articles${queryOf({ city, tag, cursor })}` as const;
}

/**
 * Returns the query for a list of articles in pages, newest first. The list begins with the page that has the cursor
 * `start`.
 */
export function articleListQuery(api: Api, filter: ArticleFilter, start: string | null = null) {
  return pagedQuery(
    blogKeys.list(filter, start),
    (cursor, signal) => api.request<'listArticles'>({ path: getArticlesPath(filter, cursor), signal }),
    start,
  );
}

/** Returns the query for one published article. */
export function articleQuery(api: Api, slug: string) {
  return queryOptions({
    queryKey: blogKeys.article(slug),
    queryFn: async ({ signal }) =>
      (await api.request<'getArticle'>({ path: `/blog/articles/${encodeURIComponent(slug)}`, signal })).data,
  });
}

/** Returns the articles of all pages without duplicates, which occur if a new article moves others to the next page. */
export function getArticles<Article extends Pick<ArticleCard, 'slug'>>(
  pages: readonly { readonly data: readonly Article[] }[],
): readonly Article[] {
  const bySlug = new Map<string, Article>();
  for (const article of pages.flatMap(({ data }) => data))
    if (!bySlug.has(article.slug)) bySlug.set(article.slug, article);
  return [...bySlug.values()];
}

type RelatedArticle = Pick<ArticleCard, 'slug' | 'state' | 'city' | 'tags'>;

/**
 * Returns the articles of `others` that are related to `article`. Articles about the same city come first. They are
 * followed by articles with common tags, ordered by the number of these tags.
 */
export function findRelatedArticles<Other extends RelatedArticle>(
  article: RelatedArticle,
  others: readonly Other[],
  limit: number,
): readonly Other[] {
  const closeness = ({ state, city, tags }: RelatedArticle) =>
    (city !== null && city === article.city && state === article.state ? 100 : 0) +
    tags.filter((tag) => article.tags.includes(tag)).length;
  return others
    .filter((other) => other.slug !== article.slug && closeness(other) > 0)
    .sort((a, b) => closeness(b) - closeness(a))
    .slice(0, limit);
}

/**
 * Returns the articles before and after the article `slug` in `list`, which is ordered newest first. A neighbor is null
 * if there is no such article, or if the article `slug` is not in the list.
 */
export function findNeighbors<Article extends Pick<ArticleCard, 'slug'>>(
  slug: string,
  list: readonly Article[],
): { readonly older: Article | null; readonly newer: Article | null } {
  const index = list.findIndex((article) => article.slug === slug);
  return index < 0 ? { older: null, newer: null } : { older: list[index + 1] ?? null, newer: list[index - 1] ?? null };
}

/** Returns the cities that the articles are about, each once and in alphabetical order. */
export function getCities(list: readonly Pick<ArticleCard, 'city'>[]): readonly string[] {
  return [...new Set(list.flatMap(({ city }) => city ?? []))].sort((a, b) => a.localeCompare(b));
}
