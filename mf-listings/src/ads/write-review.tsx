import { useEffect, useRef, useState } from 'react';
import { useLocation } from 'react-router-dom';
import { Button, LinkButton, useHost } from '@alpenglow/ui';
import { useText } from '../text.ts';
import { ReviewForm } from './review-form.tsx';
import styles from './reviews.module.css';

/** The form for those who may review, and for everybody else how they can. The server decides (specification, section 6; decision on reviews). */
export function WriteReview({ adId }: { readonly adId: string }) {
  const t = useText();
  const { session } = useHost();
  const { pathname } = useLocation();
  const [step, setStep] = useState<'asked' | 'writing' | 'sent'>('asked');
  const thanks = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    // The form with the focus in it is gone.
    if (step === 'sent') thanks.current?.focus();
  }, [step]);

  if (session.state === 'unknown') return null;
  if (session.state === 'anonymous') {
    return (
      <div className={styles['invitation']}>
        <p>{t('reviewGuests')}</p>
        <LinkButton to="/login" state={{ from: pathname }} size="small">
          {t('common.login')}
        </LinkButton>
      </div>
    );
  }
  const { user } = session;
  if (user.isProvider) return <p className={styles['none']}>{t('reviewOnlyClients')}</p>;
  if (!user.isEmailVerified) {
    return (
      <div className={styles['invitation']}>
        <p>{t('reviewOnlyClients')}</p>
        <LinkButton to="/verify-email" state={{ from: pathname }} size="small">
          {t('verifyEmail')}
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
        onCancel={() => setStep('asked')}
      />
    );
  return (
    <div>
      <Button onClick={() => setStep('writing')}>{t('reviewWrite')}</Button>
    </div>
  );
}
