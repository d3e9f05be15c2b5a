import type { ComponentProps } from 'react';
import { Field, Select } from '@alpenglow/ui';

interface ChoiceSelectProps<Choice extends string> extends Omit<ComponentProps<typeof Select>, 'children'> {
  readonly label: string;
  readonly error?: string | undefined;
  /** Text of the first option, which has an empty value and matches everything. */
  readonly anyLabel: string;
  readonly choices: readonly Choice[];
  readonly labelOf: (choice: Choice) => string;
}

/** A select with a first option that matches everything, and one option for each choice. */
export function ChoiceSelect<Choice extends string>({
  label,
  error,
  anyLabel,
  choices,
  labelOf,
  ...select
}: ChoiceSelectProps<Choice>) {
  return (
    <Field label={label} error={error}>
      <Select {...select}>
        <option value="">{anyLabel}</option>
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {labelOf(choice)}
          </option>
        ))}
      </Select>
    </Field>
  );
}

/** Adds the selected choice to the choices if it is missing, for example while the choices are loading. */
export function withChoice(choices: readonly string[], selected: string): readonly string[] {
  return selected === '' || choices.includes(selected) ? choices : [...choices, selected];
}
