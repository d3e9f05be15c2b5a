import type { Breadcrumb } from '@alpenglow/ui';
import { COUNTRIES, slugify, type Country, type State } from '@alpenglow/domain/contracts';

/** A country, state or city. `city` is null for a state, and both `state` and `city` are null for a country. */
export interface Place {
  readonly country: Country;
  readonly state: State | null;
  readonly city: string | null;
}

/** Returns the place with these codes, names or slugs, or null if there is none. */
export function findPlace(country: string, state?: string, city?: string): Place | null {
  const foundCountry = COUNTRIES.find(
    ({ code, name }) => code === country.toLowerCase() || slugify(name) === slugify(country),
  );
  if (!foundCountry) return null;
  if (state === undefined) return { country: foundCountry, state: null, city: null };
  const foundState = foundCountry.states.find(
    ({ code, name }) => code === state.toUpperCase() || slugify(name) === slugify(state),
  );
  if (!foundState) return null;
  if (city === undefined) return { country: foundCountry, state: foundState, city: null };
  const foundCity = foundState.cities.find((name) => slugify(name) === slugify(city));
  return foundCity === undefined ? null : { country: foundCountry, state: foundState, city: foundCity };
}

/** Returns the states of a country as places. */
export const getStates = (country: Country): readonly Place[] =>
  country.states.map((state) => ({ country, state, city: null }));

/** Returns the path of the threads of a place, such as `/community/us/nv/las-vegas`. */
export function getPlacePath({ country, state, city }: Place): string {
  return ['/community', country.code, state?.code.toLowerCase(), city === null ? undefined : slugify(city)]
    .filter((part) => part !== undefined)
    .join('/');
}

/** Returns the path of the ads of a place. */
export function getAdsPath({ state, city }: Place): string {
  if (state === null) return '/listings';
  return city === null ? `/listings?state=${state.code}` : `/city/${state.code.toLowerCase()}/${slugify(city)}`;
}

/** Returns the display name of a place. Only the names of countries are translated. */
export function formatPlaceName({ country, state, city }: Place, locale: string): string {
  return city ?? state?.name ?? formatCountryName(country, locale);
}

export function formatCountryName({ code, name }: Country, locale: string): string {
  return new Intl.DisplayNames(locale, { type: 'region' }).of(code.toUpperCase()) ?? name;
}

/** Returns the breadcrumbs of a place, from the country to the place itself. */
export function getBreadcrumbs({ country, state, city }: Place, locale: string): readonly Breadcrumb[] {
  const places: readonly Place[] = [
    { country, state: null, city: null },
    ...(state ? [{ country, state, city: null }] : []),
    ...(state && city !== null ? [{ country, state, city }] : []),
  ];
  return places.map((place) => ({ label: formatPlaceName(place, locale), to: getPlacePath(place) }));
}
