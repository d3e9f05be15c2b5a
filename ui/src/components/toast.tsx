import { useCallback, useEffect, useRef, useState } from 'react';
import type { Notice } from '../host/contract.ts';
import { useUiText } from '../i18n/text.tsx';
import { CloseIcon } from '../icons/icons.tsx';
import { IconButton } from './button.tsx';
import { classNames } from './class-names.ts';
import styles from './toast.module.css';

/** At most this many toasts stand at a time; a newer one takes the oldest one's place. */
export const TOASTS_MAX = 3;
export const TOAST_LIFETIME_ms = 6_000;

export interface Toast extends Notice {
  readonly id: number;
}

/** Adds a toast; the oldest goes when there are too many. */
export function withToast(toasts: readonly Toast[], toast: Toast): readonly Toast[] {
  return [...toasts, toast].slice(-TOASTS_MAX);
}

/** The shell's toasts: `notify` is what remotes get as `host.notify`. */
export function useToasts() {
  const [toasts, setToasts] = useState<readonly Toast[]>([]);
  const nextId = useRef(1);
  const notify = useCallback((notice: Notice) => {
    const id = nextId.current++;
    setToasts((current) => withToast(current, { ...notice, id }));
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
  }, [held, onDismiss, toast.id]);

  return (
    <div
      className={classNames(styles['toast'], toast.tone && styles[toast.tone])}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <span className={styles['dot']} aria-hidden="true" />
      <span>{toast.text}</span>
      <IconButton label={t('ui.dismiss')} onClick={() => onDismiss(toast.id)}>
        <CloseIcon />
      </IconButton>
    </div>
  );
}
