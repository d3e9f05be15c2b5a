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
 * Finds a city of a state by its name or slug (case-insensitive). If no state is given, the first state with such a
 * city is used. Returns null if there is no such city.
 */
export function findCity(city: string, state?: string): { readonly state: State; readonly city: string } | null {
  const slug = slugify(city);
  const states =
    state === undefined
      ? STATES
      : [findState(state) ?? STATES.find((one) => slugify(one.name) === slugify(state)) ?? null];
  for (const one of states) {
    const found = one?.cities.find((name) => slugify(name) === slug);
    if (one && found !== undefined) return { state: one, city: found };
  }
  return null;
}
