import type { Breadcrumb } from '@alpenglow/ui';
import { COUNTRIES, slugOf, type Country, type State } from '@alpenglow/domain/contracts';

/** A country, one of its states, one of that state's cities: as far as an address says. */
export interface Place {
  readonly country: Country;
  readonly state: State | null;
  readonly city: string | null;
}

/** The place an address names, by codes, names or slugs; null when we have no such place. */
export function placeOf(country: string, state?: string, city?: string): Place | null {
  const foundCountry = COUNTRIES.find(
    ({ code, name }) => code === country.toLowerCase() || slugOf(name) === slugOf(country),
  );
  if (!foundCountry) return null;
  if (state === undefined) return { country: foundCountry, state: null, city: null };
  const foundState = foundCountry.states.find(
    ({ code, name }) => code === state.toUpperCase() || slugOf(name) === slugOf(state),
  );
  if (!foundState) return null;
  if (city === undefined) return { country: foundCountry, state: foundState, city: null };
  const foundCity = foundState.cities.find((name) => slugOf(name) === slugOf(city));
  return foundCity === undefined ? null : { country: foundCountry, state: foundState, city: foundCity };
}

/** `/community/us/nv/las-vegas`. */
export function placePath({ country, state, city }: Place): string {
  return ['/community', country.code, state?.code.toLowerCase(), city === null ? undefined : slugOf(city)]
    .filter((part) => part !== undefined)
    .join('/');
}

/** Where the ads of a place are. */
export function adsPath({ state, city }: Place): string {
  if (state === null) return '/listings';
  return city === null ? `/listings?state=${state.code}` : `/city/${state.code.toLowerCase()}/${slugOf(city)}`;
}

/** What a place is called. Countries have a name in every language, states and cities their own. */
export function placeName({ country, state, city }: Place, locale: string): string {
  return city ?? state?.name ?? countryName(country, locale);
}

export function countryName({ code, name }: Country, locale: string): string {
  return new Intl.DisplayNames(locale, { type: 'region' }).of(code.toUpperCase()) ?? name;
}

/** The places around one, widest first, and itself. */
export function breadcrumbsTo({ country, state, city }: Place, locale: string): readonly Breadcrumb[] {
  const places: readonly Place[] = [
    { country, state: null, city: null },
    ...(state ? [{ country, state, city: null }] : []),
    ...(state && city !== null ? [{ country, state, city }] : []),
  ];
  return places.map((place) => ({ label: placeName(place, locale), to: placePath(place) }));
}
