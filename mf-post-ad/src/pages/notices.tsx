import type { ComponentProps, ReactNode } from 'react';
import { Button, Card, DraftNote as Note, LinkButton } from '@alpenglow/ui';
import { useLocation } from 'react-router-dom';
import { useText } from '../text.ts';
import styles from './notices.module.css';

function Notice(props: { readonly title?: string; readonly children: ReactNode; readonly actions?: ReactNode }) {
  const { title, children, actions } = props;
  return (
    <Card className={styles['notice']}>
      {title !== undefined && <h2>{title}</h2>}
      <p>{children}</p>
      {actions != null && <div className={styles['actions']}>{actions}</div>}
    </Card>
  );
}

/** A notice that an account is required. `hasEnded` is true if the visitor was signed in before. */
export function AccountRequired({ hasEnded }: { readonly hasEnded: boolean }) {
  const t = useText();
  const { pathname } = useLocation();
  // The visitor returns to this page after a login or a sign-up.
  const state = { from: pathname };
  return (
    <Notice
      title={t('accountRequired')}
      actions={
        <>
          <LinkButton to="/login" state={state} variant={hasEnded ? 'primary' : 'secondary'}>
            {t('common.login')}
          </LinkButton>
          <LinkButton to="/signup" state={state} variant={hasEnded ? 'secondary' : 'primary'}>
            {t('common.signUp')}
          </LinkButton>
        </>
      }
    >
      {t(hasEnded ? 'sessionEndedText' : 'accountRequiredText')}
    </Notice>
  );
}

export function AlreadyPosted({ adId }: { readonly adId: string | null }) {
  const t = useText();
  return (
    <Notice
      title={t('alreadyPosted')}
      actions={
        <>
          <LinkButton to={adId === null ? '/profile' : `/ad/${adId}`} variant="primary">
            {t('viewMyAd')}
          </LinkButton>
          <LinkButton to="/profile">{t('goToProfile')}</LinkButton>
        </>
      }
    >
      {t('alreadyVisible')}
    </Notice>
  );
}

export function ProvidersOnly() {
  const t = useText();
  return (
    <Notice title={t('providersOnly')} actions={<LinkButton to="/listings">{t('common.browse')}</LinkButton>}>
      {t('providersOnlyText')}
    </Notice>
  );
}

export function EmailUnverified() {
  const t = useText();
  return (
    <Notice
      actions={
        <LinkButton to="/verify-email" variant="primary" size="small">
          {t('verifyEmail')}
        </LinkButton>
      }
    >
      {t('unverified')}
    </Notice>
  );
}

/** A note above the form that this browser stores a draft of the form. */
export function DraftNote(props: ComponentProps<typeof Note>) {
  return (
    <div className={styles['draft']}>
      <Note {...props} />
    </div>
  );
}

export function DiscardDraft({ onDiscard }: { readonly onDiscard: () => void }) {
  const t = useText();
  return (
    <Button size="small" onClick={onDiscard}>
      {t('discardDraft')}
    </Button>
  );
}
