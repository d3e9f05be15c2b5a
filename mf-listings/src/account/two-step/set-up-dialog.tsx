import { useId, useState, type FormEvent } from 'react';
import { useMutation } from '@tanstack/react-query';
import { twoStepConfirmFields, twoStepSetUpFields } from '@alpenglow/domain/contracts';
import { Button, Dialog, ErrorBox, messageOf, useApi } from '@alpenglow/ui';
import { errorsByField } from '../field-errors.ts';
import { confirmTwoStep, setUpTwoStep } from './calls.ts';
import { CodeInput } from './code-input.tsx';
import { PasswordField } from './password-field.tsx';
import { QrCode } from './qr-code.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';
import { refusedFields } from './refused-fields.ts';
import { useText } from './text.ts';
import styles from './two-step.module.css';

export interface SetUpDialogProps {
  readonly email: string;
  readonly onEnabled: () => void;
  readonly onClose: () => void;
}

/** Password, then the secret for the app and a code of it, then the recovery codes, which stay until they are said to be kept. */
export function SetUpDialog({ email, onEnabled, onClose }: SetUpDialogProps) {
  const t = useText();
  const api = useApi();
  const secretId = useId();
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  const begin = useMutation({
    mutationFn: (given: string) => setUpTwoStep(api, given),
    onError: (error) => setErrors(refusedFields(error)),
  });
  const confirm = useMutation({
    mutationFn: (given: string) => confirmTwoStep(api, given),
    onSuccess: onEnabled,
    onError: (error) => setErrors(refusedFields(error)),
  });
  const isBesideField = Object.keys(errors).length > 0;

  const submitPassword = (event: FormEvent) => {
    event.preventDefault();
    const checked = twoStepSetUpFields.safeParse({ password });
    setErrors(checked.success ? {} : errorsByField(checked.error));
    if (checked.success && !begin.isPending) begin.mutate(checked.data.password);
  };
  const submitCode = (event: FormEvent) => {
    event.preventDefault();
    const checked = twoStepConfirmFields.safeParse({ code });
    setErrors(checked.success ? {} : errorsByField(checked.error));
    if (checked.success && !confirm.isPending) confirm.mutate(checked.data.code);
  };

  if (confirm.isSuccess)
    return <RecoveryCodes codes={confirm.data.data.recoveryCodes} email={email} onClose={onClose} />;
  if (begin.isSuccess) {
    const { secret, uri } = begin.data.data;
    return (
      <Dialog open title={t('twoStep.setUpTitle')} onClose={onClose}>
        <form noValidate className={styles['form']} onSubmit={submitCode}>
          <p>{t('twoStep.scan')}</p>
          <QrCode text={uri} label={t('twoStep.qr')} />
          <div role="group" aria-labelledby={secretId} className={styles['key']}>
            <p id={secretId}>{t('twoStep.secret')}</p>
            <code>{secret.match(/.{1,4}/gu)?.join(' ') ?? secret}</code>
            <p className={styles['hint']}>{t('twoStep.secretHint')}</p>
            <a href={uri} className={styles['open']}>
              {t('twoStep.openApp')}
            </a>
          </div>
          <CodeInput
            label={t('twoStep.code')}
            hint={t('twoStep.codeHint')}
            error={errors['code']}
            value={code}
            onChange={setCode}
          />
          {confirm.isError && !isBesideField && <ErrorBox message={messageOf(confirm.error, t('twoStep.failed'))} />}
          <Button type="submit" variant="primary" busy={confirm.isPending}>
            {t('twoStep.confirm')}
          </Button>
        </form>
      </Dialog>
    );
  }
  return (
    <Dialog open title={t('twoStep.setUpTitle')} onClose={onClose}>
      <form noValidate className={styles['form']} onSubmit={submitPassword}>
        <p>{t('twoStep.setUpText')}</p>
        <PasswordField email={email} error={errors['password']} value={password} onChange={setPassword} />
        {begin.isError && !isBesideField && <ErrorBox message={messageOf(begin.error, t('twoStep.failed'))} />}
        <Button type="submit" variant="primary" busy={begin.isPending}>
          {t('twoStep.next')}
        </Button>
      </form>
    </Dialog>
  );
}
