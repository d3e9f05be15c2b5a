import { useState, type FormEvent } from 'react';
import { useMutation } from '@tanstack/react-query';
import { twoStepDisableFields } from '@alpenglow/domain/contracts';
import { Button, Dialog, ErrorBox, messageOf, useApi, useHost } from '@alpenglow/ui';
import { errorsByField } from '../field-errors.ts';
import { disableTwoStep } from './calls.ts';
import { CodeInput } from './code-input.tsx';
import { PasswordField } from './password-field.tsx';
import { refusedFields } from './refused-fields.ts';
import { useText } from './text.ts';
import styles from './two-step.module.css';

export interface SwitchOffDialogProps {
  readonly email: string;
  readonly onDisabled: () => void;
  readonly onClose: () => void;
}

/** Takes the password and a code, so that a browser left open is not enough. */
export function SwitchOffDialog({ email, onDisabled, onClose }: SwitchOffDialogProps) {
  const t = useText();
  const api = useApi();
  const { notify } = useHost();
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  const disable = useMutation({
    mutationFn: (given: { readonly password: string; readonly code: string }) =>
      disableTwoStep(api, given.password, given.code),
    onSuccess: () => {
      notify({ text: t('twoStep.isOff'), tone: 'success' });
      onDisabled();
      onClose();
    },
    onError: (error) => setErrors(refusedFields(error)),
  });

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const checked = twoStepDisableFields.safeParse({ password, code });
    setErrors(checked.success ? {} : errorsByField(checked.error));
    if (checked.success && !disable.isPending) disable.mutate(checked.data);
  };

  return (
    <Dialog open title={t('twoStep.offTitle')} onClose={onClose}>
      <form noValidate className={styles['form']} onSubmit={submit}>
        <p>{t('twoStep.offText')}</p>
        <PasswordField email={email} error={errors['password']} value={password} onChange={setPassword} />
        <CodeInput
          label={t('twoStep.anyCode')}
          hint={t('twoStep.anyCodeHint')}
          error={errors['code']}
          value={code}
          onChange={setCode}
        />
        {disable.isError && Object.keys(errors).length === 0 && (
          <ErrorBox message={messageOf(disable.error, t('twoStep.failed'))} />
        )}
        <Button type="submit" variant="danger" busy={disable.isPending}>
          {t('twoStep.switchOff')}
        </Button>
      </form>
    </Dialog>
  );
}
