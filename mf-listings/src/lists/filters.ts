import { CATEGORIES, findCity, stateOf, type Category } from '@alpenglow/domain/contracts';
import { AD_SORTS, type AdFilter, type AdSort } from '@alpenglow/ui';

/** What a visitor has chosen. Null means: no matter. */
export interface ListFilter {
  /** A code, e.g. `NV`. */
  readonly state: string | null;
  /** As in the data, e.g. `Las Vegas`; always with its state. */
  readonly city: string | null;
  readonly category: Category | null;
  readonly q: string;
  readonly sort: AdSort;
}

export const NO_FILTER: ListFilter = { state: null, city: null, category: null, q: '', sort: 'bumped' };
export const Q_MAX = 100;

/** Reads a filter from an address. What makes no sense is left out, so that the bar always shows what is applied. */
export function filterOf(search: URLSearchParams): ListFilter {
  const stateText = search.get('state');
  const cityText = search.get('city');
  const state = stateText ? stateOf(stateText) : null;
  const place = cityText && (state || !stateText) ? findCity(cityText, state?.code) : null;
  return {
    state: place?.state.code ?? state?.code ?? null,
    city: place?.city ?? null,
    category: oneOf(CATEGORIES, search.get('category')),
    q: (search.get('q') ?? '').trim().slice(0, Q_MAX),
    sort: oneOf(AD_SORTS, search.get('sort')) ?? 'bumped',
  };
}

/** The query string of a filter: `?state=NV&city=Las+Vegas`, empty when nothing is chosen. */
export function searchOf(filter: ListFilter): string {
  const search = new URLSearchParams(Object.entries(apiFilterOf(filter)).map(([name, value]) => [name, String(value)]));
  const text = search.toString();
  return text === '' ? '' : `?${text}`;
}

/** What to ask the API for; equal filters give equal objects, so that they share what was loaded. */
export function apiFilterOf({ state, city, category, q, sort }: ListFilter): AdFilter {
  return {
    ...(state !== null && { state }),
    ...(city !== null && { city }),
    ...(category !== null && { category }),
    ...(q !== '' && { q }),
    ...(sort !== 'bumped' && { sort }),
  };
}

/** How many things are chosen; the order is not one of them. */
export function chosenCount({ state, city, category, q }: ListFilter): number {
  return [city ?? state, category, q || null].filter((one) => one !== null).length;
}

/** A place as one value of a select: `NV`, `NV/Las Vegas` or empty. */
export function placeValueOf({ state, city }: Pick<ListFilter, 'state' | 'city'>): string {
  return [state, city].filter((one) => one !== null).join('/');
}

export function placeOf(value: string): Pick<ListFilter, 'state' | 'city'> {
  const [state = '', city = ''] = value.split('/');
  return { state: state || null, city: city || null };
}

function oneOf<T extends string>(allowed: readonly T[], text: string | null): T | null {
  return allowed.find((one) => one === text) ?? null;
}
