import { COUNTRIES, findCity, PRODUCT_NAME, slugOf, adPath, cityPath, type Category, type PageAd } from '@alpenglow/domain/contracts';
import { placeOfList, stateNamed } from '../data/places.ts';
import type { Text, TextId } from '../texts.ts';
import { segmentsOf, variablesOf } from './segments.ts';

/** One step of the way to a page, from the home page down. */
export interface Crumb {
  readonly name: string;
  readonly path: string;
}

/** What a page is, for search engines. */
export type PageKind =
  | { readonly kind: 'site' }
  /** A list of things of ours. */
  | { readonly kind: 'collection' }
  | { readonly kind: 'ad'; readonly ad: PageAd }
  | { readonly kind: 'page' };

/** What the head of a page says. */
export interface Head {
  readonly status: 200 | 404;
  readonly title: string;
  readonly description: string;
  /** The one address of this content, from the root; null where none can be named. */
  readonly canonical: string | null;
  /** Whether search engines may show it. */
  readonly isIndexed: boolean;
  readonly page: PageKind;
  /** Without the home page; empty where there is no way to tell of. */
  readonly crumbs: readonly Crumb[];
}

export interface HeadInput {
  readonly pathname: string;
  /** With `?`, or empty. */
  readonly search: string;
  readonly t: Text;
  /** The ad the address names: null when there is none, undefined when it could not be asked for. */
  readonly ad?: PageAd | null | undefined;
}

const AD_PATTERNS = ['/escorts/{state}/{city}/{slug}/{id}', '/ad/{id}', '/public-ad/{id}'];

/** The id of the ad a page of everybody's is about; null for any other page. */
export function adIdOf(pathname: string): string | null {
  const segments = segmentsOf(pathname);
  for (const pattern of AD_PATTERNS) {
    const id = variablesOf(pattern, segments)?.['id'];
    if (id !== undefined) return id;
  }
  return null;
}

/** Pages that are the same for everybody and of use to somebody who searches. */
const OPEN_PAGES: Readonly<Record<string, TextId>> = { '/about': 'about', '/privacy': 'privacy', '/terms': 'terms' };

/** Pages of one visitor, and pages that only lead on. */
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
  ['/favorites', 'favorites'],
  ['/post-ad', 'postAd'],
  ['/edit/{adId}', 'editAd'],
  ['/admin', 'admin'],
];

/** A list narrowed by more than place and category, or in another order, is not worth finding by itself. Other parameters, such as those of a campaign, change nothing. */
const OTHER_FILTERS = new Set(['q', 'minPrice', 'maxPrice', 'photo', 'verified', 'online', 'sort']);

/** The head of any address. An address nobody owns shows the home page, so it is told as a copy of it. */
export function headOf(input: HeadInput): Head {
  const { pathname, t } = input;
  const segments = segmentsOf(pathname);
  const path = `/${segments.join('/')}`;
  if (segments.length === 0) return { ...usual(t), page: { kind: 'site' }, title: titled(t('homeTitle')), canonical: '/', isIndexed: true };
  if (adIdOf(pathname) !== null) return adHead(input);
  if (segments[0] === 'listings' && segments.length === 1) return listHead(input, null);
  if (segments[0] === 'city' && (segments.length === 2 || segments.length === 3)) return cityHead(input, segments);
  if (segments[0] === 'blog' && segments.length <= 2) return blogHead(t, segments[1]);
  if (segments[0] === 'community') return communityHead(t, segments.slice(1));
  const open = OPEN_PAGES[path];
  if (open) return { ...usual(t), title: titled(t(open)), canonical: path, isIndexed: true, crumbs: [{ name: t(open), path }] };
  const closed = CLOSED_PAGES.find(([pattern]) => variablesOf(pattern, segments)) ?? (segments[0] === 'admin' ? (['/admin', 'admin'] as const) : undefined);
  if (closed) return { ...usual(t), title: titled(t(closed[1])) };
  return { ...usual(t), title: titled(t('homeTitle')), canonical: '/' };
}

/** A page that no search engine shows. */
const usual = (t: Text): Head => ({ status: 200, title: PRODUCT_NAME, description: t('siteText'), canonical: null, isIndexed: false, page: { kind: 'page' }, crumbs: [] });

const titled = (title: string) => `${title} · ${PRODUCT_NAME}`;

function adHead({ t, ad }: HeadInput): Head {
  if (ad === undefined) return { ...usual(t), isIndexed: true };
  if (ad === null) return { ...usual(t), status: 404, title: titled(t('adMissing')), description: t('adMissingText') };
  const category = categoryName(t, ad.category);
  const state = stateNamed(ad.state);
  const heading = ad.heading || category;
  const path = adPath(ad);
  return {
    status: 200,
    title: titled(t('adTitle', { title: heading, place: `${ad.city}, ${state?.code ?? ad.state}` })),
    description: ad.excerpt || t('adText', { category, place: `${ad.city}, ${state?.name ?? ad.state}` }),
    canonical: path,
    isIndexed: ad.isListed,
    page: { kind: 'ad', ad },
    crumbs: [...placeCrumbs(state, ad.city), { name: heading, path }],
  };
}

function cityHead(input: HeadInput, [, first = '', second]: readonly string[]): Head {
  const { t } = input;
  const place = second === undefined ? findCity(first) : findCity(second, first);
  if (!place) return { ...usual(t), status: 404, title: titled(t('placeUnknown')), description: t('placeUnknownText') };
  return listHead(input, place);
}

/** A list of ads, everywhere or in a place: its address names what it is narrowed by. */
function listHead({ search, t }: HeadInput, here: ReturnType<typeof findCity>): Head {
  const asked = new URLSearchParams(search);
  const { category, ...elsewhere } = placeOfList(asked);
  const { state, city } = here ?? elsewhere;
  const path = city !== null && state !== null ? cityPath(state.code, city) : '/listings';
  const query = new URLSearchParams({ ...(city === null && state !== null && { state: state.code }), ...(category !== null && { category }) }).toString();
  const canonical = query === '' ? path : `${path}?${query}`;
  const place = city !== null && state !== null ? `${city}, ${state.name}` : (state?.name ?? null);
  const name = city ?? state?.name ?? null;
  return {
    ...usual(t),
    title: titled(listTitle(t, category, name)),
    description: place === null ? t('listingsText') : t('placeText', { place }),
    canonical,
    isIndexed: ![...asked.keys()].some((name) => OTHER_FILTERS.has(name)),
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

function placeCrumbs(state: { readonly code: string; readonly name: string } | null, city: string | null): readonly Crumb[] {
  if (state === null) return [];
  return [{ name: state.name, path: `/listings?state=${state.code}` }, ...(city === null ? [] : [{ name: city, path: cityPath(state.code, city) }])];
}

function blogHead(t: Text, citySlug: string | undefined): Head {
  const top = { name: t('blog'), path: '/blog' };
  const page = { kind: 'collection' } as const;
  if (citySlug === undefined) return { ...usual(t), title: titled(top.name), description: t('blogText'), canonical: top.path, isIndexed: true, page, crumbs: [top] };
  const place = findCity(citySlug);
  if (!place) return { ...usual(t), title: titled(top.name), description: t('blogText'), page };
  const path = `/blog/${slugOf(place.city)}`;
  return { ...usual(t), title: titled(t('blogIn', { place: place.city })), description: t('blogText'), canonical: path, isIndexed: true, page, crumbs: [top, { name: place.city, path }] };
}

function communityHead(t: Text, parts: readonly string[]): Head {
  const top = { name: t('community'), path: '/community' };
  const about = { ...usual(t), description: t('communityText'), page: { kind: 'collection' } as const };
  if (parts.length === 0) return { ...about, title: titled(top.name), canonical: top.path, isIndexed: true, crumbs: [top] };
  if (parts.length === 1 && parts[0] === 'locations') {
    const here = { name: t('communityLocations'), path: '/community/locations' };
    return { ...about, title: titled(here.name), canonical: here.path, isIndexed: true, crumbs: [top, here] };
  }
  const way = communityWay(parts);
  const here = way?.at(-1);
  // A post, or a place we do not have: its page says so.
  if (!way || !here) return { ...about, title: titled(top.name) };
  return { ...about, title: titled(t('communityIn', { place: here.name })), canonical: here.path, isIndexed: true, crumbs: [top, ...way] };
}

/** The way to a place of the community, country first; null when an address names none. */
function communityWay([countryText = '', stateText, cityText, ...more]: readonly string[]): readonly Crumb[] | null {
  const country = COUNTRIES.find(({ code, name }) => code === countryText.toLowerCase() || slugOf(name) === slugOf(countryText));
  if (!country || more.length > 0) return null;
  const way: Crumb[] = [{ name: country.name, path: `/community/${country.code}` }];
  if (stateText === undefined) return way;
  const state = country.states.find(({ code, name }) => code === stateText.toUpperCase() || slugOf(name) === slugOf(stateText));
  if (!state) return null;
  way.push({ name: state.name, path: `/community/${country.code}/${state.code.toLowerCase()}` });
  if (cityText === undefined) return way;
  const city = state.cities.find((name) => slugOf(name) === slugOf(cityText));
  if (city === undefined) return null;
  way.push({ name: city, path: `/community/${country.code}/${state.code.toLowerCase()}/${slugOf(city)}` });
  return way;
}
