import type { ReactNode } from 'react';
import { Card, commonMessages, LinkButton, postAdMessages as text } from '@alpenglow/ui';
import styles from './notices.module.css';

function Notice({ title, children, actions }: { readonly title?: string; readonly children: ReactNode; readonly actions?: ReactNode }) {
  return (
    <Card className={styles['notice']}>
      {title !== undefined && <h2>{title}</h2>}
      <p>{children}</p>
      {actions != null && <div className={styles['actions']}>{actions}</div>}
    </Card>
  );
}

export function AccountRequired() {
  return (
    <Notice
      title={text.accountRequired}
      actions={
        <>
          <LinkButton to="/login">{commonMessages.login}</LinkButton>
          <LinkButton to="/signup" variant="primary">
            {commonMessages.signUp}
          </LinkButton>
        </>
      }
    >
      {text.accountRequiredText}
    </Notice>
  );
}

export function AlreadyPosted({ adId }: { readonly adId: string | null }) {
  return (
    <Notice
      title={text.alreadyPosted}
      actions={
        <>
          <LinkButton to={adId === null ? '/profile' : `/ad/${adId}`} variant="primary">
            {text.viewMyAd}
          </LinkButton>
          <LinkButton to="/profile">{text.goToProfile}</LinkButton>
        </>
      }
    >
      {text.alreadyVisible}
    </Notice>
  );
}

export function ProvidersOnly() {
  return (
    <Notice title={text.providersOnly} actions={<LinkButton to="/listings">{commonMessages.browse}</LinkButton>}>
      {text.providersOnlyText}
    </Notice>
  );
}

export function Unverified() {
  return (
    <Notice
      actions={
        <LinkButton to="/verify-email" variant="primary" size="small">
          {text.verifyEmail}
        </LinkButton>
      }
    >
      {text.unverified}
    </Notice>
  );
}
