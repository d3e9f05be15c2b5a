import type { ReactNode } from 'react';
import type { UserView } from '@alpenglow/domain/contracts';
import { EmptyState, LinkButton, Page, PageHeading, useHost } from '@alpenglow/ui';
import { useText } from '../text.ts';
import note from './note.module.css';
import styles from './own-page.module.css';

export interface OwnPageProps {
  readonly title: string;
  readonly lead?: (user: UserView) => string;
  readonly children: (user: UserView) => ReactNode;
}

/** A page about the signed-in user. The shell sends others to the login; until the session is known, or standing alone, there is nothing to show. */
export function OwnPage({ title, lead, children }: OwnPageProps) {
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

/** For pages of providers that a client has come to. */
export function ProvidersOnly() {
  const t = useText();
  return (
    <EmptyState
      title={t('providersOnlyTitle')}
      actions={
        <LinkButton to="/listings" variant="primary">
          {t('common.browse')}
        </LinkButton>
      }
    >
      <p>{t('providersOnlyText')}</p>
    </EmptyState>
  );
}

/** Says that the e-mail address is to be confirmed, and where. */
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
