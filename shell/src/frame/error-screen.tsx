import { Button, LogoMark } from '@alpenglow/ui';
import { useEffect, useRef } from 'react';
import { describeError } from '../reports/describe-error.ts';
import { sessionStore } from '../session/session.ts';
import { useText } from '../text.ts';
import styles from './screens.module.css';

/** The page that is shown after an error in the code of the shell. */
export function ErrorScreen({ error }: { readonly error: unknown }) {
  const t = useText();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <main className={styles['screen']}>
      <LogoMark size={40} />
      <h1 ref={heading} tabIndex={-1}>
        {t('common.applicationError')}
      </h1>
      <p role="alert" className={styles['detail']}>
        {t('common.pageCrashed')}
        <br />
        {describeError(error, sessionStore.current())}
      </p>
      <Button variant="primary" onClick={() => location.reload()}>
        {t('reload')}
      </Button>
    </main>
  );
}
