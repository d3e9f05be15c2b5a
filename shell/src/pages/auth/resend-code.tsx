import { Button, ErrorBox, messageOf, useHost } from '@alpenglow/ui';
import { useState } from 'react';
import { useText } from '../../text.ts';
import { waitAfter } from './refusal.ts';
import { useCountdown } from './use-countdown.ts';
import styles from './resend-code.module.css';

interface ResendCodeProps {
  /** Asks the server for another code; answers whether it was asked. */
  readonly send: () => Promise<boolean>;
  /** What is said once it was. */
  readonly sent: string;
  /** What is said of a failure that brought no words of its own. */
  readonly failed: string;
  /** How long the server wants between two codes, in seconds. */
  readonly wait_s: number;
  /** Whether a code has only just been sent. */
  readonly isJustSent?: boolean;
}

/** Asks for another code, and waits before it can be asked again: after a code, and as long as the server says after a refusal. */
export function ResendCode({ send, sent, failed, wait_s, isJustSent = false }: ResendCodeProps) {
  const t = useText();
  const host = useHost();
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const { left_s, start } = useCountdown(isJustSent ? wait_s : 0);

  async function resend() {
    setBusy(true);
    setError(null);
    try {
      if (!(await send())) return;
      host.notify({ text: sent, tone: 'success' });
      start(wait_s);
    } catch (failure) {
      setError(messageOf(failure, failed));
      const wait = waitAfter(failure);
      if (wait !== null) start(wait);
    } finally {
      setBusy(false);
    }
  }

  return (
    <div className={styles['resend']}>
      {error !== null && <ErrorBox message={error} />}
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
