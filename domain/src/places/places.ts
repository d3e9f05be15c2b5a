import data from './places.json' with { type: 'json' };

/** Where listings may be (specification, section 3, "States and cities"). Adding a country is adding data, not code. */
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

/** The state with this code (any case), or null. */
export function stateOf(code: string): State | null {
  return byCode.get(code.toUpperCase()) ?? null;
}

/** True when `city` is one of the cities of the state with code `state`, both spelled as in the data. */
export function isPlace(state: string, city: string): boolean {
  return byCode.get(state)?.cities.includes(city) ?? false;
}

/** True when `city` is a city of a state of this country, by codes and as spelled in the data. */
export function isPlaceOf(country: string, state: string, city: string): boolean {
  return (
    COUNTRIES.find(({ code }) => code === country)
      ?.states.find(({ code }) => code === state)
      ?.cities.includes(city) ?? false
  );
}

/** `St. Petersburg` → `st-petersburg`, for addresses. */
export function slugOf(name: string): string {
  return name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/gu, '-')
    .replaceAll(/^-|-$/gu, '');
}

/**
 * The city of a state by its name or slug, any case; without a state, the first state that has such a city.
 * Null when there is none.
 */
export function findCity(city: string, state?: string): { readonly state: State; readonly city: string } | null {
  const slug = slugOf(city);
  const states =
    state === undefined ? STATES : [stateOf(state) ?? STATES.find((one) => slugOf(one.name) === slugOf(state)) ?? null];
  for (const one of states) {
    const found = one?.cities.find((name) => slugOf(name) === slug);
    if (one && found !== undefined) return { state: one, city: found };
  }
  return null;
}
