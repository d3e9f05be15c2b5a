import { Button, LinkIcon } from '@alpenglow/ui';
import type { ReactNode } from 'react';
import { useText } from './text.ts';
import { DEMO_INBOX } from './demo-inbox.ts';
import styles from './demo-hint.module.css';

/** Shows the verification code in a demo installation, because that installation sends no mail. */
export function DemoCode({ code, onUse }: { readonly code: string; readonly onUse: () => void }) {
  const t = useText();
  return (
    <DemoHint
      action={
        <Button size="small" onClick={onUse}>
          {t('auth.demoUse')}
        </Button>
      }
    >
      {t('auth.demoText')} <strong className={styles['code']}>{code}</strong>
    </DemoHint>
  );
}

/**
 * Links to the demo inbox, which shows the mail with the code. It is used if the API response contains no code, because
 * a code would reveal that the account exists.
 */
export function DemoInboxHint() {
  const t = useText();
  return <DemoHint>{t('auth.demoMail')}</DemoHint>;
}

function DemoHint({ action, children }: { readonly action?: ReactNode; readonly children: ReactNode }) {
  const t = useText();
  return (
    <section className={styles['demo']} aria-label={t('auth.demoTitle')}>
      <span className={styles['mark']}>{t('auth.demoTitle')}</span>
      <p>{children}</p>
      <div className={styles['actions']}>
        {action}
        {/* The link opens in a new tab, so that this page does not lose the entered values. */}
        <a href={DEMO_INBOX} target="_blank" rel="noopener" className={styles['inbox']}>
          {t('auth.demoInbox')}
          <LinkIcon />
        </a>
      </div>
    </section>
  );
}
