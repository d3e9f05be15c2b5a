import { logInFields } from '@alpenglow/domain/contracts';
import { Button, Field, TextInput, apiMessages, useApi, useHost } from '@alpenglow/ui';
import { standardSchemaResolver } from '@hookform/resolvers/standard-schema';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { Link, Navigate, useLocation } from 'react-router-dom';
import { messages } from '../messages.ts';
import { sentFrom } from '../routes/guarded.tsx';
import { isProvider } from '../session/roles.ts';
import { sessionStore } from '../session/session.ts';
import { AuthForm, AuthOther, AuthPage } from './auth-form.tsx';
import { authMessages } from './auth-messages.ts';
import { placeRefusal } from './server-refusal.ts';

export default function LoginPage() {
  const api = useApi();
  const { session } = useHost();
  const state: unknown = useLocation().state;
  const from = sentFrom(state);
  const [refusal, setRefusal] = useState<string | null>(null);
  const { register, handleSubmit, setError, formState } = useForm({
    resolver: standardSchemaResolver(logInFields),
    defaultValues: { email: '', password: '' },
  });
  const { errors, isSubmitting } = formState;

  // Signed in, here or in another tab: on to where the visitor was going.
  if (session.state === 'authenticated') return <Navigate to={from ?? (isProvider(session.user) ? '/provider-profile' : '/')} replace />;

  const submit = handleSubmit(async ({ email, password }) => {
    setRefusal(null);
    try {
      const { token, user } = await api.login(email, password);
      sessionStore.signIn(token, user);
    } catch (error) {
      setRefusal(placeRefusal(error, ['email', 'password'], setError, apiMessages.loginFailed));
    }
  });

  return (
    <AuthPage title={authMessages.loginTitle} intro={authMessages.loginIntro} accountRequired={from !== null}>
      <AuthForm onSubmit={(event) => void submit(event)} error={refusal}>
        <Field label={authMessages.email} error={errors.email?.message}>
          <TextInput type="email" autoComplete="username" inputMode="email" {...register('email')} />
        </Field>
        <Field label={authMessages.password} error={errors.password?.message}>
          <TextInput type="password" autoComplete="current-password" {...register('password')} />
        </Field>
        <Button type="submit" variant="primary" busy={isSubmitting}>
          {isSubmitting ? authMessages.loginBusy : authMessages.loginSubmit}
        </Button>
      </AuthForm>
      <AuthOther>
        {authMessages.loginOther}{' '}
        <Link to="/signup" state={state}>
          {messages.signUp}
        </Link>
      </AuthOther>
    </AuthPage>
  );
}
