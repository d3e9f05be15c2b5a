import { useState, type FormEvent } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { profileFields, type ProfileFields, type UserView } from '@alpenglow/domain/contracts';
import {
  Button,
  ErrorBox,
  errorsByField,
  Field,
  focusFirstError,
  isApiError,
  messageOf,
  TextInput,
  updateProfile,
  useApi,
  useHost,
  useSend,
} from '@alpenglow/ui';
import { identityKey } from './identity/api.ts';
import { useText } from './text.ts';
import styles from './account.module.css';

/** The form for display name and age. Saving also updates the signed-in user in the surrounding page. */
export function DetailsForm({ user }: { readonly user: UserView }) {
  const t = useText();
  const api = useApi();
  const { updateUser } = useHost();
  const queryClient = useQueryClient();
  const [displayName, setDisplayName] = useState(user.displayName);
  const [age, setAge] = useState(String(user.age));
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  const save = useSend({
    mutationFn: (fields: ProfileFields) => updateProfile(api, fields),
    onSuccess: ({ user: saved }) => {
      updateUser(saved);
      setDisplayName(saved.displayName);
      setAge(String(saved.age));
      // A new age ends the verification of a provider.
      void queryClient.invalidateQueries({ queryKey: identityKey(user.id) });
    },
  });
  const rejectedFields = isApiError(save.error) ? save.error.fields : {};
  const errorOf = (field: string) => errors[field] ?? rejectedFields[field];

  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (save.isPending) return;
    const validation = profileFields.safeParse({ displayName, age: age.trim() === '' ? Number.NaN : Number(age) });
    setErrors(validation.success ? {} : errorsByField(validation.error));
    if (validation.success) save.mutate(validation.data);
    else focusFirstError(event.currentTarget);
  };
  const change = (set: (value: string) => void) => (event: { readonly target: { readonly value: string } }) => {
    if (!save.isIdle) save.reset();
    set(event.target.value);
  };

  return (
    <form className={styles['form']} noValidate onSubmit={submit} aria-labelledby="account-details">
      <h3 id="account-details">{t('accountDetails')}</h3>
      <Field label={t('displayName')} hint={t('displayNameHint')} error={errorOf('displayName')}>
        <TextInput
          name="displayName"
          autoComplete="nickname"
          required
          value={displayName}
          onChange={change(setDisplayName)}
        />
      </Field>
      <Field
        label={t('accountAge')}
        hint={user.verified ? t('accountAgeVerified') : undefined}
        error={errorOf('age')}
        className={user.verified ? undefined : styles['short']}
      >
        <TextInput name="age" type="number" inputMode="numeric" required value={age} onChange={change(setAge)} />
      </Field>
      {save.isError && Object.keys(rejectedFields).length === 0 && (
        <ErrorBox message={messageOf(save.error, t('detailsFailed'))} />
      )}
      <div className={styles['row']}>
        <Button type="submit" busy={save.isPending}>
          {save.isPending ? t('detailsSaving') : t('detailsSave')}
        </Button>
        <p role="status" className={styles['done']}>
          {save.isSuccess && t('detailsSaved')}
        </p>
      </div>
    </form>
  );
}
