import { confirmSessionFields, type UserView } from '@alpenglow/domain/contracts';
import {
  Button,
  createApi,
  Dialog,
  ErrorBox,
  errorsByField,
  Field,
  isApiError,
  layout,
  messageOf,
  TextInput,
  useSubmit,
} from '@alpenglow/ui';
import { useState } from 'react';
import { findFailureReason } from '../../pages/auth/failure-reason.ts';
import { useText } from '../../pages/auth/text.ts';
import type { ConfirmationRequest } from './confirmation-request.ts';

interface ConfirmationDialogProps {
  readonly token: string;
  readonly user: UserView;
  readonly request: ConfirmationRequest;
}

/** The dialog in which staff enter the password, and the code of two-step sign-in, again. */
export default function ConfirmationDialog({ token, user, request }: ConfirmationDialogProps) {
  const t = useText();
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  const [failure, setFailure] = useState<unknown>(null);
  const reason = findFailureReason(failure);

  async function send() {
    const validation = confirmSessionFields.safeParse({ password, ...(user.twoStep && { code }) });
    setErrors(validation.success ? {} : errorsByField(validation.error));
    if (!validation.success) return;
    setBusy(true);
    try {
      const confirmation = { method: 'POST', path: '/auth/confirm', body: validation.data } as const;
      await createApi({ token }).requestWithToken<'confirmSession'>(confirmation);
      request.settle(true);
    } catch (error) {
      setBusy(false);
      if (isApiError(error) && error.status === 401) request.settle(false);
      else {
        setFailure(error);
        setErrors(toFieldErrors(error, t('api.loginFailed')));
      }
    }
  }
  const submit = useSubmit(send);

  return (
    <Dialog open title={t('confirm.title')} onClose={() => request.settle(false)}>
      <form noValidate className={layout['stack4']} onSubmit={submit}>
        <p>{t('confirm.text')}</p>
        {/* Password managers read from this field which account the password belongs to. */}
        <input type="hidden" name="username" autoComplete="username" value={user.email} />
        <Field label={t('auth.password')} error={errors['password']}>
          <TextInput
            type="password"
            autoComplete="current-password"
            value={password}
            onChange={({ target }) => setPassword(target.value)}
          />
        </Field>
        {user.twoStep && (
          <Field label={t('auth.code')} hint={t('auth.secondStepHint')} error={errors['code']}>
            <TextInput autoComplete="one-time-code" value={code} onChange={({ target }) => setCode(target.value)} />
          </Field>
        )}
        {errors['form'] !== undefined && <ErrorBox message={errors['form']}>{reason && t(reason)}</ErrorBox>}
        <Button type="submit" variant="primary" busy={isBusy}>
          {t('confirm.submit')}
        </Button>
      </form>
    </Dialog>
  );
}

/** Returns the messages of an error by field. The message of any other error has the key `form`. */
function toFieldErrors(error: unknown, fallback: string): Readonly<Record<string, string>> {
  const text = messageOf(error, fallback);
  if (!isApiError(error)) return { form: text };
  if (error.code === 'WRONG_PASSWORD') return { password: text };
  if (error.code === 'TWO_STEP_CODE_WRONG') return { code: text };
  return Object.keys(error.fields).length > 0 ? error.fields : { form: text };
}
