import type { ComponentProps } from 'react';
import { CATEGORIES, type Category } from '@alpenglow/domain/contracts';
import { listingsMessages as text, Select } from '@alpenglow/ui';

export interface CategorySelectProps extends Omit<ComponentProps<'select'>, 'value' | 'onChange'> {
  readonly value: Category | null;
  readonly onChange: (category: Category | null) => void;
}

export function CategorySelect({ value, onChange, ...rest }: CategorySelectProps) {
  return (
    <Select {...rest} value={value ?? ''} onChange={(event) => onChange(CATEGORIES.find((one) => one === event.target.value) ?? null)}>
      <option value="">{text.anyCategory}</option>
      {CATEGORIES.map((category) => (
        <option key={category} value={category}>
          {text.categories[category]}
        </option>
      ))}
    </Select>
  );
}
