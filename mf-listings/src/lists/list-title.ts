import { findState } from '@alpenglow/domain/contracts';
import type { t } from '../text.ts';
import type { ListFilter } from './filters.ts';

/** Returns the title of a list, e.g. `Massage ads in Las Vegas`. */
export function formatListTitle(
  { state, city, category }: Pick<ListFilter, 'state' | 'city' | 'category'>,
  translate: typeof t,
): string {
  const place = city ?? (state === null ? null : getStateName(state));
  if (category === null) return place === null ? translate('listTitle') : translate('listTitleIn', { place });
  const name = translate(`categories.${category}`);
  return place === null
    ? translate('categoryTitle', { category: name })
    : translate('categoryTitleIn', { category: name, place });
}

/** Returns the name of the state with this code. */
export function getStateName(code: string): string {
  return findState(code)?.name ?? code;
}
