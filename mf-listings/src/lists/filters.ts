import { CATEGORIES, findCity, STATES, stateOf, slugOf, type Category } from '@alpenglow/domain/contracts';
import { AD_SORTS, type AdFilter, type AdSort } from '@alpenglow/ui';

/** What a visitor has chosen. Null, empty or false means: no matter. */
export interface ListFilter {
  /** A code, e.g. `NV`. */
  readonly state: string | null;
  /** As in the data, e.g. `Las Vegas`; always with its state. */
  readonly city: string | null;
  readonly category: Category | null;
  readonly q: string;
  /** Whole dollars, the lower one never above the upper. */
  readonly minPrice: number | null;
  readonly maxPrice: number | null;
  /** Only ads with a photo of their own; of owners somebody has looked at; active within the last day. */
  readonly photo: boolean;
  readonly verified: boolean;
  readonly online: boolean;
  readonly sort: AdSort;
}

/** The filters that are on or off. */
export const SWITCHES = ['photo', 'verified', 'online'] as const;
export type Switch = (typeof SWITCHES)[number];

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
export const Q_MAX = 100;
export const PRICE_MAX = 99_999;

/** Reads a filter from an address. What makes no sense is left out, so that the bar always shows what is applied. */
export function filterOf(search: URLSearchParams): ListFilter {
  const isOn = (name: Switch) => ['true', '1'].includes(search.get(name) ?? '');
  return {
    ...placeIn(search.get('state'), search.get('city')),
    category: oneOf(CATEGORIES, search.get('category')),
    q: cleaned(search.get('q') ?? ''),
    ...pricesOf(priceOf(search.get('minPrice')), priceOf(search.get('maxPrice'))),
    photo: isOn('photo'),
    verified: isOn('verified'),
    online: isOn('online'),
    sort: oneOf(AD_SORTS, search.get('sort')) ?? 'bumped',
  };
}

function placeIn(stateText: string | null, cityText: string | null): Pick<ListFilter, 'state' | 'city'> {
  const state = stateText
    ? (stateOf(stateText) ?? STATES.find(({ name }) => slugOf(name) === slugOf(stateText)) ?? null)
    : null;
  const place = cityText && (state || !stateText) ? findCity(cityText, state?.code) : null;
  return { state: place?.state.code ?? state?.code ?? null, city: place?.city ?? null };
}

/** The server refuses control characters. */
function cleaned(q: string): string {
  return q
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, Q_MAX)
    .trim();
}

/** Whole dollars from what was typed; null for what is none, zero included. */
export function priceOf(text: string | null): number | null {
  const digits = text?.trim() ?? '';
  return /^\d{1,10}$/u.test(digits) ? Math.min(PRICE_MAX, Number(digits)) || null : null;
}

/** From one price to another, in this order whichever was typed first. */
export function pricesOf(one: number | null, other: number | null): Pick<ListFilter, 'minPrice' | 'maxPrice'> {
  return one !== null && other !== null && one > other
    ? { minPrice: other, maxPrice: one }
    : { minPrice: one, maxPrice: other };
}

/** The query string of a filter: `?state=NV&city=Las+Vegas`, empty when nothing is chosen. */
export function searchOf(filter: ListFilter): string {
  const search = new URLSearchParams(Object.entries(apiFilterOf(filter)).map(([name, value]) => [name, String(value)]));
  const text = search.toString();
  return text === '' ? '' : `?${text}`;
}

/** What to ask the API for; equal filters give equal objects, so that they share what was loaded. */
export function apiFilterOf({
  state,
  city,
  category,
  q,
  minPrice,
  maxPrice,
  photo,
  verified,
  online,
  sort,
}: ListFilter): AdFilter {
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

/** One chosen thing, and the filter as it is without it. */
export interface Choice {
  readonly of: 'q' | 'city' | 'state' | 'category' | 'price' | Switch;
  readonly without: ListFilter;
}

/** What is chosen, thing by thing; the order of a list is not one of them. Without its city, a place is its whole state. */
export function choicesOf(filter: ListFilter): readonly Choice[] {
  const { state, city, category, q, minPrice, maxPrice } = filter;
  const choices: Choice[] = [];
  const add = (of: Choice['of'], without: Partial<ListFilter>) =>
    choices.push({ of, without: { ...filter, ...without } });
  if (q !== '') add('q', { q: '' });
  if (city !== null) add('city', { city: null });
  else if (state !== null) add('state', { state: null });
  if (category !== null) add('category', { category: null });
  if (minPrice !== null || maxPrice !== null) add('price', { minPrice: null, maxPrice: null });
  for (const one of SWITCHES) if (filter[one]) add(one, { [one]: false });
  return choices;
}

/** A filter with nothing chosen but the order of the list. */
export function cleared(filter: ListFilter): ListFilter {
  return { ...NO_FILTER, sort: filter.sort };
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
