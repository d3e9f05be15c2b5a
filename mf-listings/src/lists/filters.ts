import { AD_SORTS, CATEGORIES, findCity, parseAmount, type Category, type AdSort } from '@alpenglow/domain/contracts';
import { queryOf, type AdFilter } from '@alpenglow/ui';
import { parseState } from './places.ts';

/** The filter of a list of ads. A value that is null, empty or false does not restrict the list. */
export interface ListFilter {
  readonly state: string | null;
  /** The name of the city, e.g. `Las Vegas`. If `city` is set, `state` is also set. */
  readonly city: string | null;
  readonly category: Category | null;
  readonly q: string;
  /** The lower limit of the price in whole dollars. It is never greater than `maxPrice`. */
  readonly minPrice: number | null;
  readonly maxPrice: number | null;
  /**
   * If true, only ads with a photo by the provider are shown. Likewise, `verified` selects ads of verified providers,
   * and `online` selects ads of providers who were active within the last day.
   */
  readonly photo: boolean;
  readonly verified: boolean;
  readonly online: boolean;
  readonly sort: AdSort;
}

/**
 * Called with the new filter. While the visitor is typing, `how` is `typing`, and the URL changes without a new entry
 * in the browser history.
 */
export type FilterChangeHandler = (filter: ListFilter, how: 'chosen' | 'typing') => void;

/** Called while the visitor types prices. The URL changes at once, and the list changes when the visitor pauses. */
interface PriceTyping {
  readonly onTyped: (filter: ListFilter) => void;
  /** Called when the visitor presses Enter or leaves the field. */
  readonly onDone: () => void;
}

export interface FilterBarProps {
  readonly value: ListFilter;
  readonly onChange: FilterChangeHandler;
  readonly priceTyping: PriceTyping;
}

export const BOOLEAN_FILTERS = ['photo', 'verified', 'online'] as const;
type Switch = (typeof BOOLEAN_FILTERS)[number];

export const NO_FILTER: ListFilter = {
  state: null,
  city: null,
  category: null,
  q: '',
  minPrice: null,
  maxPrice: null,
  photo: false,
  verified: false,
  online: false,
  sort: 'bumped',
};
export const QUERY_MAX = 100;
export const PRICE_MAX = 99_999;

/** Reads a filter from the query of a URL. Ignores invalid values, so that the filter bar shows the applied filter. */
export function parseFilter(search: URLSearchParams): ListFilter {
  const isOn = (name: Switch) => ['true', '1'].includes(search.get(name) ?? '');
  return {
    ...placeIn(search.get('state'), search.get('city')),
    category: oneOf(CATEGORIES, search.get('category')),
    q: cleaned(search.get('q') ?? ''),
    ...toPriceRange(parsePrice(search.get('minPrice')), parsePrice(search.get('maxPrice'))),
    photo: isOn('photo'),
    verified: isOn('verified'),
    online: isOn('online'),
    sort: oneOf(AD_SORTS, search.get('sort')) ?? 'bumped',
  };
}

function placeIn(stateText: string | null, cityText: string | null): Pick<ListFilter, 'state' | 'city'> {
  const state = stateText ? parseState(stateText) : null;
  const place = cityText && (state || !stateText) ? findCity(cityText, state?.code) : null;
  return { state: place?.state.code ?? state?.code ?? null, city: place?.city ?? null };
}

/** Removes control characters from the search text, because the server rejects them. */
function cleaned(q: string): string {
  const text = q.replaceAll(/\p{Cc}+/gu, ' ').trim();
  return text.slice(0, QUERY_MAX).trim();
}

/**
 * Reads a price as people write it (`1.500`, `$1,500.50`) in whole dollars, as for the prices of ads. Returns null for
 * zero and for invalid values.
 */
export const parsePrice = (text: string | null): number | null =>
  Math.min(PRICE_MAX, Math.floor(parseAmount(text ?? '') ?? 0)) || null;

/** Returns the price range of two prices. Swaps them if the first one is higher. */
export function toPriceRange(first: number | null, second: number | null): Pick<ListFilter, 'minPrice' | 'maxPrice'> {
  return first !== null && second !== null && first > second
    ? { minPrice: second, maxPrice: first }
    : { minPrice: first, maxPrice: second };
}

/** Returns the query string of a filter, e.g. `?state=NV&city=Las+Vegas`. It is empty if the filter is empty. */
export function toListQueryString(filter: ListFilter): string {
  return queryOf({ ...toApiFilter(filter) });
}

/** Returns the filter for the API. Equal filters result in equal objects, so that they share cached data. */
export function toApiFilter(filter: ListFilter): AdFilter {
  const { state, city, category, q, minPrice, maxPrice, photo, verified, online, sort } = filter;
  return {
    ...(state !== null && { state }),
    ...(city !== null && { city }),
    ...(category !== null && { category }),
    ...(q !== '' && { q }),
    ...(minPrice !== null && { minPrice }),
    ...(maxPrice !== null && { maxPrice }),
    ...(photo && { photo }),
    ...(verified && { verified }),
    ...(online && { online }),
    ...(sort !== 'bumped' && { sort }),
  };
}

/** One selected filter. `without` is the complete filter without this selection. */
export interface SelectedFilter {
  readonly name: 'q' | 'city' | 'state' | 'category' | 'price' | Switch;
  readonly without: ListFilter;
}

/**
 * Returns the selected filters one by one. Removing the city filter retains the state filter. The order of the list
 * does not count as a filter.
 */
export function getSelectedFilters(filter: ListFilter): readonly SelectedFilter[] {
  const { state, city, category, q, minPrice, maxPrice } = filter;
  const choices: SelectedFilter[] = [];
  const add = (of: SelectedFilter['name'], without: Partial<ListFilter>) =>
    choices.push({ name: of, without: { ...filter, ...without } });
  if (q !== '') add('q', { q: '' });
  if (city !== null) add('city', { city: null });
  else if (state !== null) add('state', { state: null });
  if (category !== null) add('category', { category: null });
  if (minPrice !== null || maxPrice !== null) add('price', { minPrice: null, maxPrice: null });
  for (const name of BOOLEAN_FILTERS) if (filter[name]) add(name, { [name]: false });
  return choices;
}

/** Removes all selections from a filter, except the order of the list. */
export function clearFilter(filter: ListFilter): ListFilter {
  return { ...NO_FILTER, sort: filter.sort };
}

function oneOf<T extends string>(allowed: readonly T[], text: string | null): T | null {
  return allowed.find((value) => value === text) ?? null;
}
