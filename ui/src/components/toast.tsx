import { useCallback, useEffect, useRef, useState, type ReactNode } from 'react';
import type { Notice } from '../host/contract.ts';
import { useUiText } from '../i18n/text.tsx';
import { CloseIcon } from '../icons/icons.tsx';
import { Button, IconButton } from './button.tsx';
import { classNames } from './class-names.ts';
import layout from './layout.module.css';
import styles from './toast.module.css';

/** Maximum number of visible toasts, which are short messages. A new toast replaces the oldest one. */
export const TOASTS_MAX = 3;
const TOAST_LIFETIME_ms = 6_000;
/** The lifetime of a toast with the reference of a request, so that visitors can copy it. */
const REFERENCE_LIFETIME_ms = 30_000;

export interface Toast extends Notice {
  readonly id: number;
  /** Number of identical messages that this toast represents. */
  readonly count: number;
}

/** Returns the message of a toast without the reference of a request, which is its second line (`messageOf`). */
const messageIn = ({ text }: Notice) => text.split('\n')[0];

/**
 * Adds a toast. If an identical toast is visible, increases its count instead. Toasts that differ only in the reference
 * of their requests count as identical, and the last reference is shown. Removes the oldest toast if there are too
 * many.
 */
export function addToast(toasts: readonly Toast[], id: number, notice: Notice): readonly Toast[] {
  const identical = notice.action
    ? undefined
    : toasts.find((toast) => messageIn(toast) === messageIn(notice) && toast.tone === notice.tone && !toast.action);
  if (identical)
    return [
      ...toasts.filter((toast) => toast !== identical),
      { ...identical, text: notice.text, count: identical.count + 1 },
    ];
  return [...toasts, { ...notice, id, count: 1 }].slice(-TOASTS_MAX);
}

/**
 * Stores the visible toasts (short messages) of the page. `notify` adds a toast. Remotes call this function as
 * `host.notify`.
 */
export function useToasts() {
  const [toasts, setToasts] = useState<readonly Toast[]>([]);
  const nextId = useRef(1);
  const notify = useCallback((notice: Notice) => {
    const id = nextId.current++;
    setToasts((current) => addToast(current, id, notice));
  }, []);
  const dismiss = useCallback((id: number) => {
    setToasts((current) => current.filter((toast) => toast.id !== id));
  }, []);
  return { toasts, notify, dismiss };
}

export interface ToastRegionProps {
  readonly toasts: readonly Toast[];
  readonly onDismiss: (id: number) => void;
  /** A notice above the toasts that stays until its cause ends. */
  readonly children?: ReactNode;
  /** Content above the toasts that changes often. Screen readers do not announce its changes. */
  readonly silent?: ReactNode;
}

/** The page region that shows the toasts. The region is always rendered, so that screen readers announce new toasts. */
export function ToastRegion({ toasts, onDismiss, children, silent }: ToastRegionProps) {
  const t = useUiText();
  return (
    <section aria-label={t('ui.notifications')} className={styles['region']}>
      {silent}
      <div role="status" className={styles['messages']}>
        {children}
        {toasts.map((toast) => (
          <ToastItem key={toast.id} toast={toast} onDismiss={onDismiss} />
        ))}
      </div>
    </section>
  );
}

/** A toast that disappears after its lifetime. The toast stays visible while the pointer or the focus is on it. */
function ToastItem({ toast, onDismiss }: { readonly toast: Toast; readonly onDismiss: (id: number) => void }) {
  const t = useUiText();
  const [isPaused, setPaused] = useState(false);
  useEffect(() => {
    if (isPaused) return;
    const lifetime_ms = toast.text.includes('\n') ? REFERENCE_LIFETIME_ms : TOAST_LIFETIME_ms;
    const timer = setTimeout(() => onDismiss(toast.id), lifetime_ms);
    return () => clearTimeout(timer);
    // A changed toast is another object, and stays for its lifetime again.
  }, [isPaused, onDismiss, toast]);

  return (
    <div
      className={classNames(styles['toast'], toast.tone && styles[toast.tone])}
      onPointerEnter={() => setPaused(true)}
      onPointerLeave={() => setPaused(false)}
      onFocus={() => setPaused(true)}
      onBlur={() => setPaused(false)}
    >
      <span className={styles['dot']} aria-hidden="true" />
      <span className={styles['text']}>
        {toast.text}
        {toast.count > 1 && (
          <>
            {' '}
            <span className={layout['count']}>{t('ui.times', { count: toast.count })}</span>
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
