import { useState, type ReactNode } from 'react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Button, Checkbox, Dialog, Field, layout, useApi, useDebounced } from '@alpenglow/ui';
import { useText } from './text.ts';
import { CategorySelect } from './category-select.tsx';
import { getMatchingCount, matchingCountsQuery } from './count-query.ts';
import {
  BOOLEAN_FILTERS,
  clearFilter,
  getSelectedFilters,
  toApiFilter,
  type FilterBarProps,
  type ListFilter,
} from './filters.ts';
import { PlaceField } from './place-field.tsx';
import { PriceRange } from './price-range.tsx';
import { SortSelect } from './sort-select.tsx';
import styles from './filter-bar.module.css';

/** The filters that the filter bar shows after a click on "More filters". */
export function MoreFilters({ value, onChange, priceTyping }: FilterBarProps) {
  return (
    <>
      <PriceRange
        value={value}
        onChange={(prices) => priceTyping.onTyped({ ...value, ...prices })}
        onDone={priceTyping.onDone}
      />
      <Switches value={value} onChange={(filter) => onChange(filter, 'chosen')} />
    </>
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

const COUNT_DELAY_ms = 400;

/**
 * A dialog that applies several changed filters together. Its button shows the number of matching ads. Closing the
 * dialog applies the filters, too, so that no input is lost.
 */
export function FilterSheet({
  value,
  onClose,
}: {
  readonly value: ListFilter;
  /** Called with the filters when the dialog closes. */
  readonly onClose: (filter: ListFilter) => void;
}) {
  const t = useText();
  const api = useApi();
  const [draft, setDraft] = useState(value);
  const counted = useDebounced(draft, COUNT_DELAY_ms);
  const { data: counts = null } = useQuery({
    ...matchingCountsQuery(api, toApiFilter(counted)),
    placeholderData: keepPreviousData,
  });
  const total = getMatchingCount(counts, counted.category);
  return (
    <Dialog
      open
      sheet
      title={t('filters')}
      onClose={() => onClose(draft)}
      actions={
        <>
          {getSelectedFilters(draft).length > 0 && (
            <Button onClick={() => setDraft(clearFilter(draft))}>{t('clearFilters')}</Button>
          )}
          <Button variant="primary" onClick={() => onClose(draft)}>
            {total === null ? t('showCounting') : t('showResults', { count: total })}
          </Button>
        </>
      }
    >
      <div className={layout['stack5']}>
        <Field label={t('place')}>
          <PlaceField value={draft} onChange={(place) => setDraft({ ...draft, ...place })} />
        </Field>
        <Field label={t('category')}>
          <CategorySelect value={draft.category} onChange={(category) => setDraft({ ...draft, category })} />
        </Field>
        <PriceRange value={draft} onChange={(prices) => setDraft((now) => ({ ...now, ...prices }))} />
        <Switches value={draft} onChange={setDraft} />
        <Field label={t('sort')}>
          <SortSelect isSearch={draft.q !== ''} value={draft.sort} onChange={(sort) => setDraft({ ...draft, sort })} />
        </Field>
      </div>
    </Dialog>
  );
}
