import {
  CATEGORIES,
  COUNTRIES,
  findCity,
  slugify,
  findState,
  STATES,
  type Category,
  type Country,
  type State,
} from '@alpenglow/domain/contracts';

/** The place and category of a list of ads. Null means that the list is not restricted. */
export interface ListPlace {
  readonly state: State | null;
  readonly city: string | null;
  readonly category: Category | null;
}

/** Returns the state with the given code, name or slug. Ignores upper and lower case. */
export function parseState(text: string): State | null {
  return findState(text) ?? STATES.find(({ name }) => slugify(name) === slugify(text)) ?? null;
}

/** Reads state, city and category from the query of a URL. Ignores invalid values, as the code in the browser does. */
export function parseListPlace(search: URLSearchParams): ListPlace {
  const [stateText, cityText] = [search.get('state') ?? '', search.get('city') ?? ''];
  const state = stateText === '' ? null : parseState(stateText);
  const place = cityText !== '' && (state !== null || stateText === '') ? findCity(cityText, state?.code) : null;
  return {
    state: place?.state ?? state,
    city: place?.city ?? null,
    category: CATEGORIES.find((value) => value === search.get('category')) ?? null,
  };
}

/** Returns the country with the given code, name or slug. Ignores upper and lower case. */
export function findCountry(text: string): Country | null {
  return COUNTRIES.find(({ code, name }) => code === text.toLowerCase() || slugify(name) === slugify(text)) ?? null;
}

type PlaceSegments = Readonly<Partial<Record<'country' | 'state' | 'city', string | undefined>>>;

/**
 * Converts the country, state and city in a URL to the values that the API uses. These are the codes of the country and
 * the state, and the name of the city. Returns null if there is no such place.
 */
export function findPlace({ country, state, city }: PlaceSegments): Readonly<Record<string, string>> | null {
  const inCountry = country === undefined ? null : findCountry(country);
  if (country !== undefined && inCountry === null) return null;
  const inState = state === undefined ? null : parseState(state);
  if (state !== undefined && (inState === null || (inCountry !== null && !inCountry.states.includes(inState))))
    return null;
  const cityMatch = city === undefined ? null : findCity(city, inState?.code);
  if (city !== undefined && (cityMatch === null || (inCountry !== null && !inCountry.states.includes(cityMatch.state))))
    return null;
  const matchedState = cityMatch?.state ?? inState;
  return {
    ...(inCountry && { country: inCountry.code }),
    ...(matchedState && { state: matchedState.code }),
    ...(cityMatch && { city: cityMatch.city }),
  };
}
