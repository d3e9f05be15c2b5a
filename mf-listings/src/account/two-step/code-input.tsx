import { Field, TextInput } from '@alpenglow/ui';
import styles from './two-step.module.css';

export interface CodeInputProps {
  readonly label: string;
  readonly hint: string;
  readonly error: string | undefined;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

export function CodeInput({ label, hint, error, value, onChange }: CodeInputProps) {
  return (
    <Field label={label} hint={hint} error={error}>
      <TextInput
        className={styles['code']}
        autoComplete="one-time-code"
        autoCapitalize="none"
        spellCheck={false}
        required
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
    </Field>
  );
}
