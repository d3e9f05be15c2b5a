import { Button, classNames, ErrorBox, focusFirstError, layout, useSubmit } from '@alpenglow/ui';
import { useEffect, useRef, type FormEvent, type ReactNode } from 'react';
import type { ShownError } from './form-error.ts';
import { useText } from './text.ts';
import styles from './auth-page.module.css';

interface AuthFormProps {
  readonly onSubmit: (event: FormEvent<HTMLFormElement>) => Promise<void>;
  /** An error that belongs to no field. It is null if there is no such error. */
  readonly error: ShownError | null;
  /**
   * The number of times that the form was submitted. If given, an increase moves the focus to the first invalid field
   * on the page. Without it, `useForm` focuses the invalid field that was registered first.
   */
  readonly submitCount?: number;
  readonly children: ReactNode;
}

/**
 * A form with an error box above its fields. An error moves the focus to the box, because the disabled submit button
 * has lost the focus.
 */
export function AuthForm({ onSubmit, error, submitCount = 0, children }: AuthFormProps) {
  const t = useText();
  const form = useRef<HTMLFormElement>(null);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (error === null) return;
    box.current?.focus({ preventScroll: true });
    box.current?.scrollIntoView({ block: 'nearest' });
  }, [error]);
  useEffect(() => {
    if (submitCount > 0) focusFirstError(form.current);
  }, [submitCount]);
  return (
    // Before the scripts run, the browser itself may send the form. With `post`, the URL never contains a password.
    <form
      ref={form}
      method="post"
      className={classNames(layout['stack5'], styles['form'])}
      onSubmit={useSubmit(onSubmit)}
      noValidate
      data-needs-scripts=""
    >
      <div ref={box} tabIndex={-1} className={styles['error']}>
        {error !== null && <ErrorBox message={error.text}>{error.reason && t(error.reason)}</ErrorBox>}
      </div>
      {children}
    </form>
  );
}

interface SubmitProps {
  readonly label: string;
  readonly busyLabel: string;
  readonly isBusy: boolean;
  readonly wait_s?: number;
}

/** The submit button of a form. Its label shows the action, the progress or the remaining waiting time. */
export function SubmitButton({ label, busyLabel, isBusy, wait_s = 0 }: SubmitProps) {
  const t = useText();
  return (
    <Button type="submit" variant="primary" busy={isBusy} disabled={wait_s > 0}>
      {isBusy ? busyLabel : wait_s > 0 ? t('auth.wait', { action: label, seconds: wait_s }) : label}
    </Button>
  );
}
