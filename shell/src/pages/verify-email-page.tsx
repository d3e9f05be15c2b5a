import {
  VERIFICATION_MAX_ATTEMPTS,
  VERIFICATION_RESEND_WAIT_ms,
  verifyEmailFields,
  type UserView,
} from '@alpenglow/domain/contracts';
import {
  Button,
  Card,
  endSession,
  layout,
  LinkButton,
  resendVerification,
  showFieldErrors,
  useApi,
  useHost,
  useUser,
  verifyEmail,
} from '@alpenglow/ui';
import { standardSchemaResolver } from '@hookform/resolvers/standard-schema';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { Link, useLocation } from 'react-router-dom';
import { LoadingScreen } from '../frame/loading-screen.tsx';
import type { RedirectState } from '../routes/access-guard.tsx';
import { isProvider } from '../session/roles.ts';
import { sessionStore } from '../session/session.ts';
import { RichText, useText } from './auth/text.ts';
import { AuthForm, SubmitButton } from './auth/auth-form.tsx';
import { AuthAlternative, AuthPage, TextButton } from './auth/auth-page.tsx';
import { CodeField } from './auth/code-field.tsx';
import { DemoCode } from './auth/demo-hint.tsx';
import { readAccountState } from './auth/navigation-state.ts';
import { useFormError } from './auth/form-error.ts';
import { ResendCode } from './auth/resend-code.tsx';
import { useCodeAttempts } from './auth/use-code-attempts.ts';

export default function VerifyEmailPage() {
  const t = useText();
  const { session } = useHost();
  const user = useUser();
  const state: unknown = useLocation().state;
  const { from } = readAccountState(state);
  if (session.state === 'unknown') return <LoadingScreen />;
  if (!user) {
    return (
      <AuthPage title={t('auth.verifyTitle')} intro={t('auth.accountRequiredText')}>
        <Card className={layout['stack3']}>
          <p>
            <strong>{t('auth.verifyLogIn')}</strong>
          </p>
          <p className={layout['muted']}>{t('api.noUserEmail')}</p>
          <LinkButton to="/login" state={{ from: '/verify-email' } satisfies RedirectState}>
            {t('common.login')}
          </LinkButton>
        </Card>
        <AuthAlternative>
          <Link to="/forgot-password">{t('auth.forgot')}</Link>
        </AuthAlternative>
      </AuthPage>
    );
  }
  if (user.isEmailVerified) {
    return (
      <AuthPage title={t('auth.verifyTitle')} intro={t('auth.alreadyVerified')}>
        <LinkButton to={from ?? startOf(user)} variant="primary">
          {t('auth.goOn')}
        </LinkButton>
      </AuthPage>
    );
  }
  return <VerifyForm user={user} />;
}

const startOf = (user: UserView) => (isProvider(user) ? '/post-ad' : '/');

function VerifyForm({ user }: { readonly user: UserView }) {
  const t = useText();
  const api = useApi();
  const host = useHost();
  const state: unknown = useLocation().state;
  const { from, demoCode: firstCode } = readAccountState(state);
  const [demoCode, setDemoCode] = useState(firstCode);
  const formError = useFormError();
  const attempts = useCodeAttempts(VERIFICATION_MAX_ATTEMPTS, 'VERIFICATION_FAILED');
  const { register, handleSubmit, setError, setValue, formState } = useForm({
    resolver: standardSchemaResolver(verifyEmailFields),
    defaultValues: { email: user.email, code: '' },
  });
  const { errors, isSubmitting } = formState;
  const progress = { isBusy: isSubmitting, wait_s: formError.wait_s };
  const fillIn = (code: string) => setValue('code', code, { shouldValidate: true });

  const submit = handleSubmit(async ({ email, code }) => {
    formError.clear();
    try {
      const { user: verified } = await verifyEmail(api, email, code);
      host.updateUser({ ...user, ...verified });
      host.notify({ text: t('auth.verified'), tone: 'success' });
      host.navigate(from ?? startOf(user), { replace: true });
    } catch (error) {
      attempts.count(error);
      formError.show(error, showFieldErrors(error, ['code'], setError, t('api.verificationFailed')));
    }
  });

  /** Ends the session of this sign-up and opens another page, because pages such as the login need no session. */
  function leave(to: string) {
    void endSession(api).catch(() => undefined);
    sessionStore.signOut();
    host.navigate(to, { replace: true, state: { from, email: user.email } });
  }

  async function resend() {
    formError.clear();
    const { verificationCode } = await resendVerification(api, user.email);
    attempts.reset();
    setDemoCode(verificationCode ?? null);
    return true;
  }

  return (
    <AuthPage
      title={t('auth.verifyTitle')}
      intro={<RichText id="auth.verifyIntro" values={{ email: user.email }} components={{ who: <strong /> }} />}
    >
      {demoCode !== null && <DemoCode code={demoCode} onUse={() => fillIn(demoCode)} />}
      <AuthForm onSubmit={submit} error={formError.shown}>
        <CodeField
          registration={register('code')}
          hint={t('auth.codeHint')}
          error={errors.code?.message ?? errors.email?.message}
          attemptsLeft={attempts.left}
          onPasted={fillIn}
        />
        <SubmitButton label={t('auth.verifySubmit')} busyLabel={t('auth.verifyBusy')} {...progress} />
      </AuthForm>
      <ResendCode
        send={resend}
        sent={t('auth.resent')}
        failed={t('api.resendFailed')}
        wait_s={VERIFICATION_RESEND_WAIT_ms / 1000}
      />
      <AuthAlternative>
        <RichText
          id="auth.verifyHelp"
          components={{
            login: <TextButton onClick={() => leave('/login')} />,
            reset: <TextButton onClick={() => leave('/forgot-password')} />,
          }}
        />
      </AuthAlternative>
      <Button variant="quiet" size="small" onClick={() => leave('/signup')}>
        {t('auth.startAgain')}
      </Button>
    </AuthPage>
  );
}
