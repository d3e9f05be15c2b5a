import { useId, useState } from 'react';
import { useHref } from 'react-router-dom';
import { Button, SearchIcon, SlidersIcon, TextInput, useIsNarrow } from '@alpenglow/ui';
import { useText } from '../text.ts';
import { CategorySelect } from './category-select.tsx';
import { getSelectedFilters, QUERY_MAX, toApiFilter, type FilterBarProps } from './filters.ts';
import { PlaceField } from './place-field.tsx';
import { SortSelect } from './sort-select.tsx';
import { useModule } from './use-module.ts';
import { useTypedText } from './use-typed-text.ts';
import styles from './filter-bar.module.css';

/**
 * The filters of a list of ads. They are a sticky bar on wide screens, and a dialog on phones. Without scripts, they
 * are a form, and the server finds the place (shell/server/pages/submitted-list.ts).
 */
export function FilterBar({
  value,
  onChange,
  priceTyping,
  isPlaceFixed = false,
}: FilterBarProps & {
  /** True on the page of a city, whose place does not count as a filter. */
  readonly isPlaceFixed?: boolean;
}) {
  const t = useText();
  const moreId = useId();
  const formId = useId();
  const [isSheetOpen, setSheetOpen] = useState(false);
  const [isMoreOpen, setMoreOpen] = useState(false);
  const [filters, requestFilters] = useModule(() => import(/* webpackChunkName: "filters" */ './filter-sheet.tsx'));
  const choices = getSelectedFilters(value).filter(({ name }) => !isPlaceFixed || name !== 'city');
  const labelWithCount = (count: number, plain: string) => (count > 0 ? t('filtersChosen', { count }) : plain);
  return (
    <search className={styles['bar']} aria-label={t('filters')}>
      <div className={styles['row']}>
        <SearchForm id={formId} value={value} onChange={(q) => onChange({ ...value, q }, 'typing')} />
        <div className={styles['wide']}>
          <PlaceField
            aria-label={t('place')}
            name="place"
            form={formId}
            value={value}
            onChange={(place) => onChange({ ...value, ...place }, 'chosen')}
          />
          <CategorySelect
            aria-label={t('category')}
            name="category"
            form={formId}
            value={value.category}
            onChange={(category) => onChange({ ...value, category }, 'chosen')}
          />
          <SortSelect
            aria-label={t('sort')}
            name="sort"
            form={formId}
            isSearch={value.q !== ''}
            value={value.sort}
            onChange={(sort) => onChange({ ...value, sort }, 'chosen')}
          />
        </div>
        <Button type="submit" form={formId} data-without-scripts="">
          {t('heroSearch')}
        </Button>
        <Button
          className={styles['moreButton']}
          aria-expanded={isMoreOpen}
          aria-controls={moreId}
          onClick={() => {
            requestFilters();
            setMoreOpen(!isMoreOpen);
          }}
        >
          <SlidersIcon />
          {t('moreFilters')}
        </Button>
        <Button
          className={styles['phone']}
          aria-haspopup="dialog"
          onClick={() => {
            requestFilters();
            setSheetOpen(true);
          }}
        >
          <SlidersIcon />
          {labelWithCount(choices.length, t('filters'))}
        </Button>
      </div>
      <div id={moreId} className={styles['more']} hidden={!isMoreOpen}>
        {filters && <filters.MoreFilters value={value} onChange={onChange} priceTyping={priceTyping} />}
      </div>
      {isSheetOpen && filters && (
        <filters.FilterSheet
          value={value}
          onClose={(filter) => {
            setSheetOpen(false);
            if (JSON.stringify(filter) !== JSON.stringify(value)) onChange(filter, 'chosen');
          }}
        />
      )}
    </search>
  );
}

interface SearchFormProps extends Pick<FilterBarProps, 'value'> {
  /** The id of the form, to which the other fields of the filter bar belong. */
  readonly id: string;
  readonly onChange: (q: string) => void;
}

/**
 * A form with the search field. It calls `onChange` after a pause in typing, or when the visitor presses Enter or
 * leaves the field.
 */
function SearchForm({ id, value, onChange }: SearchFormProps) {
  const t = useText();
  const isNarrow = useIsNarrow();
  const action = useHref('/listings');
  const { text, type, finish } = useTypedText(value.q, onChange);
  const { minPrice, maxPrice, photo, verified, online } = toApiFilter(value);
  return (
    <form
      id={id}
      action={action}
      className={styles['search']}
      onSubmit={(event) => {
        event.preventDefault();
        finish();
      }}
    >
      <SearchIcon />
      <TextInput
        type="search"
        name="q"
        aria-label={t('search')}
        placeholder={t(isNarrow ? 'searchShortHint' : 'searchHint')}
        maxLength={QUERY_MAX}
        value={text}
        onChange={(event) => type(event.target.value)}
        onBlur={finish}
      />
      {/* The filters without a field. Without scripts, a new search must retain them. */}
      {Object.entries({ minPrice, maxPrice, photo, verified, online }).map(
        ([name, selected]) =>
          selected !== undefined && <input key={name} type="hidden" name={name} value={String(selected)} />,
      )}
    </form>
  );
}
