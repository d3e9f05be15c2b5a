import { verifyEmailFields, type UserView } from '@alpenglow/domain/contracts';
import { ApiError, Button, ErrorBox, Field, LinkButton, TextInput, apiMessages, messageOf, useApi, useHost, useUser } from '@alpenglow/ui';
import { standardSchemaResolver } from '@hookform/resolvers/standard-schema';
import { useEffect, useState } from 'react';
import { useForm } from 'react-hook-form';
import { useLocation } from 'react-router-dom';
import { LoadingScreen } from '../frame/loading-screen.tsx';
import { messages } from '../messages.ts';
import { isProvider } from '../session/roles.ts';
import { AuthForm, AuthPage } from './auth-form.tsx';
import { authMessages } from './auth-messages.ts';
import { placeRefusal } from './server-refusal.ts';
import { readVerificationState } from './verification-state.ts';
import styles from './verify-email-page.module.css';

export default function VerifyEmailPage() {
  const { session } = useHost();
  const user = useUser();
  const state: unknown = useLocation().state;
  const { from } = readVerificationState(state);
  if (session.state === 'unknown') return <LoadingScreen />;
  if (!user) {
    return (
      <AuthPage title={authMessages.verifyTitle} intro={authMessages.accountRequiredText}>
        <ErrorBox message={apiMessages.noUserEmail} actions={<LinkButton to="/login">{messages.login}</LinkButton>} />
      </AuthPage>
    );
  }
  if (user.isEmailVerified) {
    return (
      <AuthPage title={authMessages.verifyTitle} intro={authMessages.alreadyVerified}>
        <LinkButton to={from ?? startOf(user)} variant="primary">
          {authMessages.goOn}
        </LinkButton>
      </AuthPage>
    );
  }
  return <VerifyForm user={user} />;
}

/** Where a newly verified user starts: what they signed up for. */
const startOf = (user: UserView) => (isProvider(user) ? '/post-ad' : '/');

function VerifyForm({ user }: { readonly user: UserView }) {
  const api = useApi();
  const host = useHost();
  const state: unknown = useLocation().state;
  const { from, demoCode: firstCode } = readVerificationState(state);
  const [demoCode, setDemoCode] = useState(firstCode);
  const [refusal, setRefusal] = useState<string | null>(null);
  const { register, handleSubmit, setError, setValue, formState } = useForm({
    resolver: standardSchemaResolver(verifyEmailFields),
    defaultValues: { email: user.email, code: '' },
  });
  const { errors, isSubmitting } = formState;

  const submit = handleSubmit(async ({ email, code }) => {
    setRefusal(null);
    try {
      const { user: verified } = await api.verifyEmail(email, code);
      host.updateUser({ ...user, ...verified });
      host.notify({ text: authMessages.verified, tone: 'success' });
      host.navigate(from ?? startOf(user), { replace: true });
    } catch (error) {
      setRefusal(placeRefusal(error, ['code'], setError, apiMessages.verificationFailed));
    }
  });

  const code = register('code');
  return (
    <AuthPage
      title={authMessages.verifyTitle}
      intro={
        <>
          {authMessages.verifyIntro} <strong className={styles['address']}>{user.email}</strong>
        </>
      }
    >
      {demoCode !== null && <DemoHint code={demoCode} onUse={() => setValue('code', demoCode, { shouldValidate: true })} />}
      <AuthForm onSubmit={(event) => void submit(event)} error={refusal}>
        <Field label={authMessages.code} hint={authMessages.codeHint} error={errors.code?.message ?? errors.email?.message}>
          <TextInput
            className={styles['code']}
            inputMode="numeric"
            autoComplete="one-time-code"
            {...code}
            onChange={(event) => {
              // A pasted code may come as `123 456` or `123-456`.
              event.target.value = event.target.value.replaceAll(/\D/gu, '').slice(0, 6);
              void code.onChange(event);
            }}
          />
        </Field>
        <Button type="submit" variant="primary" busy={isSubmitting}>
          {isSubmitting ? authMessages.verifyBusy : authMessages.verifySubmit}
        </Button>
      </AuthForm>
      <Resend email={user.email} onCode={setDemoCode} />
    </AuthPage>
  );
}

/** Asks for another code, and waits as long as the server says before it can be asked again. */
function Resend({ email, onCode }: { readonly email: string; readonly onCode: (code: string | null) => void }) {
  const api = useApi();
  const host = useHost();
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const [wait_s, setWait] = useState(0);
  useEffect(() => {
    if (wait_s <= 0) return;
    const timer = setTimeout(() => setWait(wait_s - 1), 1_000);
    return () => clearTimeout(timer);
  }, [wait_s]);

  async function resend() {
    setBusy(true);
    setError(null);
    try {
      const { verificationCode } = await api.resendVerification(email);
      onCode(verificationCode ?? null);
      host.notify({ text: authMessages.resent, tone: 'success' });
    } catch (failure) {
      setError(messageOf(failure, apiMessages.resendFailed));
      if (failure instanceof ApiError && failure.retryAfter_s !== null) setWait(Math.ceil(failure.retryAfter_s));
    } finally {
      setBusy(false);
    }
  }

  return (
    <div className={styles['resend']}>
      {error !== null && <ErrorBox message={error} />}
      <Button variant="quiet" size="small" busy={isBusy} disabled={wait_s > 0} onClick={() => void resend()}>
        {isBusy ? authMessages.resendBusy : authMessages.resend}
        {wait_s > 0 && ` (${wait_s} s)`}
      </Button>
    </div>
  );
}

/** Where the product runs as a demo, its mail goes nowhere: the code is shown instead. */
function DemoHint({ code, onUse }: { readonly code: string; readonly onUse: () => void }) {
  return (
    <aside className={styles['demo']} aria-label={authMessages.demoTitle}>
      <span className={styles['demoMark']}>{authMessages.demoTitle}</span>
      <p>
        {authMessages.demoText} <strong className={styles['demoCode']}>{code}</strong>
      </p>
      <div className={styles['demoActions']}>
        <Button size="small" onClick={onUse}>
          {authMessages.demoUse}
        </Button>
        <a href="/dev/inbox">{authMessages.demoInbox}</a>
      </div>
    </aside>
  );
}
