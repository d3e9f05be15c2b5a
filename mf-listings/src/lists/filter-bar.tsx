import { useId, useState } from 'react';
import { Button, SearchIcon, SlidersIcon, TextInput } from '@alpenglow/ui';
import { useText } from '../text.ts';
import { CategorySelect } from './category-select.tsx';
import { getSelectedFilters, QUERY_MAX, type FilterBarProps } from './filters.ts';
import { PlaceField } from './place-field.tsx';
import { SortSelect } from './sort-select.tsx';
import { useModule } from './use-module.ts';
import { useTypedText } from './use-typed-text.ts';
import styles from './filter-bar.module.css';

/** The filters of a list of ads. They are a sticky bar on wide screens, and a dialog on phones. */
export function FilterBar({
  value,
  onChange,
  isPlaceFixed = false,
}: FilterBarProps & {
  /** True on the page of a city, whose place does not count as a filter. */
  readonly isPlaceFixed?: boolean;
}) {
  const t = useText();
  const moreId = useId();
  const [isSheetOpen, setSheetOpen] = useState(false);
  const [isMoreOpen, setMoreOpen] = useState(false);
  const [filters, requestFilters] = useModule(() => import(/* webpackChunkName: "filters" */ './filter-sheet.tsx'));
  const choices = getSelectedFilters(value).filter(({ name }) => !isPlaceFixed || name !== 'city');
  const labelWithCount = (count: number, plain: string) => (count > 0 ? t('filtersChosen', { count }) : plain);
  return (
    <search className={styles['bar']} aria-label={t('filters')}>
      <div className={styles['row']}>
        <SearchInput value={value.q} onChange={(q) => onChange({ ...value, q }, 'typing')} />
        <div className={styles['wide']}>
          <PlaceField
            aria-label={t('place')}
            value={value}
            onChange={(place) => onChange({ ...value, ...place }, 'chosen')}
          />
          <CategorySelect
            aria-label={t('category')}
            value={value.category}
            onChange={(category) => onChange({ ...value, category }, 'chosen')}
          />
          <SortSelect
            aria-label={t('sort')}
            isSearch={value.q !== ''}
            value={value.sort}
            onChange={(sort) => onChange({ ...value, sort }, 'chosen')}
          />
        </div>
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
        {filters && <filters.MoreFilters value={value} onChange={onChange} />}
      </div>
      {isSheetOpen && filters && (
        <filters.FilterSheet
          value={value}
          onClose={() => setSheetOpen(false)}
          onApply={(filter) => {
            setSheetOpen(false);
            onChange(filter, 'chosen');
          }}
        />
      )}
    </search>
  );
}

/** A search field. It calls `onChange` after a pause in typing, or when the visitor presses Enter. */
function SearchInput({ value, onChange }: { readonly value: string; readonly onChange: (q: string) => void }) {
  const t = useText();
  const { text, type, finish } = useTypedText(value, onChange);
  return (
    <form
      className={styles['search']}
      onSubmit={(event) => {
        event.preventDefault();
        finish();
      }}
    >
      <SearchIcon />
      <TextInput
        type="search"
        aria-label={t('search')}
        placeholder={t('searchHint')}
        maxLength={QUERY_MAX}
        value={text}
        onChange={(event) => type(event.target.value)}
      />
    </form>
  );
}
