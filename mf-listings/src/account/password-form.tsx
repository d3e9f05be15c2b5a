import { useState, type FormEvent } from 'react';
import { useMutation } from '@tanstack/react-query';
import { changePasswordFields, PASSWORD_MIN, type UserView } from '@alpenglow/domain/contracts';
import { Button, ErrorBox, Field, isApiError, messageOf, TextInput, useApi } from '@alpenglow/ui';
import { useText } from '../text.ts';
import { errorsByField } from './field-errors.ts';
import { focusFirstError } from './focus-first-error.ts';
import styles from './account.module.css';

/** Changes the password; every other session of the user ends with it (product decisions). */
export function PasswordForm({ user }: { readonly user: Pick<UserView, 'email'> }) {
  const t = useText();
  const api = useApi();
  const [current, setCurrent] = useState('');
  const [wanted, setWanted] = useState('');
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  const change = useMutation({
    mutationFn: () => api.changePassword(current, wanted),
    onSuccess: () => {
      setCurrent('');
      setWanted('');
    },
    onError: (error) => setErrors(refusedFields(error)),
  });

  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (change.isPending) return;
    const checked = changePasswordFields.safeParse({ currentPassword: current, newPassword: wanted });
    setErrors(checked.success ? {} : errorsByField(checked.error));
    if (checked.success) change.mutate();
    else focusFirstError(event.currentTarget);
  };
  const typed = (set: (value: string) => void) => (event: { readonly target: { readonly value: string } }) => {
    if (!change.isIdle) change.reset();
    set(event.target.value);
  };
  const isBesideField = change.isError && Object.keys(refusedFields(change.error)).length > 0;

  return (
    <form className={styles['form']} noValidate onSubmit={submit} aria-labelledby="account-password">
      <h3 id="account-password">{t('password')}</h3>
      {/* Tells password managers whose password this is. */}
      <input type="hidden" name="username" autoComplete="username" value={user.email} />
      <Field label={t('currentPassword')} error={errors['currentPassword']}>
        <TextInput
          name="currentPassword"
          type="password"
          autoComplete="current-password"
          required
          value={current}
          onChange={typed(setCurrent)}
        />
      </Field>
      <Field label={t('newPassword')} hint={t('newPasswordHint', { min: PASSWORD_MIN })} error={errors['newPassword']}>
        <TextInput
          name="newPassword"
          type="password"
          autoComplete="new-password"
          required
          value={wanted}
          onChange={typed(setWanted)}
        />
      </Field>
      {change.isError && !isBesideField && <ErrorBox message={messageOf(change.error, t('passwordFailed'))} />}
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

/** A wrong current password is said beside its field. */
function refusedFields(error: unknown): Readonly<Record<string, string>> {
  if (!isApiError(error)) return {};
  return error.code === 'WRONG_PASSWORD' ? { currentPassword: error.message } : error.fields;
}
