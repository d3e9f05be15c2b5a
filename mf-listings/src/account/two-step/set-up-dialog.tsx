import { useId, useState, type FormEvent } from 'react';
import { twoStepConfirmFields, twoStepSetUpFields } from '@alpenglow/domain/contracts';
import { Button, classNames, Dialog, ErrorBox, errorsByField, layout, messageOf, useApi, useSend } from '@alpenglow/ui';
import { confirmTwoStep, setUpTwoStep } from './api.ts';
import { CodeInput } from './code-input.tsx';
import { PasswordField } from './password-field.tsx';
import { QrCode } from './qr-code.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';
import { getFieldErrors } from './field-errors.ts';
import { useText } from './text.ts';
import styles from './two-step.module.css';

export interface SetUpDialogProps {
  readonly email: string;
  readonly onEnabled: () => void;
  readonly onClose: () => void;
}

/**
 * Sets up two-step sign-in in three steps. The first step requests the password. The second step shows the secret for
 * the authenticator app and requests a code from the app. The third step shows the recovery codes until the user
 * confirms that they are stored.
 */
export function SetUpDialog({ email, onEnabled, onClose }: SetUpDialogProps) {
  const t = useText();
  const api = useApi();
  const secretId = useId();
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  const setUp = useSend({
    mutationFn: (value: string) => setUpTwoStep(api, value),
    onError: (error) => setErrors(getFieldErrors(error)),
  });
  const confirm = useSend({
    mutationFn: (value: string) => confirmTwoStep(api, value),
    onSuccess: onEnabled,
    onError: (error) => setErrors(getFieldErrors(error)),
  });
  const isFieldError = Object.keys(errors).length > 0;

  const submitPassword = (event: FormEvent) => {
    event.preventDefault();
    const validation = twoStepSetUpFields.safeParse({ password });
    setErrors(validation.success ? {} : errorsByField(validation.error));
    if (validation.success && !setUp.isPending) setUp.mutate(validation.data.password);
  };
  const submitCode = (event: FormEvent) => {
    event.preventDefault();
    const validation = twoStepConfirmFields.safeParse({ code });
    setErrors(validation.success ? {} : errorsByField(validation.error));
    if (validation.success && !confirm.isPending) confirm.mutate(validation.data.code);
  };

  if (confirm.isSuccess)
    return <RecoveryCodes codes={confirm.data.data.recoveryCodes} email={email} onClose={onClose} />;
  if (setUp.isSuccess) {
    const { secret, uri } = setUp.data.data;
    return (
      <Dialog open title={t('twoStep.setUpTitle')} onClose={onClose}>
        <form noValidate className={layout['stack4']} onSubmit={submitCode}>
          <p>{t('twoStep.scan')}</p>
          <QrCode text={uri} label={t('twoStep.qr')} />
          <div role="group" aria-labelledby={secretId} className={classNames(layout['stack2'], styles['key'])}>
            <p id={secretId}>{t('twoStep.secret')}</p>
            <code>{secret.match(/.{1,4}/gu)?.join(' ') ?? secret}</code>
            <p className={layout['hint']}>{t('twoStep.secretHint')}</p>
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
          {confirm.isError && !isFieldError && <ErrorBox message={messageOf(confirm.error, t('twoStep.failed'))} />}
          <Button type="submit" variant="primary" busy={confirm.isPending}>
            {t('twoStep.confirm')}
          </Button>
        </form>
      </Dialog>
    );
  }
  return (
    <Dialog open title={t('twoStep.setUpTitle')} onClose={onClose}>
      <form noValidate className={layout['stack4']} onSubmit={submitPassword}>
        <p>{t('twoStep.setUpText')}</p>
        <PasswordField email={email} error={errors['password']} value={password} onChange={setPassword} />
        {setUp.isError && !isFieldError && <ErrorBox message={messageOf(setUp.error, t('twoStep.failed'))} />}
        <Button type="submit" variant="primary" busy={setUp.isPending}>
          {t('twoStep.next')}
        </Button>
      </form>
    </Dialog>
  );
}
