import { COUNTRIES } from '@alpenglow/domain/contracts';
import { Field, Select, useLocale } from '@alpenglow/ui';
import { formatCountryName } from '../places.ts';
import { useText } from '../text.ts';

/** A city with the codes of its country and state. `city` is empty if no city is selected. */
export interface ChosenPlace {
  readonly country: string;
  readonly state: string;
  readonly city: string;
}

export interface PlaceChooserProps {
  readonly value: ChosenPlace;
  readonly error: string | undefined;
  readonly disabled?: boolean;
  readonly onChange: (place: ChosenPlace) => void;
}

/** A select field with all cities, which selects the place of a thread. */
export function PlaceChooser({ value, error, disabled = false, onChange }: PlaceChooserProps) {
  const t = useText();
  const locale = useLocale();
  const keyOf = ({ country, state, city }: ChosenPlace) => (city === '' ? '' : [country, state, city].join('/'));
  const choose = (key: string) => {
    const [country = '', state = '', city = ''] = key.split('/');
    onChange({ country, state, city });
  };
  return (
    <Field label={t('community.place')} error={error}>
      <Select
        name="city"
        required
        value={keyOf(value)}
        disabled={disabled}
        onChange={({ target }) => choose(target.value)}
      >
        <option value="">{t('community.choosePlace')}</option>
        {COUNTRIES.flatMap((country) =>
          country.states.map((state) => (
            <optgroup
              key={`${country.code}/${state.code}`}
              label={COUNTRIES.length > 1 ? `${formatCountryName(country, locale)} · ${state.name}` : state.name}
            >
              {state.cities.map((city) => (
                <option key={city} value={keyOf({ country: country.code, state: state.code, city })}>
                  {city}
                </option>
              ))}
            </optgroup>
          )),
        )}
      </Select>
    </Field>
  );
}
