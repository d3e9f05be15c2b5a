import { COUNTRIES, communityPath, threadPath, type PageThread } from '@alpenglow/domain/contracts';
import { findPlace, parseState } from '../data/places.ts';
import {
  isFiltered,
  formatTitle,
  createDefaultHead,
  createMissingHead,
  type Breadcrumb,
  type Head,
  type HeadInput,
} from './head-parts.ts';
import { COMMUNITY_PAGES } from './subject.ts';

/** Query parameters that filter or sort a list of threads, or that show content of the visitor. */
const FILTERS = new Set(['sort', 'cursor', 'q', 'new', 'show']);
/** Query parameters that select a page of replies. */
const REPLIES = new Set(['post', 'cursor']);
/** Number of path segments of a city page: country, state and city. A longer path is the path of a thread. */
const PLACE_DEPTH = 3;

/**
 * Returns the `<head>` data of `/community` and of pages below it. `parts` are the path segments after `/community`.
 */
export function createCommunityHead(input: HeadInput, parts: readonly string[], isAboutThread: boolean): Head {
  const { t, search } = input;
  const top = { name: t('community'), path: '/community' };
  const base = {
    ...createDefaultHead(t),
    title: formatTitle(top.name),
    description: t('communityText'),
    page: { kind: 'collection' } as const,
  };
  const isIndexed = !isFiltered(search, FILTERS);
  const [first] = parts;
  if (first === undefined) return { ...base, canonical: top.path, isIndexed, crumbs: [top] };
  if (isAboutThread) return threadHead(input, top, parts);
  if (parts.length === 1 && first === 'locations') {
    const here = { name: t('communityLocations'), path: '/community/locations' };
    return { ...base, title: formatTitle(here.name), canonical: here.path, isIndexed, crumbs: [top, here] };
  }
  if (COMMUNITY_PAGES.has(first))
    return { ...createDefaultHead(t), title: formatTitle(top.name), description: t('communityText') };
  const ancestors = parts.length <= PLACE_DEPTH ? placeCrumbs(parts) : [];
  const here = ancestors.at(-1);
  if (!here) return createMissingHead(t, 'threadMissing');
  return {
    ...base,
    title: formatTitle(t('communityIn', { place: here.name })),
    canonical: here.path,
    isIndexed,
    crumbs: [top, ...ancestors],
  };
}

function threadHead(input: HeadInput, top: Breadcrumb, parts: readonly string[]): Head {
  const { t, thread } = input;
  if (thread === undefined)
    return { ...createDefaultHead(t), title: formatTitle(top.name), description: t('communityText'), isIndexed: true };
  if (thread === null) return createMissingHead(t, 'threadMissing');
  const { country, state, city, excerpt, isListed } = thread;
  const heading = thread.heading || t('thread');
  const path = threadPath(thread);
  return {
    ...createDefaultHead(t),
    title: formatTitle(t('threadTitle', { title: heading, place: city })),
    description: excerpt || t('threadText', { place: placeOf(thread) }),
    canonical: path,
    isIndexed: isListed && !isFiltered(input.search, REPLIES),
    page: { kind: 'thread', thread },
    crumbs: [top, ...placeCrumbs([country, state, city]), { name: heading, path }],
    movedTo: path === `/community/${parts.join('/')}` ? null : path + input.search,
  };
}

const placeOf = ({ state, city }: PageThread) => `${city}, ${parseState(state)?.name ?? state}`;

/** Returns the breadcrumbs of a place, starting with the country. Returns an empty list if there is no such place. */
function placeCrumbs([country, state, city]: readonly string[]): readonly Breadcrumb[] {
  const named = findPlace({ country, state, city });
  const inCountry = COUNTRIES.find(({ code }) => code === named?.['country']);
  if (!named || !inCountry) return [];
  const inState = inCountry.states.find(({ code }) => code === named['state']);
  const cityName = named['city'];
  return [
    { name: inCountry.name, path: communityPath(inCountry.code) },
    ...(inState ? [{ name: inState.name, path: communityPath(inCountry.code, inState.code) }] : []),
    ...(inState && cityName !== undefined
      ? [{ name: cityName, path: communityPath(inCountry.code, inState.code, cityName) }]
      : []),
  ];
}
