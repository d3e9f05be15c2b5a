import { useEffect, useId, useRef, type ReactNode } from 'react';
import { useUiText } from '../i18n/text.tsx';
import { CloseIcon } from '../icons/icons.tsx';
import { Button, IconButton } from './button.tsx';
import { classNames } from './class-names.ts';
import styles from './dialog.module.css';

export interface DialogProps {
  readonly open: boolean;
  readonly title: ReactNode;
  /** Asked to close: the close button, Esc, or a click beside it. Without it, the dialog stays until a choice in it is made. */
  readonly onClose?: (() => void) | undefined;
  readonly children: ReactNode;
  /** Buttons at the end, the main one last. */
  readonly actions?: ReactNode;
  /** From the bottom edge, as wide as the screen: for phones. */
  readonly sheet?: boolean;
  readonly closeLabel?: string;
}

/**
 * A modal dialog on the browser's own `<dialog>`: focus stays inside and returns where it was, the page behind is inert.
 */
export function Dialog({ open, title, onClose, children, actions, sheet = false, closeLabel }: DialogProps) {
  const t = useUiText();
  const ref = useRef<HTMLDialogElement>(null);
  const titleId = useId();

  useEffect(() => {
    const dialog = ref.current;
    if (!dialog || !open) return;
    const focusedBefore = document.activeElement;
    dialog.showModal();
    return () => {
      dialog.close();
      // The browser gives the focus back only while the dialog is in the page; here it may be gone already.
      if (focusedBefore instanceof HTMLElement) focusedBefore.focus({ preventScroll: true });
    };
  }, [open]);

  if (!open) return null;
  return (
    <dialog
      ref={ref}
      className={classNames(styles['dialog'], sheet && styles['sheet'])}
      aria-labelledby={titleId}
      // Browsers close on a second Esc whatever `cancel` says, unless told so here.
      {...(onClose ? {} : { closedby: 'none' })}
      onCancel={(event) => {
        event.preventDefault();
        onClose?.();
      }}
      onClick={(event) => {
        if (event.target === event.currentTarget) onClose?.();
      }}
    >
      <div className={styles['inner']}>
        <div className={styles['head']}>
          <h2 id={titleId}>{title}</h2>
          {onClose && (
            <IconButton label={closeLabel ?? t('common.close')} className={styles['close']} onClick={onClose}>
              <CloseIcon />
            </IconButton>
          )}
        </div>
        {children}
        {actions != null && <div className={styles['actions']}>{actions}</div>}
      </div>
    </dialog>
  );
}

export interface ConfirmDialogProps {
  readonly open: boolean;
  readonly title: ReactNode;
  readonly children: ReactNode;
  readonly confirmLabel: string;
  readonly cancelLabel: string;
  readonly danger?: boolean;
  /** The confirmed work is under way. */
  readonly busy?: boolean;
  readonly onConfirm: () => void;
  readonly onCancel: () => void;
}

export function ConfirmDialog({
  open,
  title,
  children,
  confirmLabel,
  cancelLabel,
  danger = false,
  busy = false,
  onConfirm,
  onCancel,
}: ConfirmDialogProps) {
  return (
    <Dialog
      open={open}
      title={title}
      onClose={onCancel}
      closeLabel={cancelLabel}
      actions={
        <>
          <Button onClick={onCancel} disabled={busy}>
            {cancelLabel}
          </Button>
          <Button variant={danger ? 'danger' : 'primary'} onClick={onConfirm} busy={busy}>
            {confirmLabel}
          </Button>
        </>
      }
    >
      {children}
    </Dialog>
  );
}
