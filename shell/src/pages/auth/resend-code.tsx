import { Button, ErrorBox, messageOf, useHost } from '@alpenglow/ui';
import { useState } from 'react';
import { useText } from './text.ts';
import { findFailureReason } from './failure-reason.ts';
import { getRetryAfter_s } from './form-error.ts';
import { useCountdown } from './use-countdown.ts';
import styles from './resend-code.module.css';

interface ResendCodeProps {
  /** Requests another code from the server. Resolves to false if no request was made. */
  readonly send: () => Promise<boolean>;
  readonly sent: string;
  /** The message that is shown if the error has no message. */
  readonly failed: string;
  /** Minimum time between two codes in seconds, which the server defines. */
  readonly wait_s: number;
  readonly isJustSent?: boolean;
}

/**
 * A button that requests another code. It is disabled for `wait_s` after a code was sent. After a rate limit error, it
 * is disabled for the time that the server demands.
 */
export function ResendCode({ send, sent, failed, wait_s, isJustSent = false }: ResendCodeProps) {
  const t = useText();
  const host = useHost();
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const { left_s, start } = useCountdown(isJustSent ? wait_s : 0);

  async function resend() {
    setBusy(true);
    setError(null);
    try {
      if (!(await send())) return;
      host.notify({ text: sent, tone: 'success' });
      start(wait_s);
    } catch (failure) {
      setError(failure);
      const wait = getRetryAfter_s(failure);
      if (wait !== null) start(wait);
    } finally {
      setBusy(false);
    }
  }

  const reason = findFailureReason(error);
  return (
    <div className={styles['resend']}>
      {error !== null && <ErrorBox message={messageOf(error, failed)}>{reason && t(reason)}</ErrorBox>}
      <Button variant="quiet" size="small" busy={isBusy} disabled={left_s > 0} onClick={() => void resend()}>
        {isBusy
          ? t('auth.resendBusy')
          : left_s > 0
            ? t('auth.wait', { action: t('auth.resend'), seconds: left_s })
            : t('auth.resend')}
      </Button>
    </div>
  );
}
