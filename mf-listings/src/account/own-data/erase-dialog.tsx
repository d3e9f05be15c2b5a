import { useId, useState, type FormEvent } from 'react';
import { useMutation } from '@tanstack/react-query';
import type { ErasureAnswer } from '@alpenglow/domain/contracts';
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
} from '@alpenglow/ui';
import { forgetFavoritesOf } from '../../favorites/stores.ts';
import styles from '../account.module.css';
import { useText } from './text.ts';

/** Asks for the password and a word that it is meant, then has everything erased; it ends on the receipt. */
export function EraseDialog({ email, onClose }: { readonly email: string; readonly onClose: () => void }) {
  const t = useText();
  const api = useApi();
  const host = useHost();
  const formId = useId();
  const [password, setPassword] = useState('');
  const [isMeant, setMeant] = useState(false);
  const erase = useMutation({
    mutationFn: () => api.callSignedIn<ErasureAnswer>({ method: 'POST', path: '/account/erasure', body: { password } }),
    onSuccess: ({ data }) => {
      forgetFavoritesOf(email);
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
    if (!erase.isPending && isMeant) erase.mutate();
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
            disabled={!isMeant || password === ''}
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
          checked={isMeant}
          onChange={({ target }) => setMeant(target.checked)}
          label={t('ownData.eraseMeant')}
        />
        {erase.isError && wrongPassword === undefined && (
          <ErrorBox message={messageOf(erase.error, t('ownData.eraseFailed'))} />
        )}
      </form>
    </Dialog>
  );
}
