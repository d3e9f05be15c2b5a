import { stateOf } from '@alpenglow/domain/contracts';
import { fill, listingsMessages as text } from '@alpenglow/ui';
import type { ListFilter } from './filters.ts';

/** What a list is of, in words: `Massage ads in Las Vegas`. */
export function listTitle({ state, city, category }: Pick<ListFilter, 'state' | 'city' | 'category'>): string {
  const place = city ?? (state === null ? null : (stateOf(state)?.name ?? state));
  if (category === null) return place === null ? text.listTitle : fill(text.listTitleIn, { place });
  const name = text.categories[category];
  return place === null ? fill(text.categoryTitle, { category: name }) : fill(text.categoryTitleIn, { category: name, place });
}
