import { findCity, slugOf, STATES, stateOf, type State } from '@alpenglow/domain/contracts';
import type { AdCounts } from './use-ad-counts.ts';

/** A city and its state, as in the data. */
export interface Place {
  readonly state: State;
  readonly city: string;
}

/** The state of an address by its code or its name, in any spelling; null when there is none. */
export function stateIn(text: string): State | null {
  return stateOf(text) ?? STATES.find(({ name }) => slugOf(name) === slugOf(text)) ?? null;
}

/**
 * The cities an address may mean. With a state that is known: that state's city, else cities of that name elsewhere. Without one:
 * every city of that name. Empty when there is none.
 */
export function placesNamed(city: string, state?: string): readonly Place[] {
  const everywhere = STATES.flatMap(({ code }) => findCity(city, code) ?? []);
  const here = everywhere.filter((place) => state !== undefined && place.state.code === stateIn(state)?.code);
  return here.length > 0 ? here : everywhere;
}

/** How many ads a city has; null while it is not known. */
export function adsIn(counts: AdCounts | undefined, state: string, city: string): number | null {
  if (!counts) return null;
  return counts.cities.find((one) => one.state === state && one.city === city)?.count ?? 0;
}

/** A state's cities, those with most ads first; as in the data, where the chief ones come first, as long as counts are not known or equal. */
export function citiesByAds({ code, cities }: State, counts: AdCounts | undefined): readonly string[] {
  const count = new Map(counts?.cities.filter(({ state }) => state === code).map((one) => [one.city, one.count]));
  return cities.toSorted((one, other) => (count.get(other) ?? 0) - (count.get(one) ?? 0));
}
