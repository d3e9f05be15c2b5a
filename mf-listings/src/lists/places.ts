import { findCity, slugify, STATES, findState, type State } from '@alpenglow/domain/contracts';
import type { AdCounts } from './use-ad-counts.ts';

/** A city together with its state. */
export interface Place {
  readonly state: State;
  readonly city: string;
}

/**
 * Returns the state with the given code or name. The case of letters is ignored. Returns null if there is no such
 * state.
 */
export function parseState(text: string): State | null {
  return findState(text) ?? STATES.find(({ name }) => slugify(name) === slugify(text)) ?? null;
}

/**
 * Returns the cities that a URL may refer to. If `state` has a city with this name, returns only this city. Otherwise
 * returns the cities with this name in all states.
 */
export function findPlaces(city: string, state?: string): readonly Place[] {
  const everywhere = STATES.flatMap(({ code }) => findCity(city, code) ?? []);
  const here = everywhere.filter((place) => state !== undefined && place.state.code === parseState(state)?.code);
  return here.length > 0 ? here : everywhere;
}

/** Returns the number of ads in a city. Returns null if the counts are not loaded. */
export function getAdCount(counts: AdCounts | undefined, state: string, city: string): number | null {
  if (!counts) return null;
  return counts.cities.find((entry) => entry.state === state && entry.city === city)?.count ?? 0;
}

/**
 * Returns the cities of a state, ordered by their number of ads in descending order. Cities with equal or unknown
 * numbers are ordered by size, as in the list of cities.
 */
export function sortCitiesByAds({ code, cities }: State, counts: AdCounts | undefined): readonly string[] {
  const count = new Map(counts?.cities.filter(({ state }) => state === code).map((entry) => [entry.city, entry.count]));
  return [...cities].sort((a, b) => (count.get(b) ?? 0) - (count.get(a) ?? 0));
}
