import { CATEGORIES, findCity, slugOf, stateOf, STATES, type Category, type State } from '@alpenglow/domain/contracts';

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
  return { state: place?.state ?? state, city: place?.city ?? null, category: CATEGORIES.find((one) => one === search.get('category')) ?? null };
}
