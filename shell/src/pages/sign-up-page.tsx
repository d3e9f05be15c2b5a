import { signUpFields } from '@alpenglow/domain/contracts';
import {
  Field,
  RestoredText,
  showFieldErrors,
  signUp,
  TextInput,
  useApi,
  useFormDraft,
  useHost,
  useIsHydrated,
  useTextDraft,
} from '@alpenglow/ui';
import { standardSchemaResolver } from '@hookform/resolvers/standard-schema';
import { useForm } from 'react-hook-form';
import { Link, Navigate, useLocation, useNavigate } from 'react-router-dom';
import { startPageOf } from '../session/roles.ts';
import { sessionStore } from '../session/session.ts';
import { RichText, useText } from './auth/text.ts';
import { AuthForm, SubmitButton } from './auth/auth-form.tsx';
import { AuthAlternative, AuthPage } from './auth/auth-page.tsx';
import { readAccountState, type AccountState } from './auth/navigation-state.ts';
import { PasswordInput } from './auth/password-input.tsx';
import { PersonFields } from './auth/person-fields.tsx';
import { useFormError } from './auth/form-error.ts';

const EMPTY = { userType: 'client', displayName: '', email: '', password: '' } as const;

/**
 * The page `/signup`. What was entered is stored in this tab, because other people may use the same computer. The
 * password is never stored.
 */
export default function SignUpPage() {
  const t = useText();
  const api = useApi();
  const { session } = useHost();
  const navigate = useNavigate();
  const state: unknown = useLocation().state;
  const { from } = readAccountState(state);
  const formError = useFormError();
  const isHydrated = useIsHydrated();
  const draft = useTextDraft('sign-up', { in: 'tab' });
  const { userType, age, displayName, email } = draft.texts;
  const form = useForm({
    resolver: standardSchemaResolver(signUpFields),
    shouldFocusError: false,
    defaultValues: {
      userType: userType === 'provider' ? userType : EMPTY.userType,
      displayName: displayName ?? '',
      ...(age !== undefined && age !== '' && { age: Number(age) }),
      email: email ?? '',
      password: '',
    },
  });
  const { register, handleSubmit, setError, formState, reset } = form;
  useFormDraft(form, (values) =>
    draft.save({
      userType: values.userType === 'provider' ? values.userType : '',
      displayName: values.displayName,
      age: Number.isInteger(values.age) ? String(values.age) : '',
      email: values.email,
    }),
  );
  const { errors, isSubmitting, isSubmitSuccessful, submitCount } = formState;
  const progress = { isBusy: isSubmitting, wait_s: formError.wait_s };

  const submit = handleSubmit(async (fields) => {
    formError.clear();
    try {
      const { token, user, verificationCode } = await signUp(api, fields);
      draft.clear();
      sessionStore.signIn(token, user);
      const next: AccountState = { from, email: user.email, demoCode: verificationCode ?? null };
      void navigate('/verify-email', { replace: true, state: next });
    } catch (error) {
      const names = ['userType', 'displayName', 'age', 'email', 'password'] as const;
      formError.show(error, showFieldErrors(error, names, setError, t('api.signUpFailed')));
    }
  });

  // Redirects visitors who are already signed in. After a sign-up on this page, the form itself navigates.
  if (session.state === 'authenticated' && !isSubmitting && !isSubmitSuccessful)
    return <Navigate to={from ?? startPageOf(session.user)} replace />;

  return (
    <AuthPage title={t('auth.signUpTitle')} intro={t('auth.signUpIntro')} accountRequired={from !== null}>
      <AuthForm onSubmit={submit} error={formError.shown} submitCount={submitCount}>
        {isHydrated && <RestoredText draft={draft} onDiscard={() => reset(EMPTY)} />}
        <PersonFields register={register} errors={errors} />
        <Field label={t('auth.email')} error={errors.email?.message}>
          <TextInput type="email" autoComplete="email" inputMode="email" {...register('email')} />
        </Field>
        <Field label={t('auth.password')} hint={t('auth.passwordHint')} error={errors.password?.message}>
          <PasswordInput autoComplete="new-password" {...register('password')} />
        </Field>
        <AuthAlternative>
          <RichText id="auth.signUpPricing" components={{ pricing: <Link to="/pricing" /> }} />
        </AuthAlternative>
        <AuthAlternative>
          <RichText
            id="auth.signUpTerms"
            components={{ terms: <Link to="/terms" />, privacy: <Link to="/privacy" /> }}
          />
        </AuthAlternative>
        <SubmitButton label={t('auth.signUpSubmit')} busyLabel={t('auth.signUpBusy')} {...progress} />
      </AuthForm>
      <AuthAlternative>
        <RichText id="auth.signUpOther" components={{ login: <Link to="/login" state={state} /> }} />
      </AuthAlternative>
    </AuthPage>
  );
}
