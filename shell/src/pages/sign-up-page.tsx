import { signUpFields } from '@alpenglow/domain/contracts';
import { Button, Field, Radio, RadioGroup, TextInput, apiMessages, useApi, useHost } from '@alpenglow/ui';
import { standardSchemaResolver } from '@hookform/resolvers/standard-schema';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { Link, Navigate, useLocation, useNavigate } from 'react-router-dom';
import { messages } from '../messages.ts';
import { sentFrom } from '../routes/guarded.tsx';
import { sessionStore } from '../session/session.ts';
import { AuthForm, AuthOther, AuthPage } from './auth-form.tsx';
import { authMessages } from './auth-messages.ts';
import { placeRefusal } from './server-refusal.ts';
import type { VerificationState } from './verification-state.ts';

export default function SignUpPage() {
  const api = useApi();
  const { session } = useHost();
  const navigate = useNavigate();
  const state: unknown = useLocation().state;
  const from = sentFrom(state);
  const [refusal, setRefusal] = useState<string | null>(null);
  const { register, handleSubmit, setError, formState } = useForm({
    resolver: standardSchemaResolver(signUpFields),
    defaultValues: { userType: 'client', displayName: '', email: '', password: '' },
  });
  const { errors, isSubmitting, isSubmitSuccessful } = formState;

  const submit = handleSubmit(async (fields) => {
    setRefusal(null);
    try {
      const { token, user, verificationCode } = await api.signup(fields);
      sessionStore.signIn(token, user);
      const next: VerificationState = { from, demoCode: verificationCode ?? null };
      void navigate('/verify-email', { replace: true, state: next });
    } catch (error) {
      setRefusal(placeRefusal(error, ['email', 'password', 'displayName', 'age', 'userType'], setError, apiMessages.signUpFailed));
    }
  });

  // Signed in from the start. While a sign-up is under way, it leads on itself.
  if (session.state === 'authenticated' && !isSubmitting && !isSubmitSuccessful) return <Navigate to={from ?? '/'} replace />;

  return (
    <AuthPage title={authMessages.signUpTitle} intro={authMessages.signUpIntro} accountRequired={from !== null}>
      <AuthForm onSubmit={(event) => void submit(event)} error={refusal}>
        <RadioGroup legend={authMessages.userType} error={errors.userType?.message}>
          <Radio value="client" label={authMessages.client} hint={authMessages.clientHint} {...register('userType')} />
          <Radio value="provider" label={authMessages.provider} hint={authMessages.providerHint} {...register('userType')} />
        </RadioGroup>
        <Field label={authMessages.displayName} hint={authMessages.displayNameHint} error={errors.displayName?.message}>
          <TextInput autoComplete="nickname" {...register('displayName')} />
        </Field>
        <Field label={authMessages.age} hint={authMessages.ageHint} error={errors.age?.message}>
          <TextInput type="number" inputMode="numeric" {...register('age', { valueAsNumber: true })} />
        </Field>
        <Field label={authMessages.email} error={errors.email?.message}>
          <TextInput type="email" autoComplete="email" inputMode="email" {...register('email')} />
        </Field>
        <Field label={authMessages.password} hint={authMessages.passwordHint} error={errors.password?.message}>
          <TextInput type="password" autoComplete="new-password" {...register('password')} />
        </Field>
        <AuthOther>
          {authMessages.signUpTerms} <Link to="/terms">{messages.terms}</Link>.
        </AuthOther>
        <Button type="submit" variant="primary" busy={isSubmitting}>
          {isSubmitting ? authMessages.signUpBusy : authMessages.signUpSubmit}
        </Button>
      </AuthForm>
      <AuthOther>
        {authMessages.signUpOther}{' '}
        <Link to="/login" state={state}>
          {messages.login}
        </Link>
      </AuthOther>
    </AuthPage>
  );
}
