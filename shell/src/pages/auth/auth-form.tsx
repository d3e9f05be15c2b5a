import { Button, ErrorBox } from '@alpenglow/ui';
import { useEffect, useRef, type FormEventHandler, type ReactNode } from 'react';
import { useText } from '../../text.ts';
import styles from './auth-page.module.css';

interface AuthFormProps {
  readonly onSubmit: FormEventHandler<HTMLFormElement>;
  /** A refusal that belongs to no field; null when there is none. */
  readonly error: string | null;
  readonly children: ReactNode;
}

/** A form with its red box above the fields. The box takes the focus, because the button that was pressed has lost it while it was busy. */
export function AuthForm({ onSubmit, error, children }: AuthFormProps) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (error === null) return;
    box.current?.focus({ preventScroll: true });
    box.current?.scrollIntoView({ block: 'nearest' });
  }, [error]);
  return (
    <form className={styles['form']} onSubmit={onSubmit} noValidate>
      <div ref={box} tabIndex={-1} className={styles['refusal']}>
        {error !== null && <ErrorBox message={error} />}
      </div>
      {children}
    </form>
  );
}

interface SubmitProps {
  readonly label: string;
  readonly busyLabel: string;
  readonly isBusy: boolean;
  /** Seconds to go before it can be pressed again. */
  readonly wait_s?: number;
}

/** The form's main button: says what it does, what it is doing, or how long it has to wait. */
export function Submit({ label, busyLabel, isBusy, wait_s = 0 }: SubmitProps) {
  const t = useText();
  return (
    <Button type="submit" variant="primary" busy={isBusy} disabled={wait_s > 0}>
      {isBusy ? busyLabel : wait_s > 0 ? t('auth.wait', { action: label, seconds: wait_s }) : label}
    </Button>
  );
}
