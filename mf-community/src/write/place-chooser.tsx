import { COUNTRIES, getOtherCityWords, splitWords } from '@alpenglow/domain/contracts';
import { Field, findOptions, Highlight, SuggestionList, Typeahead, useLocale } from '@alpenglow/ui';
import { formatCountryName } from '../places.ts';
import { useText } from '../text.ts';
import styles from './write.module.css';

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

const NO_PLACE: ChosenPlace = { country: '', state: '', city: '' };

const CITIES = COUNTRIES.flatMap((country) =>
  country.states.flatMap((state) => state.cities.map((city) => ({ country, state, city }))),
);
type City = (typeof CITIES)[number];

/** A text field that suggests cities while the member types, which selects the place of a thread. */
export function PlaceChooser({ value, error, disabled = false, onChange }: PlaceChooserProps) {
  const t = useText();
  const locale = useLocale();
  const stateNameOf = ({ country, state }: City) =>
    COUNTRIES.length > 1 ? `${state.name}, ${formatCountryName(country, locale)}` : state.name;
  const selected = CITIES.find(
    ({ country, state, city }) => city === value.city && state.code === value.state && country.code === value.country,
  );
  return (
    <Field label={t('community.place')} error={error}>
      <Typeahead<City>
        name="city"
        required
        disabled={disabled}
        placeholder={t('community.choosePlace')}
        selectedText={selected ? `${selected.city}, ${stateNameOf(selected)}` : ''}
        suggestions={{
          find: (text) =>
            findOptions(CITIES, text, {
              name: ({ city }) => city,
              searchText: (place) =>
                `${place.city} ${getOtherCityWords(place.city)} ${place.state.code} ${stateNameOf(place)}`,
            }),
          render: ({ text, ...props }) => (
            <SuggestionList
              {...props}
              label={t('community.placeList')}
              summary={t('community.placesFound', { count: props.options.length })}
              getKey={({ country, state, city }) => [country.code, state.code, city].join('/')}
              renderOption={(place) => (
                <span>
                  <Highlight text={place.city} words={splitWords(text)} />
                  <span className={styles['placeState']}>
                    {', '}
                    <Highlight text={stateNameOf(place)} words={splitWords(text)} />
                  </span>
                </span>
              )}
            />
          ),
        }}
        onChoose={({ country, state, city }) => onChange({ country: country.code, state: state.code, city })}
        onClear={() => onChange(NO_PLACE)}
      />
    </Field>
  );
}
