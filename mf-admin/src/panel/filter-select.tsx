import { Field, Select } from '@alpenglow/ui';

export interface FilterSelectProps {
  readonly label: string;
  readonly value: string;
  /** Value → words; the first is the one where nothing is chosen. */
  readonly options: readonly (readonly [value: string, words: string])[];
  readonly onChoose: (value: string) => void;
}

/** One way to narrow or order a list. */
export function FilterSelect({ label, value, options, onChoose }: FilterSelectProps) {
  return (
    <Field label={label}>
      <Select value={value} onChange={({ target }) => onChoose(target.value)}>
        {options.map(([one, words]) => (
          <option key={one} value={one}>
            {words}
          </option>
        ))}
      </Select>
    </Field>
  );
}
