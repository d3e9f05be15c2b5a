import { classNames, layout, Page, PageHeading, Ridge, useIsHydrated } from '@alpenglow/ui';
import type { ReactNode } from 'react';
import { Link, useLocation } from 'react-router-dom';
import { sessionStore } from '../../session/session.ts';
import { useText } from './text.ts';
import styles from './auth-page.module.css';

interface AuthPageProps {
  readonly title: string;
  readonly intro: ReactNode;
  /** True if the visitor was redirected from a page that requires an account. */
  readonly accountRequired?: boolean;
  readonly children: ReactNode;
}

/**
 * The layout of login, sign-up and similar pages: a card with a form and a decorative panel. On phones, the panel is
 * above the form.
 */
export function AuthPage({ title, intro, accountRequired = false, children }: AuthPageProps) {
  // The server does not know whether the visitor was redirected.
  const isHydrated = useIsHydrated();
  return (
    <Page className={styles['page']}>
      <div className={styles['card']}>
        <Panel />
        <div className={styles['column']}>
          {accountRequired && isHydrated && <AccountRequired />}
          <header>
            <PageHeading documentTitle={title} className={styles['title']}>
              {title}
            </PageHeading>
            <p className={styles['intro']}>{intro}</p>
          </header>
          {children}
        </div>
      </div>
    </Page>
  );
}

function Panel() {
  const t = useText();
  return (
    <aside className={styles['panel']}>
      <Ridge className={styles['sky']} />
      <div className={styles['promise']}>
        <strong>{t('auth.panelTitle')}</strong>
        <ul role="list">
          <li>{t('auth.panel.1')}</li>
          <li>{t('auth.panel.2')}</li>
          <li>{t('auth.panel.3')}</li>
        </ul>
      </div>
    </aside>
  );
}

function AccountRequired() {
  const t = useText();
  const state: unknown = useLocation().state;
  return (
    <section className={styles['required']} aria-label={t('auth.accountRequired')}>
      <strong>{t('auth.accountRequired')}</strong>
      <p>{t(sessionStore.hasEnded ? 'auth.sessionEnded' : 'auth.accountRequiredText')}</p>
      <p className={styles['ways']}>
        <Link to="/login" state={state}>
          {t('common.login')}
        </Link>
        <Link to="/signup" state={state}>
          {t('common.signUp')}
        </Link>
      </p>
    </section>
  );
}

/** A button in a sentence that looks like a link. It does more than open a page. */
export function TextButton({ onClick, children }: { readonly onClick: () => void; readonly children?: ReactNode }) {
  return (
    <button type="button" className={styles['textButton']} onClick={onClick}>
      {children}
    </button>
  );
}

/** A link below the form to another page, for example from the login to the sign-up. */
export function AuthAlternative({ children }: { readonly children: ReactNode }) {
  return <p className={classNames(layout['muted'], styles['other'])}>{children}</p>;
}
