import type { ComponentProps } from 'react';
import { Typeahead } from '@alpenglow/ui';
import { useText } from '../text.ts';
import { getStateName } from './list-title.ts';
import type { PlaceChoice } from './place-options.ts';
import { useModule } from './use-module.ts';

export interface PlaceFieldProps extends Omit<ComponentProps<'input'>, 'value' | 'onChange' | 'className'> {
  readonly value: PlaceChoice;
  readonly onChange: (place: PlaceChoice) => void;
  /** Called with a typed name that is no known place, and with '' when a known place or none is chosen. */
  readonly onUnknown?: (name: string) => void;
}

/** A text field that suggests states and cities with their numbers of ads while the visitor types. */
export function PlaceField({ value, onChange, onUnknown, ...rest }: PlaceFieldProps) {
  const t = useText();
  const [list, request] = useModule(() => import(/* webpackChunkName: "places" */ './place-list.tsx'));
  const choose = ({ state, city }: PlaceChoice) => {
    onUnknown?.('');
    if (state !== value.state || city !== value.city) onChange({ state, city });
  };
  return (
    <Typeahead<PlaceChoice>
      {...rest}
      placeholder={t('placeHint')}
      selectedText={formatPlace(value, t('anywhere'))}
      suggestions={list}
      onChoose={choose}
      onClear={() => choose({ state: null, city: null })}
      onOpen={request}
      onUnknown={onUnknown}
    />
  );
}

/** Returns the name of the selected place, e.g. `Las Vegas, Nevada`. */
function formatPlace({ state, city }: PlaceChoice, anywhere: string): string {
  if (state === null) return anywhere;
  const stateName = getStateName(state);
  return city === null ? stateName : `${city}, ${stateName}`;
}
