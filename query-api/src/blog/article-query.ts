import { slugify, STATES, type ArticleStatus } from '@alpenglow/domain';
import type { QueryOf } from '@alpenglow/domain/api';
import { createFieldError, toPageQuery, type PageQuery } from '../paging.ts';

/** The requested page of `GET /blog/articles`. */
export interface ArticleQuery extends PageQuery {
  /**
   * The name of the requested city in the spelling of the stored data. The list contains one name for each state that
   * has the city, because several states may have a city with the same name. Null to list the articles of all places.
   */
  readonly cities: readonly string[] | null;
  readonly tag: string | null;
}

/** The requested page of `GET /admin/blog/articles`. */
export interface AdminArticleQuery extends PageQuery {
  readonly status: ArticleStatus | null;
}

/** Returns the requested page of articles. A city may be a name or a slug. Throws INVALID_FIELDS. */
export function toArticleQuery({ city, tag, ...page }: QueryOf<'listArticles'>): ArticleQuery {
  return {
    ...toPageQuery(page),
    cities: city === null ? null : findCities(city),
    tag: tag === null ? null : tag.toLowerCase(),
  };
}

function findCities(text: string): readonly string[] {
  const slug = slugify(text);
  const cities = STATES.flatMap((state) => state.cities.filter((city) => slugify(city) === slug));
  if (cities.length === 0) throw createFieldError('city', 'There are no listings in this city yet');
  return cities;
}
