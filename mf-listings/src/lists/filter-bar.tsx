import { useEffect, useEffectEvent, useState } from 'react';
import { AD_SORTS, Button, Dialog, Field, fill, fillCount, listingsMessages as text, SearchIcon, Select, SlidersIcon, TextInput, useApi, type AdSort } from '@alpenglow/ui';
import { useQuery } from '@tanstack/react-query';
import { CategorySelect } from './category-select.tsx';
import { apiFilterOf, chosenCount, NO_FILTER, Q_MAX, type ListFilter } from './filters.ts';
import { PlaceSelect } from './place-select.tsx';
import styles from './filter-bar.module.css';

const TYPING_PAUSE_ms = 350;

export interface FilterBarProps {
  readonly value: ListFilter;
  /** `typing`: the visitor is still at it, so the address changes without a new entry in the history. */
  readonly onChange: (filter: ListFilter, how: 'chosen' | 'typing') => void;
}

/** The filters as one bar that stays; on a phone, as a sheet. */
export function FilterBar({ value, onChange }: FilterBarProps) {
  const [isSheetOpen, setSheetOpen] = useState(false);
  const chosen = chosenCount(value);
  return (
    <search className={styles['bar']}>
      <div className={styles['row']}>
        <SearchInput value={value.q} onChange={(q) => onChange({ ...value, q }, 'typing')} />
        <div className={styles['wide']}>
          <PlaceSelect aria-label={text.place} value={value} onChange={(place) => onChange({ ...value, ...place }, 'chosen')} />
          <CategorySelect aria-label={text.category} value={value.category} onChange={(category) => onChange({ ...value, category }, 'chosen')} />
          <SortSelect aria-label={text.sort} value={value.sort} onChange={(sort) => onChange({ ...value, sort }, 'chosen')} />
        </div>
        {chosen > 0 && (
          <span className={styles['wide']}>
            <Button variant="quiet" onClick={() => onChange({ ...NO_FILTER, sort: value.sort }, 'chosen')}>
              {text.clearFilters}
            </Button>
          </span>
        )}
        <Button className={styles['phone']} aria-haspopup="dialog" onClick={() => setSheetOpen(true)}>
          <SlidersIcon />
          {chosen > 0 ? fill(text.filtersChosen, { count: chosen }) : text.filters}
        </Button>
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

/** Hands on what was typed once the typing pauses, or at Enter. */
function SearchInput({ value, onChange }: { readonly value: string; readonly onChange: (q: string) => void }) {
  const [typed, setTyped] = useState(value);
  const [settled, setSettled] = useState(value);
  // The address changed by itself (Back, "Clear filters"): show what it says.
  if (settled !== value) {
    setSettled(value);
    setTyped(value);
  }
  const submit = useEffectEvent(() => {
    if (typed.trim() !== value) onChange(typed.trim());
  });
  useEffect(() => {
    const timer = setTimeout(() => submit(), TYPING_PAUSE_ms);
    return () => clearTimeout(timer);
  }, [typed]);

  return (
    <form
      className={styles['search']}
      onSubmit={(event) => {
        event.preventDefault();
        onChange(typed.trim());
      }}
    >
      <SearchIcon />
      <TextInput type="search" aria-label={text.search} placeholder={text.searchHint} maxLength={Q_MAX} value={typed} onChange={(event) => setTyped(event.target.value)} />
    </form>
  );
}

function SortSelect({ value, onChange, ...rest }: { readonly value: AdSort; readonly onChange: (sort: AdSort) => void; readonly 'aria-label'?: string }) {
  return (
    <Select {...rest} value={value} onChange={(event) => onChange(AD_SORTS.find((sort) => sort === event.target.value) ?? 'bumped')}>
      {AD_SORTS.map((sort) => (
        <option key={sort} value={sort}>
          {text.sorts[sort]}
        </option>
      ))}
    </Select>
  );
}

/** Chosen in peace, applied at once; its button says how many ads there would be. */
function FilterSheet({ value, onApply, onClose }: { readonly value: ListFilter; readonly onApply: (filter: ListFilter) => void; readonly onClose: () => void }) {
  const api = useApi();
  const [draft, setDraft] = useState(value);
  const filter = apiFilterOf(draft);
  const { data: total } = useQuery({
    queryKey: ['ads', 'count', filter],
    queryFn: async ({ signal }) => (await api.listAds(filter, { limit: 1, signal })).total,
    placeholderData: (before) => before,
  });
  return (
    <Dialog
      open
      sheet
      title={text.filters}
      onClose={onClose}
      actions={
        <>
          {chosenCount(draft) > 0 && <Button onClick={() => setDraft({ ...NO_FILTER, sort: draft.sort })}>{text.clearFilters}</Button>}
          <Button variant="primary" onClick={() => onApply(draft)}>
            {total === undefined || total === null ? text.showCounting : fillCount(total, text.showResults)}
          </Button>
        </>
      }
    >
      <div className={styles['sheet']}>
        <Field label={text.place}>
          <PlaceSelect value={draft} onChange={(place) => setDraft({ ...draft, ...place })} />
        </Field>
        <Field label={text.category}>
          <CategorySelect value={draft.category} onChange={(category) => setDraft({ ...draft, category })} />
        </Field>
        <Field label={text.sort}>
          <SortSelect value={draft.sort} onChange={(sort) => setDraft({ ...draft, sort })} />
        </Field>
      </div>
    </Dialog>
  );
}
