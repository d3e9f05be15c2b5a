import type { ComponentProps } from 'react';
import { STATES } from '@alpenglow/domain/contracts';
import { Select } from '@alpenglow/ui';
import { useText } from '../text.ts';
import { parsePlaceValue, toPlaceValue, type ListFilter } from './filters.ts';

type Place = Pick<ListFilter, 'state' | 'city'>;

export interface PlaceSelectProps extends Omit<ComponentProps<'select'>, 'value' | 'onChange'> {
  readonly value: Place;
  readonly onChange: (place: Place) => void;
}

/** A native select element with states and their cities. */
export function PlaceSelect({ value, onChange, ...rest }: PlaceSelectProps) {
  const t = useText();
  return (
    <Select {...rest} value={toPlaceValue(value)} onChange={(event) => onChange(parsePlaceValue(event.target.value))}>
      <option value="">{t('anywhere')}</option>
      {STATES.map(({ code, name, cities }) => (
        <optgroup key={code} label={name}>
          <option value={code}>{t('allOf', { state: name })}</option>
          {cities.map((city) => (
            <option key={city} value={toPlaceValue({ state: code, city })}>
              {city}
            </option>
          ))}
        </optgroup>
      ))}
    </Select>
  );
}
