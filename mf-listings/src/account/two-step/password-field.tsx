import { Field, TextInput } from '@alpenglow/ui';
import { useText } from './text.ts';

export interface PasswordFieldProps {
  readonly email: string;
  readonly error: string | undefined;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

export function PasswordField({ email, error, value, onChange }: PasswordFieldProps) {
  const t = useText();
  return (
    <>
      {/* Password managers read from this field which account the password belongs to. */}
      <input type="hidden" name="username" autoComplete="username" value={email} />
      <Field label={t('twoStep.password')} error={error}>
        <TextInput
          type="password"
          autoComplete="current-password"
          required
          value={value}
          onChange={({ target }) => onChange(target.value)}
        />
      </Field>
    </>
  );
}
