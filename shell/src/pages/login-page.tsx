import { logInFields } from '@alpenglow/domain/contracts';
import { Button, Field, isApiError, TextInput, useApi, useHost } from '@alpenglow/ui';
import { standardSchemaResolver } from '@hookform/resolvers/standard-schema';
import { useState } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import { Link, Navigate, useLocation } from 'react-router-dom';
import { isProvider } from '../session/roles.ts';
import { sessionStore } from '../session/session.ts';
import { RichText, useText } from '../text.ts';
import { AuthForm, Submit } from './auth/auth-form.tsx';
import { AuthOther, AuthPage } from './auth/auth-page.tsx';
import { readAccountState } from './auth/navigation-state.ts';
import { PasswordInput } from './auth/password-input.tsx';
import { placeRefusal, useRefusal } from './auth/refusal.ts';
import { SecondStep } from './auth/second-step.tsx';

export default function LoginPage() {
  const t = useText();
  const api = useApi();
  const { session } = useHost();
  const state: unknown = useLocation().state;
  const { from, email: knownEmail } = readAccountState(state);
  const refusal = useRefusal();
  // The password was right, and a code is asked for.
  const [isSecondStep, setIsSecondStep] = useState(false);
  const { register, handleSubmit, setError, setValue, formState, control } = useForm({
    resolver: standardSchemaResolver(logInFields),
    defaultValues: { email: knownEmail, password: '' },
  });
  const { errors, isSubmitting } = formState;
  const typedEmail = useWatch({ control, name: 'email' });

  // Signed in, here or in another tab: on to where the visitor was going.
  if (session.state === 'authenticated')
    return <Navigate to={from ?? (isProvider(session.user) ? '/provider-profile' : '/')} replace />;

  const submit = handleSubmit(async ({ email, password, code }) => {
    refusal.clear();
    try {
      const { token, user } = await api.login(email, password, code);
      sessionStore.signIn(token, user);
    } catch (error) {
      if (isApiError(error) && error.code === 'TWO_STEP_CODE_REQUIRED') askForCode();
      else refusal.show(error, placeRefusal(error, ['email', 'password', 'code'], setError, t('api.loginFailed')));
    }
  });
  const askForCode = () => {
    setValue('code', '');
    setIsSecondStep(true);
  };
  const startOver = () => {
    refusal.clear();
    setValue('code', undefined);
    setIsSecondStep(false);
  };

  if (isSecondStep) {
    return (
      <AuthPage title={t('auth.loginTitle')} intro={t('auth.secondStepIntro')} accountRequired={false}>
        <AuthForm onSubmit={(event) => void submit(event)} error={refusal.text}>
          <SecondStep
            registration={register('code')}
            error={errors.code?.message}
            onPasted={(pasted) => setValue('code', pasted, { shouldValidate: true })}
            onSwitch={() => {
              refusal.clear();
              setValue('code', '');
            }}
          />
          <Submit
            label={t('auth.loginSubmit')}
            busyLabel={t('auth.loginBusy')}
            isBusy={isSubmitting}
            wait_s={refusal.wait_s}
          />
          <Button variant="quiet" onClick={startOver}>
            {t('auth.secondStepBack')}
          </Button>
        </AuthForm>
      </AuthPage>
    );
  }

  return (
    <AuthPage title={t('auth.loginTitle')} intro={t('auth.loginIntro')} accountRequired={from !== null}>
      <AuthForm onSubmit={(event) => void submit(event)} error={refusal.text}>
        <Field label={t('auth.email')} error={errors.email?.message}>
          <TextInput type="email" autoComplete="username" inputMode="email" {...register('email')} />
        </Field>
        <Field label={t('auth.password')} error={errors.password?.message}>
          <PasswordInput autoComplete="current-password" {...register('password')} />
        </Field>
        <Submit
          label={t('auth.loginSubmit')}
          busyLabel={t('auth.loginBusy')}
          isBusy={isSubmitting}
          wait_s={refusal.wait_s}
        />
        <AuthOther>
          <Link to="/forgot-password" state={{ from, email: typedEmail }}>
            {t('auth.forgot')}
          </Link>
        </AuthOther>
      </AuthForm>
      <AuthOther>
        <RichText id="auth.loginOther" components={{ signup: <Link to="/signup" state={state} /> }} />
      </AuthOther>
    </AuthPage>
  );
}
