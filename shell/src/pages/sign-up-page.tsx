import { signUpFields } from '@alpenglow/domain/contracts';
import { Field, Radio, RadioGroup, TextInput, useApi, useHost } from '@alpenglow/ui';
import { standardSchemaResolver } from '@hookform/resolvers/standard-schema';
import { useForm } from 'react-hook-form';
import { Link, Navigate, useLocation, useNavigate } from 'react-router-dom';
import { sessionStore } from '../session/session.ts';
import { RichText, useText } from '../text.ts';
import { AuthForm, Submit } from './auth/auth-form.tsx';
import { AuthOther, AuthPage } from './auth/auth-page.tsx';
import { readAccountState, type AccountState } from './auth/navigation-state.ts';
import { PasswordInput } from './auth/password-input.tsx';
import { placeRefusal, useRefusal } from './auth/refusal.ts';

export default function SignUpPage() {
  const t = useText();
  const api = useApi();
  const { session } = useHost();
  const navigate = useNavigate();
  const state: unknown = useLocation().state;
  const { from } = readAccountState(state);
  const refusal = useRefusal();
  const { register, handleSubmit, setError, formState } = useForm({
    resolver: standardSchemaResolver(signUpFields),
    defaultValues: { userType: 'client', displayName: '', email: '', password: '' },
  });
  const { errors, isSubmitting, isSubmitSuccessful } = formState;

  const submit = handleSubmit(async (fields) => {
    refusal.clear();
    try {
      const { token, user, verificationCode } = await api.signup(fields);
      sessionStore.signIn(token, user);
      const next: AccountState = { from, email: user.email, demoCode: verificationCode ?? null };
      void navigate('/verify-email', { replace: true, state: next });
    } catch (error) {
      refusal.show(
        error,
        placeRefusal(error, ['userType', 'displayName', 'age', 'email', 'password'], setError, t('api.signUpFailed')),
      );
    }
  });

  // Signed in from the start. While a sign-up is under way, it leads on itself.
  if (session.state === 'authenticated' && !isSubmitting && !isSubmitSuccessful)
    return <Navigate to={from ?? '/'} replace />;

  return (
    <AuthPage title={t('auth.signUpTitle')} intro={t('auth.signUpIntro')} accountRequired={from !== null}>
      <AuthForm onSubmit={(event) => void submit(event)} error={refusal.text}>
        <RadioGroup legend={t('auth.userType')} error={errors.userType?.message}>
          <Radio value="client" label={t('auth.client')} hint={t('auth.clientHint')} {...register('userType')} />
          <Radio value="provider" label={t('auth.provider')} hint={t('auth.providerHint')} {...register('userType')} />
        </RadioGroup>
        <Field label={t('auth.displayName')} hint={t('auth.displayNameHint')} error={errors.displayName?.message}>
          <TextInput autoComplete="nickname" {...register('displayName')} />
        </Field>
        <Field label={t('auth.age')} hint={t('auth.ageHint')} error={errors.age?.message}>
          <TextInput
            type="number"
            inputMode="numeric"
            autoComplete="off"
            {...register('age', { valueAsNumber: true })}
          />
        </Field>
        <Field label={t('auth.email')} error={errors.email?.message}>
          <TextInput type="email" autoComplete="email" inputMode="email" {...register('email')} />
        </Field>
        <Field label={t('auth.password')} hint={t('auth.passwordHint')} error={errors.password?.message}>
          <PasswordInput autoComplete="new-password" {...register('password')} />
        </Field>
        <AuthOther>
          <RichText
            id="auth.signUpTerms"
            components={{ terms: <Link to="/terms" />, privacy: <Link to="/privacy" /> }}
          />
        </AuthOther>
        <Submit
          label={t('auth.signUpSubmit')}
          busyLabel={t('auth.signUpBusy')}
          isBusy={isSubmitting}
          wait_s={refusal.wait_s}
        />
      </AuthForm>
      <AuthOther>
        <RichText id="auth.signUpOther" components={{ login: <Link to="/login" state={state} /> }} />
      </AuthOther>
    </AuthPage>
  );
}
