import { COUNTRIES, DomainError, slugOf, type Country, type State } from '@alpenglow/domain';

/** Where threads are asked for, in the spelling of our data: everywhere, in a country, a state or a city. */
export interface ThreadPlaceQuery {
  readonly country: string | null;
  readonly state: string | null;
  readonly city: string | null;
  /** The counts in `rm.community_places` that add up to all threads there. */
  readonly countKeys: readonly string[];
}

interface AskedPlace {
  readonly country?: string | undefined;
  readonly state?: string | undefined;
  readonly city?: string | undefined;
}

/**
 * The place that was asked for, each part by its code, its name or its slug, in any case. A city without a state is every city of that
 * name. Throws INVALID_FIELDS for a place there is not.
 */
export function placeOf({ country, state, city }: AskedPlace): ThreadPlaceQuery {
  const countries = country
    ? some(COUNTRIES.filter(isNamed(country)), 'country', 'There are no listings in this place yet')
    : COUNTRIES;
  if (!state && !city) {
    const code = country ? (countries[0]?.code ?? null) : null;
    return { country: code, state: null, city: null, countKeys: countries.map((one) => one.code) };
  }
  const inCountries = statesOf(countries);
  const states = state
    ? some(
        inCountries.filter((one) => isNamed(state)(one.state)),
        'state',
        'There are no listings in this state yet',
      )
    : inCountries;
  if (!city)
    return {
      country: only(states, (one) => one.country),
      state: only(states, (one) => one.state.code),
      city: null,
      countKeys: states.map(keyOf),
    };
  const cities = some(citiesNamed(city, states), 'city', 'There are no listings in this city yet');
  return {
    country: only(cities, (one) => one.country),
    state: only(cities, (one) => one.state.code),
    city: only(cities, (one) => one.city),
    countKeys: cities.map((one) => `${keyOf(one)}/${one.city}`),
  };
}

interface StateOfCountry {
  readonly country: string;
  readonly state: State;
}

const keyOf = ({ country, state }: StateOfCountry) => `${country}/${state.code}`;

function statesOf(countries: readonly Country[]): readonly StateOfCountry[] {
  return countries.flatMap(({ code, states }) => states.map((state) => ({ country: code, state })));
}

function citiesNamed(
  text: string,
  states: readonly StateOfCountry[],
): readonly (StateOfCountry & { readonly city: string })[] {
  return states.flatMap((one) =>
    one.state.cities.filter((city) => slugOf(city) === slugOf(text)).map((city) => ({ ...one, city })),
  );
}

function isNamed(text: string): (place: { readonly code: string; readonly name: string }) => boolean {
  return ({ code, name }) => code.toLowerCase() === text.toLowerCase() || slugOf(name) === slugOf(text);
}

function some<Place>(places: readonly Place[], field: string, reason: string): readonly Place[] {
  if (places.length === 0) throw new DomainError('INVALID_FIELDS', { reason }, null, { [field]: reason });
  return places;
}

/** What all of them have in common; null where they differ. */
function only<Place>(places: readonly Place[], part: (place: Place) => string): string | null {
  const parts = new Set(places.map(part));
  return parts.size === 1 ? ([...parts][0] ?? null) : null;
}
