import type { ComponentProps } from 'react';
import { CATEGORIES, type Category } from '@alpenglow/domain/contracts';
import { Select } from '@alpenglow/ui';
import { useText } from '../text.ts';

export interface CategorySelectProps extends Omit<ComponentProps<'select'>, 'value' | 'onChange'> {
  readonly value: Category | null;
  readonly onChange: (category: Category | null) => void;
}

export function CategorySelect({ value, onChange, ...rest }: CategorySelectProps) {
  const t = useText();
  return (
    <Select
      {...rest}
      value={value ?? ''}
      onChange={(event) => onChange(CATEGORIES.find((category) => category === event.target.value) ?? null)}
    >
      <option value="">{t('anyCategory')}</option>
      {CATEGORIES.map((category) => (
        <option key={category} value={category}>
          {t(`categories.${category}`)}
        </option>
      ))}
    </Select>
  );
}
