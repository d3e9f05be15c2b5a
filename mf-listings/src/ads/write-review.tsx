import { useEffect, useRef, useState } from 'react';
import { useLocation } from 'react-router-dom';
import { Button, LinkButton, useHost } from '@alpenglow/ui';
import { useText } from '../text.ts';
import { ReviewForm } from './review-form.tsx';
import styles from './reviews.module.css';

/**
 * Shows the review form to accounts that may write a review. All other visitors see what is required for a review. The
 * server checks the requirements again.
 */
export function WriteReview({ adId }: { readonly adId: string }) {
  const t = useText();
  const { session } = useHost();
  const { pathname } = useLocation();
  const [step, setStep] = useState<'idle' | 'writing' | 'sent'>('idle');
  const thanks = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    // The form no longer exists, so the focus moves to the message of thanks.
    if (step === 'sent') thanks.current?.focus();
  }, [step]);

  if (session.state === 'unknown') return null;
  const user = session.state === 'authenticated' ? session.user : null;
  if (user?.isProvider) return <p className={styles['none']}>{t('reviewOnlyClients')}</p>;
  if (!user?.isEmailVerified) {
    return (
      <div className={styles['invitation']}>
        <p>{t(user ? 'reviewOnlyClients' : 'reviewGuests')}</p>
        <LinkButton to={user ? '/verify-email' : '/login'} state={{ from: pathname }} size="small">
          {t(user ? 'verifyEmail' : 'common.login')}
        </LinkButton>
      </div>
    );
  }
  if (step === 'sent') {
    return (
      <p ref={thanks} tabIndex={-1} role="status" className={styles['thanks']}>
        {t('reviewThanks')}
      </p>
    );
  }
  if (step === 'writing')
    return (
      <ReviewForm
        adId={adId}
        displayName={user.displayName}
        onSent={() => setStep('sent')}
        onCancel={() => setStep('idle')}
      />
    );
  return (
    <div>
      <Button onClick={() => setStep('writing')}>{t('reviewWrite')}</Button>
    </div>
  );
}
