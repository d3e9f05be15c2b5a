import { useId, useState, type FormEvent } from 'react';
import {
  Button,
  Checkbox,
  Dialog,
  ErrorBox,
  Field,
  isApiError,
  messageOf,
  TextInput,
  useApi,
  useHost,
  useSend,
} from '@alpenglow/ui';
import { deleteFavorites } from '../../favorites/stores.ts';
import styles from '../account.module.css';
import { useText } from './text.ts';

/**
 * Requests the password and a confirmation, and then starts the erasure of the account. Opens the receipt page, which
 * shows the progress of the erasure.
 */
export function EraseDialog({ email, onClose }: { readonly email: string; readonly onClose: () => void }) {
  const t = useText();
  const api = useApi();
  const host = useHost();
  const formId = useId();
  const [password, setPassword] = useState('');
  const [isConfirmed, setConfirmed] = useState(false);
  const erase = useSend({
    mutationFn: () => api.requestWithToken<'eraseMe'>({ method: 'POST', path: '/account/erasure', body: { password } }),
    onSuccess: ({ data }) => {
      deleteFavorites(email);
      const receipt = `/account/erasure/${data.receiptId}`;
      if (host.accountGone) return host.accountGone(receipt);
      host.navigate(receipt);
      host.sessionEnded();
    },
  });
  const wrongPassword =
    isApiError(erase.error) && erase.error.code === 'WRONG_PASSWORD' ? erase.error.message : undefined;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!erase.isPending && isConfirmed) erase.mutate();
  };
  return (
    <Dialog
      open
      title={t('ownData.eraseTitle')}
      onClose={erase.isPending ? undefined : onClose}
      actions={
        <>
          <Button disabled={erase.isPending} onClick={onClose}>
            {t('ownData.cancel')}
          </Button>
          <Button
            type="submit"
            form={formId}
            variant="danger"
            busy={erase.isPending}
            disabled={!isConfirmed || password === ''}
          >
            {t('ownData.eraseNow')}
          </Button>
        </>
      }
    >
      <form id={formId} className={styles['form']} noValidate onSubmit={submit}>
        <p>{t('ownData.eraseWhat')}</p>
        <p>{t('ownData.eraseKept')}</p>
        <input type="hidden" name="username" autoComplete="username" value={email} />
        <Field label={t('ownData.password')} error={wrongPassword}>
          <TextInput
            name="password"
            type="password"
            autoComplete="current-password"
            required
            value={password}
            onChange={({ target }) => setPassword(target.value)}
          />
        </Field>
        <Checkbox
          name="meant"
          checked={isConfirmed}
          onChange={({ target }) => setConfirmed(target.checked)}
          label={t('ownData.eraseMeant')}
        />
        {erase.isError && wrongPassword === undefined && (
          <ErrorBox message={messageOf(erase.error, t('ownData.eraseFailed'))} />
        )}
      </form>
    </Dialog>
  );
}
