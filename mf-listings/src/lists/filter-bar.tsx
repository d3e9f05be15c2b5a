import { useId, useState, type ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Button, Checkbox, Dialog, Field, layout, SearchIcon, SlidersIcon, TextInput, useApi } from '@alpenglow/ui';
import { useText } from '../text.ts';
import { CategorySelect } from './category-select.tsx';
import { adCountQuery } from './count-query.ts';
import {
  toApiFilter,
  getSelectedFilters,
  clearFilter,
  QUERY_MAX,
  BOOLEAN_FILTERS,
  type ListFilter,
} from './filters.ts';
import { PlaceSelect } from './place-select.tsx';
import { PriceRange } from './price-range.tsx';
import { SortSelect } from './sort-select.tsx';
import { useTypedText } from './use-typed-text.ts';
import styles from './filter-bar.module.css';

/**
 * Called with the new filter. While the visitor is typing, `how` is `typing`, and the URL changes without a new entry
 * in the browser history.
 */
export type FilterChangeHandler = (filter: ListFilter, how: 'chosen' | 'typing') => void;

export interface FilterBarProps {
  readonly value: ListFilter;
  readonly onChange: FilterChangeHandler;
}

/** The filters of a list of ads. They are a sticky bar on wide screens, and a dialog on phones. */
export function FilterBar({ value, onChange }: FilterBarProps) {
  const t = useText();
  const moreId = useId();
  const [isSheetOpen, setSheetOpen] = useState(false);
  const [isMoreOpen, setMoreOpen] = useState(false);
  const choices = getSelectedFilters(value);
  const labelWithCount = (count: number, plain: string) => (count > 0 ? t('filtersChosen', { count }) : plain);
  return (
    <search className={styles['bar']} aria-label={t('filters')}>
      <div className={styles['row']}>
        <SearchInput value={value.q} onChange={(q) => onChange({ ...value, q }, 'typing')} />
        <div className={styles['wide']}>
          <PlaceSelect
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
            value={value.sort}
            onChange={(sort) => onChange({ ...value, sort }, 'chosen')}
          />
        </div>
        <Button
          className={styles['moreButton']}
          aria-expanded={isMoreOpen}
          aria-controls={moreId}
          onClick={() => setMoreOpen(!isMoreOpen)}
        >
          <SlidersIcon />
          {t('moreFilters')}
        </Button>
        <Button className={styles['phone']} aria-haspopup="dialog" onClick={() => setSheetOpen(true)}>
          <SlidersIcon />
          {labelWithCount(choices.length, t('filters'))}
        </Button>
      </div>
      <div id={moreId} className={styles['more']} hidden={!isMoreOpen}>
        <PriceRange value={value} onChange={(prices) => onChange({ ...value, ...prices }, 'typing')} />
        <Switches value={value} onChange={(filter) => onChange(filter, 'chosen')} />
      </div>
      {isSheetOpen && (
        <FilterSheet
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

function Switches(props: { readonly value: ListFilter; readonly onChange: (filter: ListFilter) => void }): ReactNode {
  const { value, onChange } = props;
  const t = useText();
  return (
    <div className={styles['switches']}>
      {BOOLEAN_FILTERS.map((name) => (
        <Checkbox
          key={name}
          label={t(`filter.${name}`)}
          hint={t(`filter.${name}.hint`)}
          checked={value[name]}
          onChange={(event) => onChange({ ...value, [name]: event.target.checked })}
        />
      ))}
    </div>
  );
}

/** A dialog that applies several changed filters together. Its button shows the number of matching ads. */
function FilterSheet({
  value,
  onApply,
  onClose,
}: {
  readonly value: ListFilter;
  readonly onApply: (filter: ListFilter) => void;
  readonly onClose: () => void;
}) {
  const t = useText();
  const api = useApi();
  const [draft, setDraft] = useState(value);
  const { data: total } = useQuery({ ...adCountQuery(api, toApiFilter(draft)), placeholderData: (before) => before });
  return (
    <Dialog
      open
      sheet
      title={t('filters')}
      onClose={onClose}
      actions={
        <>
          {getSelectedFilters(draft).length > 0 && (
            <Button onClick={() => setDraft(clearFilter(draft))}>{t('clearFilters')}</Button>
          )}
          <Button variant="primary" onClick={() => onApply(draft)}>
            {total === undefined || total === null ? t('showCounting') : t('showResults', { count: total })}
          </Button>
        </>
      }
    >
      <div className={layout['stack5']}>
        <Field label={t('place')}>
          <PlaceSelect value={draft} onChange={(place) => setDraft({ ...draft, ...place })} />
        </Field>
        <Field label={t('category')}>
          <CategorySelect value={draft.category} onChange={(category) => setDraft({ ...draft, category })} />
        </Field>
        <PriceRange value={draft} onChange={(prices) => setDraft((now) => ({ ...now, ...prices }))} />
        <Switches value={draft} onChange={setDraft} />
        <Field label={t('sort')}>
          <SortSelect value={draft.sort} onChange={(sort) => setDraft({ ...draft, sort })} />
        </Field>
      </div>
    </Dialog>
  );
}
