import { Button, CloseIcon } from '@alpenglow/ui';
import { useText, type t } from '../text.ts';
import { choicesOf, cleared, type Choice, type ListFilter } from './filters.ts';
import { stateName } from './list-title.ts';
import styles from './chips.module.css';

export interface ChipsProps {
  readonly filter: ListFilter;
  readonly onChange: (filter: ListFilter) => void;
  /** A page that is about one city does not offer to take it away. */
  readonly isPlaceFixed?: boolean;
}

/** What is chosen, each with a way to take it away. */
export function Chips({ filter, onChange, isPlaceFixed = false }: ChipsProps) {
  const t = useText();
  const choices = choicesOf(filter).filter(({ of }) => !isPlaceFixed || of !== 'city');
  if (choices.length === 0) return null;
  return (
    <ul role="list" aria-label={t('chosenFilters')} className={styles['chips']}>
      {choices.map(({ of, without }) => {
        const label = choiceLabel(of, filter, t);
        return (
          <li key={of}>
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
          <Button
            size="small"
            variant="quiet"
            onClick={() =>
              onChange(isPlaceFixed ? { ...cleared(filter), state: filter.state, city: filter.city } : cleared(filter))
            }
          >
            {t('clearFilters')}
          </Button>
        </li>
      )}
    </ul>
  );
}

/** One chosen thing in words, e.g. `$100–200`. */
export function choiceLabel(of: Choice['of'], filter: ListFilter, say: typeof t): string {
  const { q, city, state, category, minPrice, maxPrice } = filter;
  switch (of) {
    case 'q':
      return say('chipSearch', { q });
    case 'city':
      return city ?? '';
    case 'state':
      return state === null ? '' : stateName(state);
    case 'category':
      return category === null ? '' : say(`categories.${category}`);
    case 'price':
      if (minPrice === null) return say('chipPriceTo', { price: maxPrice ?? 0 });
      return maxPrice === null
        ? say('chipPriceFrom', { price: minPrice })
        : say('chipPrice', { from: minPrice, to: maxPrice });
    case 'photo':
    case 'verified':
    case 'online':
      return say(`filter.${of}`);
  }
}
