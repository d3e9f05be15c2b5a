import { LOGIN_CODE_MAX_ATTEMPTS, LOGIN_CODE_WAIT_ms, logInFields } from '@alpenglow/domain/contracts';
import { Button, Field, isApiError, logIn, showFieldErrors, TextInput, useApi, useHost } from '@alpenglow/ui';
import { standardSchemaResolver } from '@hookform/resolvers/standard-schema';
import { useState } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import { Link, Navigate, useLocation } from 'react-router-dom';
import { startPageOf } from '../session/roles.ts';
import { sessionStore } from '../session/session.ts';
import { RichText, useText } from './auth/text.ts';
import { AuthForm, SubmitButton } from './auth/auth-form.tsx';
import { AuthAlternative, AuthPage } from './auth/auth-page.tsx';
import { CodeField } from './auth/code-field.tsx';
import { DemoInboxHint } from './auth/demo-hint.tsx';
import { useDemoInbox } from './auth/demo-inbox.ts';
import { readAccountState } from './auth/navigation-state.ts';
import { PasswordInput } from './auth/password-input.tsx';
import { useFormError } from './auth/form-error.ts';
import { ResendCode } from './auth/resend-code.tsx';
import { SecondStep } from './auth/second-step.tsx';
import { useCodeAttempts } from './auth/use-code-attempts.ts';

export default function LoginPage() {
  const t = useText();
  const api = useApi();
  const { session } = useHost();
  const state: unknown = useLocation().state;
  const { from, email: knownEmail } = readAccountState(state);
  const formError = useFormError();
  const attempts = useCodeAttempts(LOGIN_CODE_MAX_ATTEMPTS, 'LOGIN_FAILED');
  // `app`: the password was correct, and the account uses two-step sign-in. `mail`: the account has many failed logins.
  const [secondStep, setSecondStep] = useState<'app' | 'mail' | null>(null);
  const isDemo = useDemoInbox();
  const { register, handleSubmit, setError, setValue, getValues, formState, control } = useForm({
    resolver: standardSchemaResolver(logInFields),
    defaultValues: { email: knownEmail, password: '' },
  });
  const { errors, isSubmitting } = formState;
  const progress = { isBusy: isSubmitting, wait_s: formError.wait_s };
  const typedEmail = useWatch({ control, name: 'email' });

  // The visitor is signed in, possibly in another tab, so the requested page opens.
  if (session.state === 'authenticated') return <Navigate to={from ?? startPageOf(session.user)} replace />;

  const submit = handleSubmit(async ({ email, password, code }) => {
    formError.clear();
    try {
      const { token, user } = await logIn(api, email, password, code);
      sessionStore.signIn(token, user);
    } catch (error) {
      if (isApiError(error) && error.code === 'TWO_STEP_CODE_REQUIRED') requestCode('app');
      else if (isApiError(error) && error.code === 'LOGIN_CODE_REQUIRED') requestCode('mail');
      else if (secondStep === 'mail' && isApiError(error) && error.code === 'LOGIN_FAILED') {
        attempts.count(error);
        formError.show(error, t('auth.loginCodeFailed'), null);
      } else
        formError.show(error, showFieldErrors(error, ['email', 'password', 'code'], setError, t('api.loginFailed')));
    }
  });
  const requestCode = (step: 'app' | 'mail') => {
    setValue('code', '');
    setSecondStep(step);
  };
  /** Requests another mailed code. The server sends it in response to a login without a code. */
  const resend = async () => {
    const { email, password } = getValues();
    try {
      const { token, user } = await logIn(api, email, password);
      sessionStore.signIn(token, user);
      return false;
    } catch (error) {
      if (!isApiError(error) || error.code !== 'LOGIN_CODE_REQUIRED') throw error;
      attempts.reset();
      return true;
    }
  };
  const startOver = () => {
    formError.clear();
    setValue('code', undefined);
    setSecondStep(null);
  };

  if (secondStep === 'mail') {
    return (
      <AuthPage
        title={t('auth.loginTitle')}
        intro={<RichText id="auth.loginCodeIntro" values={{ email: typedEmail }} components={{ who: <strong /> }} />}
      >
        {isDemo && <DemoInboxHint />}
        <AuthForm onSubmit={submit} error={formError.shown}>
          <CodeField
            registration={register('code')}
            hint={t('auth.loginCodeHint')}
            error={errors.code?.message}
            attemptsLeft={attempts.left}
            onPasted={(pasted) => setValue('code', pasted, { shouldValidate: true })}
          />
          <SubmitButton label={t('auth.loginSubmit')} busyLabel={t('auth.loginBusy')} {...progress} />
          <Button variant="quiet" onClick={startOver}>
            {t('auth.secondStepBack')}
          </Button>
        </AuthForm>
        <ResendCode
          send={resend}
          sent={t('auth.loginCodeSent')}
          failed={t('api.loginFailed')}
          wait_s={LOGIN_CODE_WAIT_ms / 1000}
          isJustSent
        />
      </AuthPage>
    );
  }

  if (secondStep === 'app') {
    return (
      <AuthPage title={t('auth.loginTitle')} intro={t('auth.secondStepIntro')}>
        <AuthForm onSubmit={submit} error={formError.shown}>
          <SecondStep
            registration={register('code')}
            error={errors.code?.message}
            onPasted={(pasted) => setValue('code', pasted, { shouldValidate: true })}
            onSwitch={() => {
              formError.clear();
              setValue('code', '');
            }}
          />
          <SubmitButton label={t('auth.loginSubmit')} busyLabel={t('auth.loginBusy')} {...progress} />
          <Button variant="quiet" onClick={startOver}>
            {t('auth.secondStepBack')}
          </Button>
        </AuthForm>
      </AuthPage>
    );
  }

  return (
    <AuthPage title={t('auth.loginTitle')} intro={t('auth.loginIntro')} accountRequired={from !== null}>
      <AuthForm onSubmit={submit} error={formError.shown}>
        <Field label={t('auth.email')} error={errors.email?.message}>
          <TextInput type="email" autoComplete="username" inputMode="email" {...register('email')} />
        </Field>
        <Field label={t('auth.password')} error={errors.password?.message}>
          <PasswordInput autoComplete="current-password" {...register('password')} />
        </Field>
        <SubmitButton label={t('auth.loginSubmit')} busyLabel={t('auth.loginBusy')} {...progress} />
        <AuthAlternative>
          <Link to="/forgot-password" state={{ from, email: typedEmail }}>
            {t('auth.forgot')}
          </Link>
        </AuthAlternative>
      </AuthForm>
      <AuthAlternative>
        <RichText id="auth.loginOther" components={{ signup: <Link to="/signup" state={state} /> }} />
      </AuthAlternative>
    </AuthPage>
  );
}
