import type { ReactNode } from 'react';
import { useLocation } from 'react-router-dom';
import { getMinutesLeft, NEW_ACCOUNT_WAIT_ms } from '@alpenglow/domain/contracts';
import { classNames, layout, LinkButton, useHost, useNow } from '@alpenglow/ui';
import { useText } from '../text.ts';
import styles from './write.module.css';

/**
 * Renders the children for members with a verified e-mail address. Other visitors get links to sign in or to verify
 * their address. Afterwards, these pages lead back to this page.
 */
export function VerifiedOnly({ children }: { readonly children: ReactNode }) {
  const t = useText();
  const { session } = useHost();
  const { pathname, search } = useLocation();
  const from = { from: `${pathname}${search}` };
  if (session.state === 'unknown') return null;
  if (session.state === 'anonymous') {
    return (
      <div className={styles['invitation']}>
        <p>{t('community.loginToWrite')}</p>
        <div className={classNames(layout['row3'], layout['centered'])}>
          <LinkButton to="/login" state={from} size="small" variant="primary">
            {t('common.login')}
          </LinkButton>
          <LinkButton to="/signup" state={from} size="small">
            {t('common.signUp')}
          </LinkButton>
        </div>
      </div>
    );
  }
  if (!session.user.isEmailVerified) {
    return (
      <div className={styles['invitation']}>
        <p>{t('community.verifyToWrite')}</p>
        <LinkButton to="/verify-email" state={from} size="small" variant="primary">
          {t('community.verify')}
        </LinkButton>
      </div>
    );
  }
  return (
    <>
      <WaitNote writesFrom={session.user.writesFrom} />
      {children}
    </>
  );
}

/**
 * Announces how long a new account still has to wait before it may write. The note counts down. It is no live
 * region, so that a screen reader does not interrupt the writer every minute.
 */
function WaitNote({ writesFrom }: { readonly writesFrom: string | undefined }) {
  const t = useText();
  const minutes = getMinutesLeft(writesFrom ?? null, useNow(), NEW_ACCOUNT_WAIT_ms);
  return minutes === 0 ? null : <p className={styles['wait']}>{t('community.waitToWrite', { minutes })}</p>;
}
