import { COUNTRIES, slugify, type Country, type State } from '@alpenglow/domain';
import { createFieldError } from '../paging.ts';

/**
 * The place of the requested community threads, in the spelling of the stored data. A field that is null does not
 * restrict the list.
 */
export interface ThreadPlaceQuery {
  readonly country: string | null;
  readonly state: string | null;
  readonly city: string | null;
  /**
   * The keys of rows in `rm.community_places`. The sum of the counts in these rows is the number of threads in the
   * place.
   */
  readonly countKeys: readonly string[];
}

interface PlaceInput {
  readonly country: string | null;
  readonly state: string | null;
  readonly city: string | null;
}

/**
 * Parses the place of the requested threads. A country or a state may be a code, a name or a slug. A city may be a name
 * or a slug. Upper and lower case are equal. A city without a state means all cities with this name. Throws
 * INVALID_FIELDS for an unknown place.
 */
export function parseThreadPlace({ country, state, city }: PlaceInput): ThreadPlaceQuery {
  const countries = country
    ? requireSome(COUNTRIES.filter(isNamed(country)), 'country', 'There are no listings in this place yet')
    : COUNTRIES;
  if (!state && !city) {
    const code = country ? (countries[0]?.code ?? null) : null;
    return { country: code, state: null, city: null, countKeys: countries.map((entry) => entry.code) };
  }
  const inCountries = listStates(countries);
  const states = state
    ? requireSome(
        inCountries.filter((entry) => isNamed(state)(entry.state)),
        'state',
        'There are no listings in this state yet',
      )
    : inCountries;
  if (!city)
    return {
      country: commonValue(states, (entry) => entry.country),
      state: commonValue(states, (entry) => entry.state.code),
      city: null,
      countKeys: states.map(createKey),
    };
  const cities = requireSome(findCities(city, states), 'city', 'There are no listings in this city yet');
  return {
    country: commonValue(cities, (entry) => entry.country),
    state: commonValue(cities, (entry) => entry.state.code),
    city: commonValue(cities, (entry) => entry.city),
    countKeys: cities.map((entry) => `${createKey(entry)}/${entry.city}`),
  };
}

interface StateOfCountry {
  readonly country: string;
  readonly state: State;
}

const createKey = ({ country, state }: StateOfCountry) => `${country}/${state.code}`;

function listStates(countries: readonly Country[]): readonly StateOfCountry[] {
  return countries.flatMap(({ code, states }) => states.map((state) => ({ country: code, state })));
}

function findCities(
  text: string,
  states: readonly StateOfCountry[],
): readonly (StateOfCountry & { readonly city: string })[] {
  return states.flatMap((entry) =>
    entry.state.cities.filter((city) => slugify(city) === slugify(text)).map((city) => ({ ...entry, city })),
  );
}

function isNamed(text: string): (place: { readonly code: string; readonly name: string }) => boolean {
  return ({ code, name }) => code.toLowerCase() === text.toLowerCase() || slugify(name) === slugify(text);
}

function requireSome<Place>(places: readonly Place[], field: string, reason: string): readonly Place[] {
  if (places.length === 0) throw createFieldError(field, reason);
  return places;
}

/** Returns the value that all places have in common. Returns null if the values differ. */
function commonValue<Place>(places: readonly Place[], part: (place: Place) => string): string | null {
  const parts = new Set(places.map(part));
  return parts.size === 1 ? ([...parts][0] ?? null) : null;
}
