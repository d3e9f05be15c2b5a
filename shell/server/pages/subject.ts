import { ARTICLE_SLUG, THREAD_ID, findCity, threadCodeIn } from '@alpenglow/domain/contracts';
import { countryNamed } from '../data/places.ts';
import { segmentsOf, variablesOf } from './segments.ts';

/** The one thing of somebody's that a page is about, as its address names it. */
export type Subject =
  | { readonly kind: 'ad'; readonly id: string }
  | { readonly kind: 'thread'; readonly idOrSlug: string }
  | { readonly kind: 'article'; readonly slug: string };

const AD_PATTERNS = ['/escorts/{state}/{city}/{slug}/{id}', '/ad/{id}', '/public-ad/{id}'];
const THREAD_PATTERNS = ['/community/{country}/{state}/{city}/{idOrSlug}', '/community/{idOrSlug}'];

/** Pages of the community that are no thread and no place. */
export const COMMUNITY_PAGES: ReadonlySet<string> = new Set(['locations', 'unsubscribe']);

/** What the page of an address is about; null for a page about nothing of the kind. */
export function subjectOf(pathname: string): Subject | null {
  const segments = segmentsOf(pathname);
  const named = (patterns: readonly string[], name: string) =>
    patterns.flatMap((pattern) => variablesOf(pattern, segments)?.[name] ?? [])[0];
  const adId = named(AD_PATTERNS, 'id');
  if (adId !== undefined) return { kind: 'ad', id: adId };
  const idOrSlug = named(THREAD_PATTERNS, 'idOrSlug');
  if (idOrSlug !== undefined) return isThreadName(idOrSlug, segments.length) ? { kind: 'thread', idOrSlug } : null;
  const slug = named(['/blog/{slug}'], 'slug');
  return slug !== undefined && ARTICLE_SLUG.test(slug) && findCity(slug) === null ? { kind: 'article', slug } : null;
}

function isThreadName(text: string, depth: number): boolean {
  if (depth === 2 && (COMMUNITY_PAGES.has(text) || countryNamed(text) !== null)) return false;
  return THREAD_ID.test(text) || threadCodeIn(text) !== null;
}
