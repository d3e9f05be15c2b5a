import { cityPath, findCity, getOtherCityWords, parseAmount, splitWords, STATES } from '@alpenglow/domain/contracts';
import { findOptions } from '@alpenglow/ui/find-options';
import { LOCALES } from '@alpenglow/ui/locales';
import { parseState } from '../data/places.ts';
import { TEXTS } from '../texts.ts';

/**
 * Returns the path of the list that a visitor without scripts has requested with a form. Such a URL contains the text
 * of the place field, e.g. `place=Las Vegas, Nevada`. Returns null for all other URLs.
 */
export function findSubmittedList(search: URLSearchParams): string | null {
  const text = search.get('place');
  if (text === null) return null;
  const { path, state } = parsePlace(text.trim());
  const query = new URLSearchParams(state === null ? {} : { state });
  for (const name of FIELDS) {
    const value = search.get(name)?.trim() ?? '';
    if (value !== '' && !(name === 'sort' && value === DEFAULT_SORT)) query.set(name, toQueryValue(name, value));
  }
  return query.size === 0 ? path : `${path}?${query}`;
}

/** The other fields of the forms, in the order of the URLs that the browser creates. */
const FIELDS = ['category', 'q', 'minPrice', 'maxPrice', 'photo', 'verified', 'online', 'sort'] as const;
const DEFAULT_SORT = 'bumped';

/** Returns a price in whole dollars, e.g. `1500` for `1.500`, and other values unchanged. */
function toQueryValue(name: (typeof FIELDS)[number], value: string): string {
  const price = name === 'minPrice' || name === 'maxPrice' ? parseAmount(value) : null;
  return price === null ? value : String(Math.floor(price));
}

interface SubmittedPlace {
  readonly path: string;
  /** The code of a state whose ads `/listings` shows. */
  readonly state: string | null;
}

const LISTINGS = '/listings';
const EVERYWHERE: SubmittedPlace = { path: LISTINGS, state: null };

/**
 * Finds the place that a visitor means with a text. It may be the name of a city, with or without its state, or the
 * name or code of a state, or the beginning of such a name. The page of a city explains an unknown or ambiguous name.
 */
function parsePlace(text: string): SubmittedPlace {
  // The field contains this text if no place is selected.
  if (text === '' || LOCALES.some((locale) => TEXTS[locale]('anywhere') === text)) return EVERYWHERE;
  const [, cityText = '', stateText = ''] = /^(.+?)\s*,\s*([^,]+)$/u.exec(text) ?? [];
  const state = parseState(text);
  const inState = stateText === '' ? null : parseState(stateText);
  const inThisState = inState && findCity(cityText, inState.code);
  if (inThisState) return toCity(inThisState);
  if (state) return { path: LISTINGS, state: state.code };
  const [city, ...others] = STATES.flatMap(({ code }) => findCity(text, code) ?? []);
  if (city) return others.length === 0 ? toCity(city) : toCityName(text);
  if (splitWords(text).length === 0) return toCityName(text);
  const [match] = findOptions(PLACES, text, { name: ({ name }) => name, searchText: ({ searchText }) => searchText });
  return match?.place ?? toCityName(text);
}

const toCity = ({ state, city }: NonNullable<ReturnType<typeof findCity>>): SubmittedPlace => ({
  path: cityPath(state.code, city),
  state: null,
});

/** Without a state in the path, the page of a city offers the cities with this name. */
const toCityName = (text: string): SubmittedPlace => ({ path: `/city/${encodeURIComponent(text)}`, state: null });

interface PlaceOption {
  readonly name: string;
  readonly searchText: string;
  readonly place: SubmittedPlace;
}

/** All states and then all cities, as in the place field of the browser. */
const PLACES: readonly PlaceOption[] = [
  ...STATES.map(({ code, name }) => ({
    name,
    searchText: `${name} ${code}`,
    place: { path: LISTINGS, state: code },
  })),
  ...STATES.flatMap(({ code, name, cities }) =>
    cities.map((city) => ({
      name: city,
      searchText: `${city} ${getOtherCityWords(city)} ${name} ${code}`,
      place: { path: cityPath(code, city), state: null },
    })),
  ),
];
