import { ARTICLE_SLUG, THREAD_ID, findCityBySlug, parseThreadCode } from '@alpenglow/domain/contracts';
import { findCountry } from '../data/places.ts';
import { parseSegments, matchPattern } from './segments.ts';

/** The ad, thread or article that the URL of a page identifies. */
export type PageSubject =
  | { readonly kind: 'ad'; readonly id: string }
  | { readonly kind: 'thread'; readonly idOrSlug: string }
  | { readonly kind: 'article'; readonly slug: string };

const AD_PATTERNS = ['/escorts/{state}/{city}/{slug}/{id}', '/ad/{id}', '/public-ad/{id}'];
const THREAD_PATTERNS = ['/community/{country}/{state}/{city}/{idOrSlug}', '/community/{idOrSlug}'];

/** Community pages that are neither a thread nor a place. */
export const COMMUNITY_PAGES: ReadonlySet<string> = new Set(['locations', 'unsubscribe']);

/** Returns the ad, thread or article of a path. Returns null if the page shows none of them. */
export function parseSubject(pathname: string): PageSubject | null {
  const segments = parseSegments(pathname);
  const named = (patterns: readonly string[], name: string) =>
    patterns.flatMap((pattern) => matchPattern(pattern, segments)?.[name] ?? [])[0];
  const adId = named(AD_PATTERNS, 'id');
  if (adId !== undefined) return { kind: 'ad', id: adId };
  const idOrSlug = named(THREAD_PATTERNS, 'idOrSlug');
  if (idOrSlug !== undefined) return isThreadName(idOrSlug, segments.length) ? { kind: 'thread', idOrSlug } : null;
  const slug = named(['/blog/{slug}'], 'slug');
  return slug !== undefined && ARTICLE_SLUG.test(slug) && findCityBySlug(slug) === null
    ? { kind: 'article', slug }
    : null;
}

function isThreadName(text: string, depth: number): boolean {
  if (depth === 2 && (COMMUNITY_PAGES.has(text) || findCountry(text) !== null)) return false;
  return THREAD_ID.test(text) || parseThreadCode(text) !== null;
}
