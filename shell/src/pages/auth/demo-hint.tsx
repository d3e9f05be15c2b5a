import { Button, LinkIcon } from '@alpenglow/ui';
import type { ReactNode } from 'react';
import { useText } from '../../text.ts';
import { DEMO_INBOX } from './demo-inbox.ts';
import styles from './demo-hint.module.css';

/** Where the product runs as a demo, its mail goes nowhere: the code is shown instead. */
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

/** The same where the code itself is not known, because the answer must not tell whether there is one. */
export function DemoMail() {
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
        {/* Beside this page, which keeps what was entered. */}
        <a href={DEMO_INBOX} target="_blank" rel="noopener" className={styles['inbox']}>
          {t('auth.demoInbox')}
          <LinkIcon />
        </a>
      </div>
    </section>
  );
}
