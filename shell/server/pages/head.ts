import { decodeUrlPart } from '@alpenglow/ui/query-string';
import { STATES, findCity, adPath, cityPath, type Category } from '@alpenglow/domain/contracts';
import { isRegisteredPath } from '../../src/routes/owners.ts';
import { parseListPlace, parseState } from '../data/places.ts';
import type { Text, TextId } from '../texts.ts';
import { createBlogHead } from './blog-head.ts';
import { createCommunityHead } from './community-head.ts';
import {
  isFiltered,
  formatTitle,
  createDefaultHead,
  createMissingHead,
  type Breadcrumb,
  type Head,
  type HeadInput,
} from './head-parts.ts';
import { parseSegments, matchPattern } from './segments.ts';
import { findSubmittedList } from './submitted-list.ts';
import { parseSubject } from './subject.ts';

/** Pages that search engines may index. Their content is the same for every visitor. */
const OPEN_PAGES: Readonly<Record<string, { readonly title: TextId; readonly description?: TextId }>> = {
  '/about': { title: 'about' },
  '/help': { title: 'help', description: 'helpText' },
  '/removal': { title: 'removal', description: 'removalText' },
  '/privacy': { title: 'privacy' },
  '/terms': { title: 'terms' },
};

/** Pages that search engines must not index, because they belong to one account or have no content to search. */
const CLOSED_PAGES: readonly (readonly [pattern: string, title: TextId])[] = [
  ['/login', 'login'],
  ['/signup', 'signup'],
  ['/verify-email', 'verifyEmail'],
  ['/forgot-password', 'forgotPassword'],
  ['/reset-password', 'resetPassword'],
  ['/status/front-ends', 'frontEnds'],
  ['/pricing', 'pricing'],
  ['/profile', 'profile'],
  ['/provider-profile', 'dashboard'],
  ['/provider-ad/{id}', 'myAds'],
  ['/my-ads', 'myAds'],
  ['/account/erasure/{id}', 'profile'],
  ['/account/decisions', 'decisions'],
  ['/account/decisions/{id}', 'decisions'],
  ['/decisions/{id}', 'decisions'],
  ['/removal/{id}', 'removalStatus'],
  ['/favorites', 'favorites'],
  ['/post-ad', 'postAd'],
  ['/edit/{adId}', 'editAd'],
  ['/admin', 'admin'],
];

/**
 * Query parameters that prevent search engines from indexing a list of ads. Lists with only a place or a category are
 * indexed.
 */
export const OTHER_FILTERS: ReadonlySet<string> = new Set([
  'q',
  'minPrice',
  'maxPrice',
  'photo',
  'verified',
  'online',
  'sort',
  'cursor',
]);

/**
 * Returns the `<head>` data of any path. An unknown path responds with 404 and shows the home page. The path
 * of an ad with punctuation at its end or with capital letters redirects to the correct path.
 */
export function createHead(input: HeadInput): Head {
  const head = createHeadOf(input);
  const clean = cleanPath(input.pathname);
  return head.status === 404 && clean !== input.pathname ? { ...head, movedTo: clean + input.search } : head;
}

/** Punctuation that programs take for the end of a URL in a sentence or in parentheses. */
const END_OF_SENTENCE = /[\s.,;:!?)\]}>'"*’”»…]+$/u;

/**
 * Returns the path of an ad without punctuation at its end, and with an id in lower-case letters. Returns any other
 * path unchanged. A browser takes a path with two slashes at its beginning for the address of another site.
 */
function cleanPath(pathname: string): string {
  if (pathname.startsWith('//') || parseSubject(pathname)?.kind !== 'ad') return pathname;
  const at = pathname.replace(/\/+$/u, '').lastIndexOf('/') + 1;
  const last = decodeUrlPart(pathname.slice(at).replace(/\/+$/u, ''));
  const clean = last.replace(END_OF_SENTENCE, '').toLowerCase();
  return clean === '' || clean === last ? pathname : pathname.slice(0, at) + encodeURIComponent(clean);
}

function createHeadOf(input: HeadInput): Head {
  const { pathname, t, areas } = input;
  const segments = parseSegments(pathname);
  const path = `/${segments.join('/')}`;
  if (segments.length === 0)
    return {
      ...createDefaultHead(t),
      page: { kind: 'site' },
      title: formatTitle(t('homeTitle')),
      canonical: '/',
      isIndexed: true,
    };
  const subject = parseSubject(pathname)?.kind;
  if (subject === 'ad') return adHead(input);
  if (segments[0] === 'listings' && segments.length === 1) return listHead(input, null);
  if (segments[0] === 'city' && (segments.length === 2 || segments.length === 3)) return cityHead(input, segments);
  if (segments[0] === 'blog' && segments.length <= 2)
    return createBlogHead(subject === 'article' ? input : { ...input, article: null }, segments[1]);
  if (segments[0] === 'community') return createCommunityHead(input, segments.slice(1), subject === 'thread');
  const openPage = OPEN_PAGES[path];
  if (openPage) {
    const { title, description = 'siteText' } = openPage;
    return {
      ...createDefaultHead(t),
      title: formatTitle(t(title)),
      description: t(description),
      canonical: path,
      isIndexed: true,
      crumbs: [{ name: t(title), path }],
    };
  }
  const closedPage =
    CLOSED_PAGES.find(([pattern]) => matchPattern(pattern, segments)) ??
    (segments[0] === 'admin' ? (['/admin', 'admin'] as const) : undefined);
  if (closedPage) return { ...createDefaultHead(t), title: formatTitle(t(closedPage[1])) };
  const status = isRegisteredPath(pathname, areas) ? 200 : 404;
  return { ...createDefaultHead(t), status, title: formatTitle(t('homeTitle')) };
}

function adHead({ t, ad, isFormerAd = false }: HeadInput): Head {
  if (ad === undefined) return { ...createDefaultHead(t), isIndexed: true };
  if (ad === null) return createMissingHead(t, isFormerAd ? 'formerAdMissing' : 'adMissing');
  const category = categoryName(t, ad.category);
  const state = parseState(ad.state);
  const heading = ad.heading || category;
  const path = adPath(ad);
  return {
    ...createDefaultHead(t),
    title: formatTitle(t('adTitle', { title: heading, place: `${ad.city}, ${state?.code ?? ad.state}` })),
    description: ad.excerpt || t('adText', { category, place: `${ad.city}, ${state?.name ?? ad.state}` }),
    canonical: path,
    isIndexed: ad.isListed,
    page: { kind: 'ad', ad },
    crumbs: [...placeCrumbs(state, ad.city), { name: heading, path }],
  };
}

/** A city with another spelling or without its state redirects, unless several states have such a city. */
function cityHead(input: HeadInput, [, first = '', second]: readonly string[]): Head {
  const { t, pathname, search } = input;
  const places =
    second === undefined
      ? STATES.flatMap(({ code }) => findCity(first, code) ?? [])
      : [findCity(second, first)].filter((found) => found !== null);
  const [place] = places;
  if (!place) return createMissingHead(t, 'placeUnknown');
  const head = listHead(input, place);
  const path = cityPath(place.state.code, place.city);
  return places.length > 1 || pathname === path ? head : { ...head, movedTo: path + search };
}

/**
 * Returns the `<head>` data of a list of ads. The canonical URL contains only place and category. It is also that of
 * the pages after the first one.
 */
function listHead({ search, t }: HeadInput, here: ReturnType<typeof findCity>): Head {
  const searchParams = new URLSearchParams(search);
  const { category, ...placeInQuery } = parseListPlace(searchParams);
  const { state, city } = here ?? placeInQuery;
  const path = city !== null && state !== null ? cityPath(state.code, city) : '/listings';
  const query = new URLSearchParams({
    ...(city === null && state !== null && { state: state.code }),
    ...(category !== null && { category }),
  }).toString();
  const canonical = query === '' ? path : `${path}?${query}`;
  const place = city !== null && state !== null ? `${city}, ${state.name}` : (state?.name ?? null);
  const name = city ?? state?.name ?? null;
  return {
    ...createDefaultHead(t),
    title: formatTitle(listTitle(t, category, name)),
    description: place === null ? t('listingsText') : t('placeText', { place }),
    canonical,
    isIndexed: !isFiltered(search, OTHER_FILTERS),
    movedTo: here ? null : findSubmittedList(searchParams),
    page: { kind: 'collection' },
    crumbs: [
      ...placeCrumbs(state, city),
      ...(category === null ? [] : [{ name: categoryName(t, category), path: canonical }]),
      ...(place === null && category === null ? [{ name: t('listings'), path: canonical }] : []),
    ],
  };
}

function listTitle(t: Text, category: Category | null, place: string | null): string {
  if (category === null) return place === null ? t('listings') : t('listingsIn', { place });
  const name = categoryName(t, category);
  return place === null ? t('categoryAds', { category: name }) : t('categoryAdsIn', { category: name, place });
}

const categoryName = (t: Text, category: Category) => t(`categories.${category}`);

function placeCrumbs(
  state: { readonly code: string; readonly name: string } | null,
  city: string | null,
): readonly Breadcrumb[] {
  if (state === null) return [];
  return [
    { name: state.name, path: `/listings?state=${state.code}` },
    ...(city === null ? [] : [{ name: city, path: cityPath(state.code, city) }]),
  ];
}
