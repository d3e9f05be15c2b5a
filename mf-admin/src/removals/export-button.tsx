import { exportRemovalFields } from '@alpenglow/domain/contracts';
import {
  Button,
  errorsByField,
  Field,
  FormDialog,
  messageOf,
  saveFile,
  TextInput,
  useApi,
  useSend,
} from '@alpenglow/ui';
import { useState, type FormEvent } from 'react';
import { useText } from '../text.ts';
import { exportRemoval } from './api.ts';

/** A button that downloads a request as an encrypted file for counsel. Nothing stores the passphrase. */
export function ExportButton({ id }: { readonly id: string }) {
  const t = useText();
  const [isOpen, setOpen] = useState(false);
  return (
    <div>
      <Button onClick={() => setOpen(true)}>{t('removals.export')}</Button>
      {isOpen && <ExportDialog id={id} onClose={() => setOpen(false)} />}
    </div>
  );
}

function ExportDialog({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const t = useText();
  const api = useApi();
  const [passphrase, setPassphrase] = useState('');
  const [error, setError] = useState<string | null>(null);
  const send = useSend({
    mutationFn: (words: string) => exportRemoval(api, id, words),
    onSuccess: (file) => {
      saveFile(file);
      onClose();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const validation = exportRemovalFields.safeParse({ passphrase });
    setError(validation.success ? null : (errorsByField(validation.error)['passphrase'] ?? null));
    if (validation.success) send.mutate(validation.data.passphrase);
  };
  return (
    <FormDialog
      title={t('removals.export')}
      confirmLabel={t('removals.exportNow')}
      busy={send.isPending}
      problem={send.isError ? messageOf(send.error, t('removals.exportFailed')) : null}
      onSubmit={submit}
      onCancel={onClose}
    >
      <p>{t('removals.exportText')}</p>
      <Field label={t('removals.passphrase')} hint={t('removals.passphraseHint')} error={error}>
        <TextInput
          type="password"
          required
          autoComplete="new-password"
          value={passphrase}
          onChange={({ target }) => setPassphrase(target.value)}
        />
      </Field>
    </FormDialog>
  );
}
