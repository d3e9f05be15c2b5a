import { useState, type FormEvent } from 'react';
import { twoStepDisableFields } from '@alpenglow/domain/contracts';
import { Button, Dialog, ErrorBox, errorsByField, layout, messageOf, useApi, useHost, useSend } from '@alpenglow/ui';
import { disableTwoStep } from './api.ts';
import { CodeInput } from './code-input.tsx';
import { PasswordField } from './password-field.tsx';
import { getFieldErrors } from './field-errors.ts';
import { useText } from './text.ts';

export interface SwitchOffDialogProps {
  readonly email: string;
  readonly onDisabled: () => void;
  readonly onClose: () => void;
}

/**
 * The dialog that switches two-step sign-in off. It requires the password and a code, because another person may be
 * using the signed-in browser.
 */
export function SwitchOffDialog({ email, onDisabled, onClose }: SwitchOffDialogProps) {
  const t = useText();
  const api = useApi();
  const { notify } = useHost();
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  const disable = useSend({
    mutationFn: (fields: { readonly password: string; readonly code: string }) =>
      disableTwoStep(api, fields.password, fields.code),
    onSuccess: () => {
      notify({ text: t('twoStep.isOff'), tone: 'success' });
      onDisabled();
      onClose();
    },
    onError: (error) => setErrors(getFieldErrors(error)),
  });

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const validation = twoStepDisableFields.safeParse({ password, code });
    setErrors(validation.success ? {} : errorsByField(validation.error));
    if (validation.success && !disable.isPending) disable.mutate(validation.data);
  };

  return (
    <Dialog open title={t('twoStep.offTitle')} onClose={onClose}>
      <form noValidate className={layout['stack4']} onSubmit={submit}>
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
