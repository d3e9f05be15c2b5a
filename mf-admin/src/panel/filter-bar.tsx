import type { Ref } from 'react';
import { Field, Select, TextInput } from '@alpenglow/ui';
import type { Filters } from './use-filters.ts';
import styles from './list.module.css';

export interface FilterBarProps<Name extends string> {
  /** The search field. */
  readonly ref?: Ref<HTMLInputElement>;
  readonly filters: Filters<Name>;
  readonly searchLabel: string;
  readonly selects: readonly {
    readonly name: Name;
    readonly label: string;
    /**
     * The options in display order. Each key is the value of an option, and each entry is its text. The empty value
     * turns the filter off.
     */
    readonly options: Readonly<Record<string, string>>;
  }[];
}

/** The search field of a list, with the selects that filter and sort the list. */
export function FilterBar<Name extends string>({ ref, filters, searchLabel, selects }: FilterBarProps<Name>) {
  return (
    <div role="search" className={styles['filters']}>
      <Field label={searchLabel}>
        <TextInput
          ref={ref}
          type="search"
          maxLength={100}
          autoComplete="off"
          value={filters.typed}
          onChange={({ target }) => filters.setTyped(target.value)}
        />
      </Field>
      {selects.map(({ name, label, options }) => (
        <Field key={name} label={label}>
          <Select value={filters.values[name]} onChange={({ target }) => filters.choose(name, target.value)}>
            {Object.entries(options).map(([value, text]) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </Select>
        </Field>
      ))}
    </div>
  );
}
