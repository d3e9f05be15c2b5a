import type { ReactNode } from 'react';
import type { UserView } from '@alpenglow/domain/contracts';
import { EmptyState, LinkButton, Page, PageHeading, useHost } from '@alpenglow/ui';
import { useText } from '../text.ts';
import note from './note.module.css';
import styles from './own-page.module.css';

export interface AccountPageProps {
  readonly title: string;
  readonly lead?: (user: UserView) => string;
  readonly children: (user: UserView) => ReactNode;
}

/**
 * A page about the signed-in user. The surrounding page (the shell) redirects all other visitors to the login. The
 * content is empty until the session has loaded.
 */
export function AccountPage({ title, lead, children }: AccountPageProps) {
  const t = useText();
  const { session } = useHost();
  if (session.state !== 'authenticated') {
    return (
      <Page>
        <PageHeading documentTitle={title}>{title}</PageHeading>
        {session.state === 'anonymous' && <LinkButton to="/login">{t('common.login')}</LinkButton>}
      </Page>
    );
  }
  const { user } = session;
  return (
    <Page>
      <div className={styles['head']}>
        <PageHeading documentTitle={title}>{title}</PageHeading>
        {lead && <p>{lead(user)}</p>}
      </div>
      {children(user)}
    </Page>
  );
}

/** The content that a client sees on a page for providers. */
export function ProvidersOnly() {
  const t = useText();
  return (
    <EmptyState title={t('providersOnlyTitle')} link={{ to: '/listings', text: t('common.browse') }}>
      <p>{t('providersOnlyText')}</p>
    </EmptyState>
  );
}

/** A note for users who have not verified their e-mail address. It links to the page for the verification. */
export function UnverifiedNote({ user }: { readonly user: UserView }) {
  const t = useText();
  if (user.isEmailVerified) return null;
  return (
    <div className={note['note']}>
      <p>{t('unverified')}</p>
      <LinkButton to="/verify-email" variant="primary" size="small">
        {t('verifyEmail')}
      </LinkButton>
    </div>
  );
}
