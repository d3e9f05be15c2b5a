import type { ReactNode } from 'react';
import type { UserView } from '@alpenglow/domain/contracts';
import { LinkButton, Page, PageHeading, useHost } from '@alpenglow/ui';
import { useText } from '../text.ts';
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
