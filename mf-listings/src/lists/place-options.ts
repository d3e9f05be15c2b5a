import { getOtherCityWords, splitWords, STATES } from '@alpenglow/domain/contracts';
import { findOptions } from '@alpenglow/ui';
import type { ListFilter } from './filters.ts';
import { getStateName } from './list-title.ts';

/** A place that the visitor can choose. Both values are null for all places. */
export type PlaceChoice = Pick<ListFilter, 'state' | 'city'>;

/** The options without a typed text: everywhere, all states, and all cities of each state. */
const EVERYWHERE: PlaceChoice = { state: null, city: null };
const ALL_STATES: readonly PlaceChoice[] = STATES.map(({ code }) => ({ state: code, city: null }));
const ALL_CITIES: readonly PlaceChoice[] = STATES.flatMap(({ code, cities }) =>
  cities.map((city) => ({ state: code, city })),
);

/**
 * Returns the places that match a typed text, or all places for an empty text. A place matches if each typed word
 * begins a word of its name, of its state or of the code of its state. Places whose name begins with the text come
 * first. Within each group, states come before cities.
 */
export function findPlaceOptions(text: string): readonly PlaceChoice[] {
  if (splitWords(text).length === 0) return [EVERYWHERE, ...ALL_STATES, ...ALL_CITIES];
  return findOptions([...ALL_STATES, ...ALL_CITIES], text, {
    name: nameOf,
    searchText: ({ state, city }) =>
      `${nameOf({ state, city })} ${getOtherCityWords(city ?? '')} ${state} ${getStateName(state ?? '')}`,
  });
}

const nameOf = ({ state, city }: PlaceChoice) => city ?? getStateName(state ?? '');
