import { ARTICLE_STATUSES, slugify, STATES, type ArticleStatus } from '@alpenglow/domain';
import { parseInput } from '@alpenglow/infra';
import * as z from 'zod/mini';
import { choice, createFieldError, wordsUpTo } from '../query-fields.ts';
import { parsePageQuery, type PageQuery } from '../admin/page-query.ts';

/** The query parameters of `GET /blog/articles`. */
export interface ArticleQuery extends PageQuery {
  /**
   * The name of the requested city in the spelling of the stored data. The list contains one name for each state that
   * has the city, because several states may have a city with the same name. Null to list the articles of all places.
   */
  readonly cities: readonly string[] | null;
  readonly tag: string | null;
}

/** The query parameters of `GET /admin/blog/articles`. */
export interface AdminArticleQuery extends PageQuery {
  readonly status: ArticleStatus | null;
}

const filters = z.object({ city: wordsUpTo(80), tag: wordsUpTo(30) });
const adminFilters = z.object({ status: choice('status', ARTICLE_STATUSES) });

/** Parses the query string of `GET /blog/articles`. A city may be a name or a slug. Throws INVALID_FIELDS. */
export function parseArticleQuery(input: unknown): ArticleQuery {
  const { city, tag } = parseInput(filters, input);
  return { ...parsePageQuery(input), cities: city ? findCities(city) : null, tag: tag ? tag.toLowerCase() : null };
}

/** Parses the query string of `GET /admin/blog/articles`. Throws INVALID_FIELDS. */
export function parseAdminArticleQuery(input: unknown): AdminArticleQuery {
  const { status } = parseInput(adminFilters, input);
  return { ...parsePageQuery(input), status: status || null };
}

function findCities(text: string): readonly string[] {
  const slug = slugify(text);
  const cities = STATES.flatMap((state) => state.cities.filter((city) => slugify(city) === slug));
  if (cities.length === 0) throw createFieldError('city', 'There are no listings in this city yet');
  return cities;
}
