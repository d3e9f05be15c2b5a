import { COUNTRIES, communityPath, threadPath, type PageThread } from '@alpenglow/domain/contracts';
import { placeNamed, stateNamed } from '../data/places.ts';
import { isNarrowed, titled, usual, type Crumb, type Head, type HeadInput } from './head-parts.ts';
import { COMMUNITY_PAGES } from './subject.ts';

/** What lists are narrowed and ordered by, and what shows something of the visitor's own in place of them. */
const FILTERS = new Set(['sort', 'cursor', 'q', 'new', 'show']);
/** Country, state and city: what is below is a thread. */
const PLACE_DEPTH = 3;

/** The head of `/community` and of everything below it; `parts` are the segments below. */
export function communityHead(input: HeadInput, parts: readonly string[], isAboutThread: boolean): Head {
  const { t, search } = input;
  const top = { name: t('community'), path: '/community' };
  const about = {
    ...usual(t),
    title: titled(top.name),
    description: t('communityText'),
    page: { kind: 'collection' } as const,
  };
  const isIndexed = !isNarrowed(search, FILTERS);
  const [first] = parts;
  if (first === undefined) return { ...about, canonical: top.path, isIndexed, crumbs: [top] };
  if (isAboutThread) return threadHead(input, top, parts);
  if (parts.length === 1 && first === 'locations') {
    const here = { name: t('communityLocations'), path: '/community/locations' };
    return { ...about, title: titled(here.name), canonical: here.path, isIndexed, crumbs: [top, here] };
  }
  if (COMMUNITY_PAGES.has(first)) return { ...usual(t), title: titled(top.name), description: t('communityText') };
  const way = parts.length <= PLACE_DEPTH ? wayTo(parts) : [];
  const here = way.at(-1);
  if (!here) return missing(input);
  return {
    ...about,
    title: titled(t('communityIn', { place: here.name })),
    canonical: here.path,
    isIndexed,
    crumbs: [top, ...way],
  };
}

const missing = ({ t }: HeadInput): Head => ({
  ...usual(t),
  status: 404,
  title: titled(t('threadMissing')),
  description: t('threadMissingText'),
});

function threadHead(input: HeadInput, top: Crumb, parts: readonly string[]): Head {
  const { t, thread } = input;
  if (thread === undefined)
    return { ...usual(t), title: titled(top.name), description: t('communityText'), isIndexed: true };
  if (thread === null) return missing(input);
  const { country, state, city, excerpt, isListed } = thread;
  const heading = thread.heading || t('thread');
  const path = threadPath(thread);
  return {
    ...usual(t),
    title: titled(t('threadTitle', { title: heading, place: city })),
    description: excerpt || t('threadText', { place: placeOf(thread) }),
    canonical: path,
    isIndexed: isListed,
    page: { kind: 'thread', thread },
    crumbs: [top, ...wayTo([country, state, city]), { name: heading, path }],
    movedTo: path === `/community/${parts.join('/')}` ? null : path,
  };
}

const placeOf = ({ state, city }: PageThread) => `${city}, ${stateNamed(state)?.name ?? state}`;

/** The way to a place of the community, country first; empty when there is no such place. */
function wayTo([country, state, city]: readonly string[]): readonly Crumb[] {
  const named = placeNamed({
    ...(country !== undefined && { country }),
    ...(state !== undefined && { state }),
    ...(city !== undefined && { city }),
  });
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
