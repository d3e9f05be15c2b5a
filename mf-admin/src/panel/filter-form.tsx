import { useRef, useState, type FormEvent, type ReactNode } from 'react';
import { useSearchParams } from 'react-router-dom';
import { Button } from '@alpenglow/ui';
import { useText } from '../text.ts';
import styles from './filter-form.module.css';

/** The properties of the form control for one filter. */
interface FilterControl {
  readonly name: string;
  readonly value: string;
  readonly onChange: (event: { readonly target: { readonly value: string } }) => void;
}

export interface FilterFormProps<Name extends string> {
  /** The names of the filters. They are also the names of the URL parameters. */
  readonly names: readonly Name[];
  /** Renders the form controls. `control` returns the properties of the control for a filter. */
  readonly children: (control: (name: Name) => FilterControl) => ReactNode;
}

/**
 * A form that filters a list. Submitting the form writes the filters to the URL of the page. The elements of the form
 * stay the same when the filters change, so that the focus stays where it is.
 */
export function FilterForm<Name extends string>({ names, children }: FilterFormProps<Name>) {
  const t = useText();
  const submitButton = useRef<HTMLButtonElement>(null);
  const [search, setSearch] = useSearchParams();
  const applied = search.toString();
  const [chosen, setChosen] = useState({ since: applied, values: readFilters(names, search) });
  // The URL contains other filters, for example after the Back button. The controls must show these filters.
  if (chosen.since !== applied) setChosen({ since: applied, values: readFilters(names, search) });
  const isFiltered = names.some((name) => search.has(name));

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const filters = new URLSearchParams();
    for (const name of names) {
      const value = chosen.values[name].trim();
      if (value !== '') filters.set(name, value);
    }
    setSearch(filters);
  };
  return (
    <form className={styles['filter']} onSubmit={submit}>
      {children((name) => ({
        name,
        value: chosen.values[name],
        onChange: ({ target: { value } }) =>
          setChosen(({ since, values }) => ({ since, values: { ...values, [name]: value } })),
      }))}
      <div className={styles['actions']}>
        <Button ref={submitButton} type="submit">
          {t('filter.apply')}
        </Button>
        {isFiltered && (
          <Button
            variant="quiet"
            onClick={() => {
              // This button disappears, so the focus moves to the other one.
              submitButton.current?.focus();
              setSearch(new URLSearchParams());
            }}
          >
            {t('filter.clear')}
          </Button>
        )}
      </div>
    </form>
  );
}

function readFilters<Name extends string>(names: readonly Name[], search: URLSearchParams): Record<Name, string> {
  return Object.fromEntries(names.map((name) => [name, search.get(name) ?? ''])) as Record<Name, string>;
}
