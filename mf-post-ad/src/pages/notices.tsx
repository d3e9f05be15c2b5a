import type { ComponentProps, ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { AdCard, StatementView } from '@alpenglow/domain/contracts';
import { Button, Card, DraftNote as Note, LinkButton, useApi, useLocale, useUser } from '@alpenglow/ui';
import { useLocation } from 'react-router-dom';
import { useText } from '../text.ts';
import { findHidingDecision } from './hiding-decision.ts';
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

/** A notice that the user already has an ad. Says whether moderation hides this ad, and why. */
export function AlreadyPosted({ ad }: { readonly ad: Pick<AdCard, 'id' | 'status'> }) {
  const t = useText();
  const isHidden = ad.status === 'hidden';
  const decision = useHidingDecision(isHidden ? ad.id : null);
  return (
    <Notice
      title={t('alreadyPosted')}
      actions={
        <>
          {isHidden && (
            <LinkButton
              to={decision ? `/account/decisions/${encodeURIComponent(decision.id)}` : '/account/decisions'}
              variant="primary"
            >
              {t('hiddenReasons')}
            </LinkButton>
          )}
          <LinkButton to={`/ad/${ad.id}`} variant={isHidden ? 'secondary' : 'primary'}>
            {t('viewMyAd')}
          </LinkButton>
          <LinkButton to="/profile">{t('goToProfile')}</LinkButton>
        </>
      }
    >
      {isHidden ? <HiddenState decision={decision} /> : t('alreadyVisible')}
    </Notice>
  );
}

/** A notice above the form that moderation hides the ad that is edited. */
export function EditsHiddenAd() {
  const t = useText();
  return (
    <Notice
      actions={
        <LinkButton to="/account/decisions" size="small">
          {t('hiddenReasons')}
        </LinkButton>
      }
    >
      {t('editHidden')}
    </Notice>
  );
}

function HiddenState({ decision }: { readonly decision: StatementView | null }) {
  const t = useText();
  const locale = useLocale();
  const until = decision?.appealableUntil ?? null;
  const formatDate = (at: string) => new Date(at).toLocaleDateString(locale, { dateStyle: 'long' });
  return (
    <>
      <strong>{t('hiddenTitle')}</strong>
      <br />
      {t('hiddenText')}
      {decision !== null && (
        <>
          <br />
          {decision.isAutomated && decision.hidingRuleId === null
            ? t('hiddenByReport')
            : t('hiddenWhy', { facts: decision.facts })}
        </>
      )}
      {until !== null && ` ${t('hiddenAppeal', { date: formatDate(until) })}`}
    </>
  );
}

/** Returns the newest decision that hides an ad of the user. Returns null until it is loaded, and for a null id. */
function useHidingDecision(adId: string | null): StatementView | null {
  const api = useApi();
  const user = useUser();
  const decisions = useQuery({
    queryKey: ['decisions', user?.id, 'of-hidden-ad'],
    queryFn: ({ signal }) => api.requestWithToken<'listDecisions'>({ path: '/account/decisions', signal }),
    enabled: adId !== null && user !== null,
  });
  return adId === null ? null : findHidingDecision(decisions.data?.data ?? [], adId);
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
