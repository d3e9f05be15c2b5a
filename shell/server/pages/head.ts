import { findCity, adPath, cityPath, type Category } from '@alpenglow/domain/contracts';
import { placeOfList, stateNamed } from '../data/places.ts';
import type { Text, TextId } from '../texts.ts';
import { blogHead } from './blog-head.ts';
import { communityHead } from './community-head.ts';
import { isNarrowed, titled, usual, type Crumb, type Head, type HeadInput } from './head-parts.ts';
import { segmentsOf, variablesOf } from './segments.ts';
import { subjectOf } from './subject.ts';

/** Pages that are the same for everybody and of use to somebody who searches. */
const OPEN_PAGES: Readonly<Record<string, { readonly title: TextId; readonly description?: TextId }>> = {
  '/about': { title: 'about' },
  '/help': { title: 'help', description: 'helpText' },
  '/privacy': { title: 'privacy' },
  '/terms': { title: 'terms' },
};

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
  ['/account/decisions', 'decisions'],
  ['/account/decisions/{id}', 'decisions'],
  ['/decisions/{id}', 'decisions'],
  ['/favorites', 'favorites'],
  ['/post-ad', 'postAd'],
  ['/edit/{adId}', 'editAd'],
  ['/admin', 'admin'],
];

/** A list narrowed by more than place and category, or in another order, is not worth finding by itself. */
const OTHER_FILTERS = new Set(['q', 'minPrice', 'maxPrice', 'photo', 'verified', 'online', 'sort']);

/** The head of any address. An address nobody owns shows the home page, so it is told as a copy of it. */
export function headOf(input: HeadInput): Head {
  const { pathname, t } = input;
  const segments = segmentsOf(pathname);
  const path = `/${segments.join('/')}`;
  if (segments.length === 0)
    return { ...usual(t), page: { kind: 'site' }, title: titled(t('homeTitle')), canonical: '/', isIndexed: true };
  const subject = subjectOf(pathname)?.kind;
  if (subject === 'ad') return adHead(input);
  if (segments[0] === 'listings' && segments.length === 1) return listHead(input, null);
  if (segments[0] === 'city' && (segments.length === 2 || segments.length === 3)) return cityHead(input, segments);
  if (segments[0] === 'blog' && segments.length <= 2)
    return blogHead(subject === 'article' ? input : { ...input, article: null }, segments[1]);
  if (segments[0] === 'community') return communityHead(input, segments.slice(1), subject === 'thread');
  const open = OPEN_PAGES[path];
  if (open) {
    const { title, description = 'siteText' } = open;
    return {
      ...usual(t),
      title: titled(t(title)),
      description: t(description),
      canonical: path,
      isIndexed: true,
      crumbs: [{ name: t(title), path }],
    };
  }
  const closed =
    CLOSED_PAGES.find(([pattern]) => variablesOf(pattern, segments)) ??
    (segments[0] === 'admin' ? (['/admin', 'admin'] as const) : undefined);
  if (closed) return { ...usual(t), title: titled(t(closed[1])) };
  return { ...usual(t), title: titled(t('homeTitle')), canonical: '/' };
}

function adHead({ t, ad }: HeadInput): Head {
  if (ad === undefined) return { ...usual(t), isIndexed: true };
  if (ad === null) return { ...usual(t), status: 404, title: titled(t('adMissing')), description: t('adMissingText') };
  const category = categoryName(t, ad.category);
  const state = stateNamed(ad.state);
  const heading = ad.heading || category;
  const path = adPath(ad);
  return {
    ...usual(t),
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
  const query = new URLSearchParams({
    ...(city === null && state !== null && { state: state.code }),
    ...(category !== null && { category }),
  }).toString();
  const canonical = query === '' ? path : `${path}?${query}`;
  const place = city !== null && state !== null ? `${city}, ${state.name}` : (state?.name ?? null);
  const name = city ?? state?.name ?? null;
  return {
    ...usual(t),
    title: titled(listTitle(t, category, name)),
    description: place === null ? t('listingsText') : t('placeText', { place }),
    canonical,
    isIndexed: !isNarrowed(search, OTHER_FILTERS),
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
): readonly Crumb[] {
  if (state === null) return [];
  return [
    { name: state.name, path: `/listings?state=${state.code}` },
    ...(city === null ? [] : [{ name: city, path: cityPath(state.code, city) }]),
  ];
}
