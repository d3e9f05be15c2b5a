import { stateOf } from '@alpenglow/domain/contracts';
import type { t } from '../text.ts';
import type { ListFilter } from './filters.ts';

/** What a list is of, in words: `Massage ads in Las Vegas`. */
export function listTitle(
  { state, city, category }: Pick<ListFilter, 'state' | 'city' | 'category'>,
  say: typeof t,
): string {
  const place = city ?? (state === null ? null : stateName(state));
  if (category === null) return place === null ? say('listTitle') : say('listTitleIn', { place });
  const name = say(`categories.${category}`);
  return place === null ? say('categoryTitle', { category: name }) : say('categoryTitleIn', { category: name, place });
}

/** A state's name by its code. */
export function stateName(code: string): string {
  return stateOf(code)?.name ?? code;
}
