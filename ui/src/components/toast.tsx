import { useCallback, useEffect, useRef, useState } from 'react';
import type { Notice } from '../host/contract.ts';
import { useUiText } from '../i18n/text.tsx';
import { CloseIcon } from '../icons/icons.tsx';
import { Button, IconButton } from './button.tsx';
import { classNames } from './class-names.ts';
import styles from './toast.module.css';

/** At most this many toasts stand at a time; a newer one takes the oldest one's place. */
export const TOASTS_MAX = 3;
export const TOAST_LIFETIME_ms = 6_000;

export interface Toast extends Notice {
  readonly id: number;
  /** How many times the same was said: a burst is one toast. */
  readonly count: number;
}

/** Adds a toast; what stands there already is counted instead, and the oldest goes when there are too many. */
export function withToast(toasts: readonly Toast[], id: number, notice: Notice): readonly Toast[] {
  const same = notice.action
    ? undefined
    : toasts.find(({ text, tone, action }) => text === notice.text && tone === notice.tone && !action);
  if (same) return [...toasts.filter((toast) => toast !== same), { ...same, count: same.count + 1 }];
  return [...toasts, { ...notice, id, count: 1 }].slice(-TOASTS_MAX);
}

/** The shell's toasts: `notify` is what remotes get as `host.notify`. */
export function useToasts() {
  const [toasts, setToasts] = useState<readonly Toast[]>([]);
  const nextId = useRef(1);
  const notify = useCallback((notice: Notice) => {
    const id = nextId.current++;
    setToasts((current) => withToast(current, id, notice));
  }, []);
  const dismiss = useCallback((id: number) => {
    setToasts((current) => current.filter((toast) => toast.id !== id));
  }, []);
  return { toasts, notify, dismiss };
}

export interface ToastRegionProps {
  readonly toasts: readonly Toast[];
  readonly onDismiss: (id: number) => void;
}

/** Stands once in the shell, always in the page, so that screen readers speak what appears in it. */
export function ToastRegion({ toasts, onDismiss }: ToastRegionProps) {
  const t = useUiText();
  return (
    <section aria-label={t('ui.notifications')}>
      <div role="status" className={styles['region']}>
        {toasts.map((toast) => (
          <ToastItem key={toast.id} toast={toast} onDismiss={onDismiss} />
        ))}
      </div>
    </section>
  );
}

/** Goes by itself after its lifetime, but not while it is pointed at or holds the focus. */
function ToastItem({ toast, onDismiss }: { readonly toast: Toast; readonly onDismiss: (id: number) => void }) {
  const t = useUiText();
  const [held, setHeld] = useState(false);
  useEffect(() => {
    if (held) return;
    const timer = setTimeout(() => onDismiss(toast.id), TOAST_LIFETIME_ms);
    return () => clearTimeout(timer);
  }, [held, onDismiss, toast.id, toast.count]);

  return (
    <div
      className={classNames(styles['toast'], toast.tone && styles[toast.tone])}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <span className={styles['dot']} aria-hidden="true" />
      <span>
        {toast.text}
        {toast.count > 1 && (
          <>
            {' '}
            <span className={styles['count']}>{t('ui.times', { count: toast.count })}</span>
          </>
        )}
      </span>
      {toast.action && (
        <Button
          size="small"
          variant="quiet"
          onClick={() => {
            onDismiss(toast.id);
            toast.action?.run();
          }}
        >
          {toast.action.label}
        </Button>
      )}
      <IconButton label={t('ui.dismiss')} onClick={() => onDismiss(toast.id)}>
        <CloseIcon />
      </IconButton>
    </div>
  );
}
