import type { ComponentProps } from 'react';
import { AD_SORTS, type AdSort } from '@alpenglow/domain/contracts';
import { Select } from '@alpenglow/ui';
import { useText } from '../text.ts';

export interface SortSelectProps extends Omit<ComponentProps<'select'>, 'value' | 'onChange'> {
  readonly value: AdSort;
  readonly onChange: (sort: AdSort) => void;
  /** True if the list is a search. Its default order lists matches in titles and names first. */
  readonly isSearch?: boolean;
}

export function SortSelect({ value, onChange, isSearch = false, ...rest }: SortSelectProps) {
  const t = useText();
  return (
    <Select
      {...rest}
      value={value}
      onChange={(event) => onChange(AD_SORTS.find((sort) => sort === event.target.value) ?? 'bumped')}
    >
      {AD_SORTS.map((sort) => (
        <option key={sort} value={sort}>
          {isSearch && sort === 'bumped' ? t('sorts.match') : t(`sorts.${sort}`)}
        </option>
      ))}
    </Select>
  );
}
