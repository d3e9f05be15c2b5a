import { useState, type FormEvent } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { changePasswordFields, type UserView } from '@alpenglow/domain/contracts';
import {
  Button,
  changePassword,
  ErrorBox,
  errorsByField,
  Field,
  focusFirstError,
  isApiError,
  messageOf,
  TextInput,
  useApi,
  useSend,
} from '@alpenglow/ui';
import { SESSIONS_KEY } from './sessions/sessions-key.ts';
import { useText } from './text.ts';
import styles from './account.module.css';

/** The form that changes the password. A change ends all other sessions of the user. */
export function PasswordForm({ user }: { readonly user: Pick<UserView, 'email'> }) {
  const t = useText();
  const api = useApi();
  const [current, setCurrent] = useState('');
  const [newPassword, setNewPassword] = useState('');
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  const queryClient = useQueryClient();
  const change = useSend({
    mutationFn: () => changePassword(api, current, newPassword),
    onSuccess: () => {
      setCurrent('');
      setNewPassword('');
      void queryClient.invalidateQueries({ queryKey: SESSIONS_KEY });
    },
    onError: (error) => setErrors(fieldErrorsOf(error)),
  });

  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (change.isPending) return;
    const validation = changePasswordFields.safeParse({ currentPassword: current, newPassword: newPassword });
    setErrors(validation.success ? {} : errorsByField(validation.error));
    if (validation.success) change.mutate();
    else focusFirstError(event.currentTarget);
  };
  const onType = (set: (value: string) => void) => (event: { readonly target: { readonly value: string } }) => {
    if (!change.isIdle) change.reset();
    set(event.target.value);
  };
  const isFieldError = change.isError && Object.keys(fieldErrorsOf(change.error)).length > 0;

  return (
    <form className={styles['form']} noValidate onSubmit={submit} aria-labelledby="account-password">
      <h3 id="account-password">{t('password')}</h3>
      {/* Password managers read from this field which account the password belongs to. */}
      <input type="hidden" name="username" autoComplete="username" value={user.email} />
      <Field label={t('currentPassword')} error={errors['currentPassword']}>
        <TextInput
          name="currentPassword"
          type="password"
          autoComplete="current-password"
          required
          value={current}
          onChange={onType(setCurrent)}
        />
      </Field>
      <Field label={t('newPassword')} hint={t('newPasswordHint')} error={errors['newPassword']}>
        <TextInput
          name="newPassword"
          type="password"
          autoComplete="new-password"
          required
          value={newPassword}
          onChange={onType(setNewPassword)}
        />
      </Field>
      {change.isError && !isFieldError && <ErrorBox message={messageOf(change.error, t('passwordFailed'))} />}
      <div className={styles['row']}>
        <Button type="submit" busy={change.isPending}>
          {change.isPending ? t('passwordChanging') : t('passwordChange')}
        </Button>
        <p role="status" className={styles['done']}>
          {change.isSuccess && t('passwordChanged')}
        </p>
      </div>
    </form>
  );
}

/**
 * Returns the error messages of an API error by field. A wrong password is reported at the field for the current
 * password.
 */
function fieldErrorsOf(error: unknown): Readonly<Record<string, string>> {
  if (!isApiError(error)) return {};
  return error.code === 'WRONG_PASSWORD' ? { currentPassword: error.message } : error.fields;
}
