import data from './places.json' with { type: 'json' };

/**
 * A state with the cities where ads can be posted. The list of places is data, so a new country needs no code.
 */
export interface State {
  readonly code: string;
  readonly name: string;
  readonly cities: readonly string[];
}
export interface Country {
  readonly code: string;
  readonly name: string;
  readonly states: readonly State[];
}

/** A city with its state. */
export interface FoundCity {
  readonly state: State;
  readonly city: string;
}

export const COUNTRIES: readonly Country[] = data;
export const STATES: readonly State[] = COUNTRIES.flatMap((country) => country.states);

const byCode = new Map(STATES.map((state) => [state.code, state]));

/** Returns the state with this code (case-insensitive), or null. */
export function findState(code: string): State | null {
  return byCode.get(code.toUpperCase()) ?? null;
}

/** Checks whether `city` is a city of the state with the code `state`. Both must be spelled as in `places.json`. */
export function isCityInState(state: string, city: string): boolean {
  return byCode.get(state)?.cities.includes(city) ?? false;
}

/** Checks whether `city` is a city of a state of this country. Codes and city must be spelled as in `places.json`. */
export function isCityInCountry(country: string, state: string, city: string): boolean {
  return (
    COUNTRIES.find(({ code }) => code === country)
      ?.states.find(({ code }) => code === state)
      ?.cities.includes(city) ?? false
  );
}

/** Converts a name to a slug for URLs: `St. Petersburg` → `st-petersburg`. */
export function slugify(name: string): string {
  return name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/gu, '-')
    .replaceAll(/^-|-$/gu, '');
}

/**
 * Finds a city by its full name or its slug (case-insensitive). Returns null if there is none. Short names such as
 * `vegas` find no city here: cities and articles have addresses `/blog/{slug}`, so an article may use such a name.
 */
export function findCityBySlug(text: string): FoundCity | null {
  const slug = slugify(text);
  for (const state of STATES) {
    const city = state.cities.find((name) => slugify(name) === slug);
    if (city !== undefined) return { state, city };
  }
  return null;
}

/** The short forms of words in the names of cities. */
const SHORT_WORDS: Readonly<Record<string, string>> = {
  saint: 'st',
  fort: 'ft',
  mount: 'mt',
  north: 'n',
  south: 's',
  east: 'e',
  west: 'w',
};
const LONG_WORDS = Object.fromEntries(Object.entries(SHORT_WORDS).map(([long, short]) => [short, long]));

/**
 * Short names and nicknames of cities, as slugs with short words. Each belongs to exactly one city of `places.json`. A
 * name that people use for several cities (`dfw`), or that is another city here (`frisco`), is missing.
 */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  'Los Angeles': ['la'],
  'San Francisco': ['sf', 'san-fran'],
  'Las Vegas': ['vegas', 'lv'],
  'North Las Vegas': ['nlv'],
  'New York City': ['nyc'],
  'Niagara Falls': ['niagara'],
  Phoenix: ['phx'],
  Jacksonville: ['jax'],
  'St. Petersburg': ['st-pete'],
  'West Palm Beach': ['wpb', 'w-palm'],
  Houston: ['htx'],
  Austin: ['atx'],
  'Corpus Christi': ['corpus'],
  McKinney: ['mc-kinney'],
};

/** Checks whether a search word, such as `la` or `nyc`, is a usual short name of a city. */
export function isCityNickname(word: string): boolean {
  return Object.values(OTHER_NAMES).some((names) => names.includes(word));
}

/** Converts the name of a city to a slug in which `Saint` and `St.`, or `North` and `N.`, are the same word. */
const toCitySlug = (name: string) =>
  slugify(name)
    .split('-')
    .map((word) => SHORT_WORDS[word] ?? word)
    .join('-');

/** Returns additional search words of a city: short forms, long forms and nicknames, e.g. `nyc`, `saint` for `St.`. */
export function getOtherCityWords(city: string): string {
  const longWords = slugify(city)
    .split('-')
    .flatMap((word) => LONG_WORDS[word] ?? SHORT_WORDS[word] ?? []);
  return [...longWords, ...(OTHER_NAMES[city] ?? [])].join(' ');
}

/** Matches the postal code and the country after a city and its state, in a slug. */
const AFTER_STATE = /(?:-\d{5})?(?:-usa?|-united-states)?$/u;

/** Checks whether a slug of `toCitySlug` is a usual name of a city in this state. */
function isNameOf(city: string, state: State, slug: string): boolean {
  const name = toCitySlug(city);
  // `L.A.` is `la`.
  const initials = /^\w(?:-\w)+$/u.test(slug) ? slug.replaceAll('-', '') : slug;
  return (
    name === slug ||
    OTHER_NAMES[city]?.includes(initials) === true ||
    // `Carson` is Carson City, unless the state also has a city of this name.
    (name === `${slug}-city` && !state.cities.some((other) => toCitySlug(other) === slug))
  );
}

/**
 * Finds a city of a state by its name, its slug or a usual short name (case-insensitive). The name or code of its state
 * may follow, as in `Las Vegas, NV`. If no state is given, the first state with such a city is used. Returns null if
 * there is no such city.
 */
export function findCity(city: string, state?: string): FoundCity | null {
  const slug = toCitySlug(city).replace(AFTER_STATE, '');
  const states =
    state === undefined
      ? STATES
      : [findState(state) ?? STATES.find((one) => slugify(one.name) === slugify(state)) ?? null];
  for (const one of states) {
    if (!one) continue;
    for (const end of ['', `-${one.code.toLowerCase()}`, `-${toCitySlug(one.name)}`]) {
      const found =
        slug.endsWith(end) && one.cities.find((name) => isNameOf(name, one, slug.slice(0, slug.length - end.length)));
      if (found) return { state: one, city: found };
    }
  }
  return null;
}
