import {
  CATEGORIES,
  COUNTRIES,
  findCity,
  slugOf,
  stateOf,
  STATES,
  type Category,
  type Country,
  type State,
} from '@alpenglow/domain/contracts';

/** Of a list: a state, one of its cities, a category. Null means: all. */
export interface PlaceOfList {
  readonly state: State | null;
  readonly city: string | null;
  readonly category: Category | null;
}

/** The state of a code, name or slug, in any case. */
export function stateNamed(text: string): State | null {
  return stateOf(text) ?? STATES.find(({ name }) => slugOf(name) === slugOf(text)) ?? null;
}

/** What of an address's query says where and what; what makes no sense is left out, as the pages themselves do. */
export function placeOfList(search: URLSearchParams): PlaceOfList {
  const [stateText, cityText] = [search.get('state') ?? '', search.get('city') ?? ''];
  const state = stateText === '' ? null : stateNamed(stateText);
  const place = cityText !== '' && (state !== null || stateText === '') ? findCity(cityText, state?.code) : null;
  return {
    state: place?.state ?? state,
    city: place?.city ?? null,
    category: CATEGORIES.find((one) => one === search.get('category')) ?? null,
  };
}

/** The country of a code, name or slug, in any case. */
export function countryNamed(text: string): Country | null {
  return COUNTRIES.find(({ code, name }) => code === text.toLowerCase() || slugOf(name) === slugOf(text)) ?? null;
}

/**
 * The place that segments of an address name, as far as they do, in the words of our data: codes of countries and states, names of cities.
 * Null where there is no such place.
 */
export function placeNamed({
  country,
  state,
  city,
}: {
  readonly country?: string;
  readonly state?: string;
  readonly city?: string;
}): Readonly<Record<string, string>> | null {
  const inCountry = country === undefined ? null : countryNamed(country);
  if (country !== undefined && inCountry === null) return null;
  const inState = state === undefined ? null : stateNamed(state);
  if (state !== undefined && (inState === null || (inCountry !== null && !inCountry.states.includes(inState))))
    return null;
  const found = city === undefined ? null : findCity(city, inState?.code);
  if (city !== undefined && (found === null || (inCountry !== null && !inCountry.states.includes(found.state))))
    return null;
  const foundState = found?.state ?? inState;
  return {
    ...(inCountry && { country: inCountry.code }),
    ...(foundState && { state: foundState.code }),
    ...(found && { city: found.city }),
  };
}
