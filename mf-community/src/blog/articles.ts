import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { ArticleAnswer, ArticleCard, ArticleListAnswer } from '@alpenglow/domain/contracts';
import { blogKeys, type Api } from '@alpenglow/ui';

/** Which articles are listed; null: no matter. */
export interface ArticleFilter {
  /** As in the data, e.g. `Las Vegas`. */
  readonly city: string | null;
  readonly tag: string | null;
}

export const ALL_ARTICLES: ArticleFilter = { city: null, tag: null };

/** The path and query of a page of articles, exactly as the server writes it into the first HTML. */
export function articlesPath({ city, tag }: ArticleFilter, cursor: string | null = null): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries({ city, tag, cursor })) if (value !== null) search.set(name, value);
  return `/blog/articles${search.size === 0 ? '' : `?${search.toString()}`}`;
}

/** Articles by date, page after page. */
export function articleListQuery(api: Api, filter: ArticleFilter) {
  return infiniteQueryOptions({
    queryKey: blogKeys.list(filter),
    queryFn: ({ pageParam, signal }) => api.call<ArticleListAnswer>({ path: articlesPath(filter, pageParam), signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
  });
}

/** One published article. */
export function articleQuery(api: Api, slug: string) {
  return queryOptions({
    queryKey: blogKeys.article(slug),
    queryFn: async ({ signal }) =>
      (await api.call<ArticleAnswer>({ path: `/blog/articles/${encodeURIComponent(slug)}`, signal })).data,
  });
}

/** The articles of all pages, each once: one that was published meanwhile moves the others down. */
export function articlesOf<Article extends Pick<ArticleCard, 'slug'>>(
  pages: readonly { readonly data: readonly Article[] }[],
): readonly Article[] {
  const bySlug = new Map<string, Article>();
  for (const article of pages.flatMap(({ data }) => data))
    if (!bySlug.has(article.slug)) bySlug.set(article.slug, article);
  return [...bySlug.values()];
}

type Described = Pick<ArticleCard, 'slug' | 'state' | 'city' | 'tags'>;

/** Those of `others` that a reader of `article` may want next: of the same city first, then with the most tags in common; none that has neither. */
export function relatedTo<Other extends Described>(
  article: Described,
  others: readonly Other[],
  limit: number,
): readonly Other[] {
  const closeness = ({ state, city, tags }: Described) =>
    (city !== null && city === article.city && state === article.state ? 100 : 0) +
    tags.filter((tag) => article.tags.includes(tag)).length;
  return others
    .filter((other) => other.slug !== article.slug && closeness(other) > 0)
    .sort((one, other) => closeness(other) - closeness(one))
    .slice(0, limit);
}

/** The articles before and after one in a list by date, the newest first; null where there is none, or it is not in the list. */
export function neighboursOf<Article extends Pick<ArticleCard, 'slug'>>(
  slug: string,
  list: readonly Article[],
): { readonly older: Article | null; readonly newer: Article | null } {
  const index = list.findIndex((article) => article.slug === slug);
  return index < 0 ? { older: null, newer: null } : { older: list[index + 1] ?? null, newer: list[index - 1] ?? null };
}

/** The cities a list of articles is about, each once. */
export function citiesOf(list: readonly Pick<ArticleCard, 'city'>[]): readonly string[] {
  return [...new Set(list.flatMap(({ city }) => city ?? []))].sort((one, other) => one.localeCompare(other));
}
