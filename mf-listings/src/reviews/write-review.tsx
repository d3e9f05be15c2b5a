import { useState } from 'react';
import { useLocation } from 'react-router-dom';
import { Button, LinkButton, useHost } from '@alpenglow/ui';
import { useText as useListingsText } from '../text.ts';
import { useText } from './text.ts';
import { ReviewForm } from './lazy-parts.tsx';
import styles from './reviews.module.css';

interface WriteReviewProps {
  readonly adId: string;
  /** Called when the client opens the form. */
  readonly onStart: () => void;
  readonly onSent: () => void;
}

/**
 * Shows the review form to accounts that may write a review. All other visitors see what is required for a review. The
 * server checks the requirements again.
 */
export function WriteReview({ adId, onStart, onSent }: WriteReviewProps) {
  const t = useText();
  const listingsText = useListingsText();
  const { session } = useHost();
  const { pathname } = useLocation();
  const [isWriting, setWriting] = useState(false);

  if (session.state === 'unknown') return null;
  const user = session.state === 'authenticated' ? session.user : null;
  if (user?.isProvider) return <p className={styles['none']}>{t('reviewOnlyClients')}</p>;
  if (!user?.isEmailVerified) {
    return (
      <div className={styles['invitation']}>
        <p>{t(user ? 'reviewOnlyClients' : 'reviewGuests')}</p>
        <LinkButton to={user ? '/verify-email' : '/login'} state={{ from: pathname }} size="small">
          {user ? listingsText('verifyEmail') : t('common.login')}
        </LinkButton>
      </div>
    );
  }
  if (isWriting)
    return <ReviewForm adId={adId} displayName={user.displayName} onSent={onSent} onCancel={() => setWriting(false)} />;
  return (
    <div>
      <Button
        onClick={() => {
          onStart();
          setWriting(true);
        }}
      >
        {t('reviewWrite')}
      </Button>
    </div>
  );
}
