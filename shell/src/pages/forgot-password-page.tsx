import { forgotPasswordFields } from '@alpenglow/domain/contracts';
import { Field, forgotPassword, showFieldErrors, TextInput, useApi } from '@alpenglow/ui';
import { standardSchemaResolver } from '@hookform/resolvers/standard-schema';
import { useForm, useWatch } from 'react-hook-form';
import { Link, useLocation, useNavigate } from 'react-router-dom';
import { RichText, useText } from './auth/text.ts';
import { AuthForm, SubmitButton } from './auth/auth-form.tsx';
import { AuthAlternative, AuthPage } from './auth/auth-page.tsx';
import { readAccountState } from './auth/navigation-state.ts';
import { useFormError } from './auth/form-error.ts';
import type { ResetState } from './auth/reset-state.ts';

/**
 * The page that requests a mailed code for a new password. It does not show whether the address has an account
 * (decision 0022).
 */
export default function ForgotPasswordPage() {
  const t = useText();
  const api = useApi();
  const navigate = useNavigate();
  const state: unknown = useLocation().state;
  const { from, email: knownEmail } = readAccountState(state);
  const formError = useFormError();
  const { register, handleSubmit, setError, formState, control } = useForm({
    resolver: standardSchemaResolver(forgotPasswordFields),
    defaultValues: { email: knownEmail },
  });
  const { errors, isSubmitting } = formState;
  const progress = { isBusy: isSubmitting, wait_s: formError.wait_s };
  const typedEmail = useWatch({ control, name: 'email' });

  const submit = handleSubmit(async ({ email }) => {
    formError.clear();
    try {
      await forgotPassword(api, email);
      void navigate('/reset-password', { state: { from, email, isSent: true } satisfies ResetState });
    } catch (error) {
      formError.show(error, showFieldErrors(error, ['email'], setError, t('api.resetFailed')));
    }
  });

  return (
    <AuthPage title={t('auth.forgotTitle')} intro={t('auth.forgotIntro')}>
      <AuthForm onSubmit={submit} error={formError.shown}>
        <Field label={t('auth.email')} error={errors.email?.message}>
          <TextInput type="email" autoComplete="username" inputMode="email" {...register('email')} />
        </Field>
        <SubmitButton label={t('auth.forgotSubmit')} busyLabel={t('auth.resendBusy')} {...progress} />
      </AuthForm>
      <AuthAlternative>
        <RichText
          id="auth.forgotOther"
          components={{
            reset: (
              <Link to="/reset-password" state={{ from, email: typedEmail, isSent: false } satisfies ResetState} />
            ),
          }}
        />
      </AuthAlternative>
    </AuthPage>
  );
}
