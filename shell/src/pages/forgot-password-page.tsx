import { forgotPasswordFields } from '@alpenglow/domain/contracts';
import { Field, TextInput, useApi } from '@alpenglow/ui';
import { standardSchemaResolver } from '@hookform/resolvers/standard-schema';
import { useForm, useWatch } from 'react-hook-form';
import { Link, useLocation, useNavigate } from 'react-router-dom';
import { RichText, useText } from '../text.ts';
import { AuthForm, Submit } from './auth/auth-form.tsx';
import { AuthOther, AuthPage } from './auth/auth-page.tsx';
import { readAccountState } from './auth/navigation-state.ts';
import { placeRefusal, useRefusal } from './auth/refusal.ts';
import type { ResetState } from './auth/reset-state.ts';

/** Asks for a code to set a new password. What is said afterwards is the same whether the address has an account or not (decision 0022). */
export default function ForgotPasswordPage() {
  const t = useText();
  const api = useApi();
  const navigate = useNavigate();
  const state: unknown = useLocation().state;
  const { from, email: knownEmail } = readAccountState(state);
  const refusal = useRefusal();
  const { register, handleSubmit, setError, formState, control } = useForm({
    resolver: standardSchemaResolver(forgotPasswordFields),
    defaultValues: { email: knownEmail },
  });
  const { errors, isSubmitting } = formState;
  const typedEmail = useWatch({ control, name: 'email' });

  const submit = handleSubmit(async ({ email }) => {
    refusal.clear();
    try {
      await api.forgotPassword(email);
      void navigate('/reset-password', { state: { from, email, isSent: true } satisfies ResetState });
    } catch (error) {
      refusal.show(error, placeRefusal(error, ['email'], setError, t('api.resetFailed')));
    }
  });

  return (
    <AuthPage title={t('auth.forgotTitle')} intro={t('auth.forgotIntro')}>
      <AuthForm onSubmit={(event) => void submit(event)} error={refusal.text}>
        <Field label={t('auth.email')} error={errors.email?.message}>
          <TextInput type="email" autoComplete="username" inputMode="email" {...register('email')} />
        </Field>
        <Submit
          label={t('auth.forgotSubmit')}
          busyLabel={t('auth.resendBusy')}
          isBusy={isSubmitting}
          wait_s={refusal.wait_s}
        />
      </AuthForm>
      <AuthOther>
        <RichText
          id="auth.forgotOther"
          components={{
            reset: (
              <Link to="/reset-password" state={{ from, email: typedEmail, isSent: false } satisfies ResetState} />
            ),
          }}
        />
      </AuthOther>
    </AuthPage>
  );
}
