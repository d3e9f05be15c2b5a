import { PASSWORD_RESET_MAX_ATTEMPTS, PASSWORD_RESET_WAIT_ms, resetPasswordFields } from '@alpenglow/domain/contracts';
import {
  Button,
  Field,
  forgotPassword,
  isApiError,
  resetPassword,
  showFieldErrors,
  TextInput,
  useApi,
  useHost,
} from '@alpenglow/ui';
import { standardSchemaResolver } from '@hookform/resolvers/standard-schema';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { Link, useLocation } from 'react-router-dom';
import { sessionStore } from '../session/session.ts';
import { RichText, useText } from './auth/text.ts';
import { AuthForm, SubmitButton } from './auth/auth-form.tsx';
import { AuthAlternative, AuthPage } from './auth/auth-page.tsx';
import { CodeField } from './auth/code-field.tsx';
import { DemoInboxHint } from './auth/demo-hint.tsx';
import { useDemoInbox } from './auth/demo-inbox.ts';
import { PasswordInput } from './auth/password-input.tsx';
import { PersonFields } from './auth/person-fields.tsx';
import { useFormError } from './auth/form-error.ts';
import { ResendCode } from './auth/resend-code.tsx';
import { readResetState } from './auth/reset-state.ts';
import { useCodeAttempts } from './auth/use-code-attempts.ts';

/**
 * The page that sets a new password with a mailed code. The change ends all sessions of the account, so the login page
 * follows.
 */
export default function ResetPasswordPage() {
  const t = useText();
  const api = useApi();
  const host = useHost();
  const state: unknown = useLocation().state;
  const { from, email: knownEmail, isSent } = readResetState(state);
  const isDemo = useDemoInbox();
  const formError = useFormError();
  const attempts = useCodeAttempts(PASSWORD_RESET_MAX_ATTEMPTS, 'RESET_FAILED');
  const { register, handleSubmit, setError, setValue, getValues, trigger, formState } = useForm({
    resolver: standardSchemaResolver(resetPasswordFields),
    shouldFocusError: false,
    defaultValues: { email: knownEmail, code: '', newPassword: '' },
  });
  const { errors, isSubmitting, submitCount } = formState;
  const progress = { isBusy: isSubmitting, wait_s: formError.wait_s };

  // True if the code was correct and the address was never verified, so the visitor enters the data of the account.
  const [isOwnerStep, setIsOwnerStep] = useState(false);
  const submit = handleSubmit(async (fields) => {
    const { email, code, newPassword } = fields;
    formError.clear();
    try {
      await resetPassword(api, isOwnerStep ? fields : { email, code, newPassword });
    } catch (error) {
      if (isApiError(error) && error.code === 'PROFILE_REQUIRED') {
        setValue('userType', 'client');
        setIsOwnerStep(true);
        return;
      }
      attempts.count(error);
      const names = ['email', 'code', 'newPassword', 'userType', 'displayName', 'age'] as const;
      formError.show(error, showFieldErrors(error, names, setError, t('api.resetFailed')));
      // The first step contains the field that is wrong.
      if (isApiError(error) && error.code === 'RESET_FAILED') returnToCode();
      return;
    }
    const { session } = host;
    // The server has ended all sessions of the account. If this browser has a session of the account, the visitor is
    // therefore signed out here, too.
    if (session.state === 'authenticated' && session.user.email.toLowerCase() === email) sessionStore.signOut();
    host.notify({ text: t('auth.resetDone'), tone: 'success' });
    host.navigate('/login', { replace: true, state: { from, email } });
  });

  function returnToCode() {
    for (const name of ['userType', 'displayName', 'age'] as const) setValue(name, undefined);
    setIsOwnerStep(false);
  }

  async function resend() {
    if (!(await trigger('email', { shouldFocus: true }))) return false;
    await forgotPassword(api, getValues('email'));
    attempts.reset();
    return true;
  }

  if (isOwnerStep) {
    return (
      <AuthPage title={t('auth.resetOwnerTitle')} intro={t('auth.resetOwnerIntro')}>
        <AuthForm onSubmit={submit} error={formError.shown} submitCount={submitCount}>
          <PersonFields register={register} errors={errors} />
          <SubmitButton label={t('auth.resetOwnerSubmit')} busyLabel={t('auth.resetBusy')} {...progress} />
          <Button
            variant="quiet"
            onClick={() => {
              formError.clear();
              returnToCode();
            }}
          >
            {t('auth.resetBack')}
          </Button>
        </AuthForm>
      </AuthPage>
    );
  }

  return (
    <AuthPage
      title={t('auth.resetTitle')}
      intro={
        isSent ? (
          <RichText id="auth.resetSent" values={{ email: knownEmail }} components={{ who: <strong /> }} />
        ) : (
          t('auth.resetIntro')
        )
      }
    >
      {isDemo && isSent && <DemoInboxHint />}
      <AuthForm onSubmit={submit} error={formError.shown} submitCount={submitCount}>
        <Field label={t('auth.email')} error={errors.email?.message}>
          <TextInput type="email" autoComplete="username" inputMode="email" {...register('email')} />
        </Field>
        <CodeField
          registration={register('code')}
          hint={t('auth.codeHint')}
          error={errors.code?.message}
          attemptsLeft={attempts.left}
          onPasted={(code) => setValue('code', code, { shouldValidate: true })}
        />
        <Field label={t('auth.newPassword')} hint={t('auth.passwordHint')} error={errors.newPassword?.message}>
          <PasswordInput autoComplete="new-password" {...register('newPassword')} />
        </Field>
        <AuthAlternative>{t('auth.resetNote')}</AuthAlternative>
        <SubmitButton label={t('auth.resetSubmit')} busyLabel={t('auth.resetBusy')} {...progress} />
      </AuthForm>
      <ResendCode
        send={resend}
        sent={t('auth.resentIf')}
        failed={t('api.resetFailed')}
        wait_s={PASSWORD_RESET_WAIT_ms / 1000}
        isJustSent={isSent}
      />
      <AuthAlternative>
        <RichText id="auth.signUpOther" components={{ login: <Link to="/login" state={{ from }} /> }} />
      </AuthAlternative>
    </AuthPage>
  );
}
