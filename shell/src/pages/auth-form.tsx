import { ErrorBox, Page, PageHeading } from '@alpenglow/ui';
import { useEffect, useRef, type FormEventHandler, type ReactNode } from 'react';
import { Link, useLocation } from 'react-router-dom';
import { messages } from '../messages.ts';
import { authMessages } from './auth-messages.ts';
import styles from './auth-form.module.css';

interface AuthPageProps {
  readonly title: string;
  readonly intro: ReactNode;
  /** The visitor wanted a page that needs an account. */
  readonly accountRequired?: boolean;
  readonly children: ReactNode;
}

/** One column with a heading; under it a form. */
export function AuthPage({ title, intro, accountRequired = false, children }: AuthPageProps) {
  const state: unknown = useLocation().state;
  return (
    <Page narrow className={styles['page']}>
      {accountRequired && (
        <aside className={styles['required']}>
          <strong>{authMessages.accountRequired}</strong>
          <p>{authMessages.accountRequiredText}</p>
          <p className={styles['ways']}>
            <Link to="/login" state={state}>
              {messages.login}
            </Link>
            <Link to="/signup" state={state}>
              {messages.signUp}
            </Link>
          </p>
        </aside>
      )}
      <header>
        <PageHeading documentTitle={title}>{title}</PageHeading>
        <p className={styles['intro']}>{intro}</p>
      </header>
      {children}
    </Page>
  );
}

interface AuthFormProps {
  readonly onSubmit: FormEventHandler<HTMLFormElement>;
  /** A refusal that belongs to no field; null when there is none. */
  readonly error: string | null;
  readonly children: ReactNode;
}

export function AuthForm({ onSubmit, error, children }: AuthFormProps) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (error !== null) box.current?.scrollIntoView({ block: 'nearest' });
  }, [error]);
  return (
    <form className={styles['form']} onSubmit={onSubmit} noValidate>
      <div ref={box}>{error !== null && <ErrorBox message={error} />}</div>
      {children}
    </form>
  );
}

/** Below a form: the other way. */
export function AuthOther({ children }: { readonly children: ReactNode }) {
  return <p className={styles['other']}>{children}</p>;
}
