import { ARTICLE_STATUSES, DomainError, slugOf, STATES, type ArticleStatus } from '@alpenglow/domain';
import { parseInput } from '@alpenglow/infra';
import * as z from 'zod/mini';
import { parsePageQuery, type Place } from '../admin/page-query.ts';

/** Which part of a list of articles was asked for. */
interface ArticlePageQuery {
  /** Where the page before ended: a time and a slug. */
  readonly after: Place | null;
  readonly limit: number;
}

/** What `GET /blog/articles` was asked for. */
export interface ArticleQuery extends ArticlePageQuery {
  /** Names of the cities meant, in the spelling of our data: several states may have one of that name. Null for any article. */
  readonly cities: readonly string[] | null;
  readonly tag: string | null;
}

/** What `GET /admin/blog/articles` was asked for. */
export interface AdminArticleQuery extends ArticlePageQuery {
  readonly status: ArticleStatus | null;
}

const once = (max: number) =>
  z.optional(
    z
      .string('A filter may be given once')
      .check(
        z.trim(),
        z.maxLength(max, 'This filter is too long'),
        z.regex(/^\P{Cc}*$/u, 'The search has characters that cannot be searched for'),
      ),
  );
const filters = z.object({
  city: once(80),
  tag: once(30),
  cursor: z.optional(z.unknown()),
  limit: z.optional(z.unknown()),
});
const adminFilters = z.object({
  status: z.optional(
    z.union([z.literal(''), z.enum(ARTICLE_STATUSES)], `status must be one of ${ARTICLE_STATUSES.join(', ')}`),
  ),
  cursor: z.optional(z.unknown()),
  limit: z.optional(z.unknown()),
});

/** Reads the query string of `GET /blog/articles`. A city may be a name or a slug. Throws INVALID_FIELDS. */
export function parseArticleQuery(input: unknown): ArticleQuery {
  const { city, tag, ...page } = parseInput(filters, input);
  return { ...pageOf(page), cities: city ? citiesNamed(city) : null, tag: tag ? tag.toLowerCase() : null };
}

/** Reads the query string of `GET /admin/blog/articles`. Throws INVALID_FIELDS. */
export function parseAdminArticleQuery(input: unknown): AdminArticleQuery {
  const { status, ...page } = parseInput(adminFilters, input);
  return { ...pageOf(page), status: status || null };
}

function pageOf({ cursor, limit }: { readonly cursor?: unknown; readonly limit?: unknown }): ArticlePageQuery {
  const { after, limit: most } = parsePageQuery({ cursor, limit });
  return { after, limit: most };
}

const NO_SUCH_CITY = 'There are no listings in this city yet';

function citiesNamed(text: string): readonly string[] {
  const slug = slugOf(text);
  const cities = STATES.flatMap((state) => state.cities.filter((city) => slugOf(city) === slug));
  if (cities.length === 0)
    throw new DomainError('INVALID_FIELDS', { reason: NO_SUCH_CITY }, null, { city: NO_SUCH_CITY });
  return cities;
}
