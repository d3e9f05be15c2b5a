import type { ReactNode } from 'react';
import { Button, Card, LinkButton, TimeAgo } from '@alpenglow/ui';
import { useLocation } from 'react-router-dom';
import { useText } from '../text.ts';
import styles from './notices.module.css';

function Notice({
  title,
  children,
  actions,
}: {
  readonly title?: string;
  readonly children: ReactNode;
  readonly actions?: ReactNode;
}) {
  return (
    <Card className={styles['notice']}>
      {title !== undefined && <h2>{title}</h2>}
      <p>{children}</p>
      {actions != null && <div className={styles['actions']}>{actions}</div>}
    </Card>
  );
}

/** For those who are not logged in. `hasEnded`: they were, a moment ago. */
export function AccountRequired({ hasEnded }: { readonly hasEnded: boolean }) {
  const t = useText();
  const { pathname } = useLocation();
  // Login and sign-up come back to here.
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

export function Unverified() {
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

export interface DraftNoteProps {
  readonly title: string;
  readonly savedAt_ms: number;
  /** What else there is to know. */
  readonly children: ReactNode;
  readonly actions: ReactNode;
}

/** Says that this browser has kept what was written before. */
export function DraftNote({ title, savedAt_ms, children, actions }: DraftNoteProps) {
  return (
    <div role="status" className={styles['draft']}>
      <p>
        <strong>{title}</strong> · <TimeAgo at={new Date(savedAt_ms).toISOString()} />
        <br />
        {children}
      </p>
      <div className={styles['actions']}>{actions}</div>
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
