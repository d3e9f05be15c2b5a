import type { ReactNode } from 'react';
import { useLocation } from 'react-router-dom';
import { LinkButton, useHost } from '@alpenglow/ui';
import { useText } from '../text.ts';
import styles from './write.module.css';

/** What is inside for verified members; everybody else is told how to become one, with the way back here. */
export function MayWrite({ children }: { readonly children: ReactNode }) {
  const t = useText();
  const { session } = useHost();
  const { pathname, search } = useLocation();
  const from = { from: `${pathname}${search}` };
  if (session.state === 'unknown') return null;
  if (session.state === 'anonymous') {
    return (
      <div className={styles['invitation']}>
        <p>{t('community.loginToWrite')}</p>
        <div className={styles['row']}>
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
  return children;
}
