import { Button, CloseIcon } from '@alpenglow/ui';
import { useText, type t } from '../text.ts';
import { getSelectedFilters, clearFilter, type SelectedFilter, type ListFilter } from './filters.ts';
import { getStateName } from './list-title.ts';
import styles from './chips.module.css';

export interface FilterChipsProps {
  readonly filter: ListFilter;
  readonly onChange: (filter: ListFilter) => void;
  /** True on the page of a city, because the city filter cannot be removed there. */
  readonly isPlaceFixed?: boolean;
}

/** Shows the selected filters. Each filter has a button that removes it. */
export function FilterChips({ filter, onChange, isPlaceFixed = false }: FilterChipsProps) {
  const t = useText();
  const choices = getSelectedFilters(filter).filter(({ name }) => !isPlaceFixed || name !== 'city');
  if (choices.length === 0) return null;
  const fixedPlace = isPlaceFixed ? { state: filter.state, city: filter.city } : {};
  return (
    <ul role="list" aria-label={t('chosenFilters')} className={styles['chips']}>
      {choices.map(({ name, without }) => {
        const label = formatFilter(name, filter, t);
        return (
          <li key={name}>
            <button
              type="button"
              className={styles['chip']}
              aria-label={t('removeFilter', { filter: label })}
              onClick={() => onChange(without)}
            >
              <span>{label}</span>
              <CloseIcon size={0.9} />
            </button>
          </li>
        );
      })}
      {choices.length > 1 && (
        <li>
          <Button size="small" variant="quiet" onClick={() => onChange({ ...clearFilter(filter), ...fixedPlace })}>
            {t('clearFilters')}
          </Button>
        </li>
      )}
    </ul>
  );
}

/** Returns the text of one selected filter, e.g. `$100–200`. */
export function formatFilter(of: SelectedFilter['name'], filter: ListFilter, translate: typeof t): string {
  const { q, city, state, category, minPrice, maxPrice } = filter;
  switch (of) {
    case 'q':
      return translate('chipSearch', { q });
    case 'city':
      return city ?? '';
    case 'state':
      return state === null ? '' : getStateName(state);
    case 'category':
      return category === null ? '' : translate(`categories.${category}`);
    case 'price':
      if (minPrice === null) return translate('chipPriceTo', { price: maxPrice ?? 0 });
      return maxPrice === null
        ? translate('chipPriceFrom', { price: minPrice })
        : translate('chipPrice', { from: minPrice, to: maxPrice });
    case 'photo':
    case 'verified':
    case 'online':
      return translate(`filter.${of}`);
  }
}
