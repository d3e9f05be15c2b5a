import { useEffect, useId, useRef, type FormEventHandler, type ReactNode } from 'react';
import { useUiText } from '../i18n/text.tsx';
import { CloseIcon } from '../icons/icons.tsx';
import { Button, IconButton, type ButtonProps } from './button.tsx';
import { classNames } from './class-names.ts';
import { ErrorBox } from './state-box.tsx';
import styles from './dialog.module.css';

export interface DialogProps {
  readonly open: boolean;
  readonly title: ReactNode;
  /**
   * Called by the close button, by Esc, and by a press that begins and ends outside. If omitted, only `actions` can
   * close the dialog.
   */
  readonly onClose?: (() => void) | undefined;
  readonly children?: ReactNode;
  /** Buttons at the end of the dialog. The main button is the last one. */
  readonly actions?: ReactNode;
  /** True if phones show the dialog as a sheet at the bottom edge, in full width. */
  readonly sheet?: boolean;
  readonly closeLabel?: string;
  /** True if the title is a message, and the dialog has neither other content nor a close button. */
  readonly isMessage?: boolean;
}

/** The longest usual time between the two presses of a double click. */
const DOUBLE_CLICK_ms = 500;

/** A modal `<dialog>`. The focus stays inside the dialog and returns to the previous element when the dialog closes. */
export function Dialog({
  open,
  title,
  onClose,
  children,
  actions,
  sheet = false,
  closeLabel,
  isMessage = false,
}: DialogProps) {
  const t = useUiText();
  const ref = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  /**
   * True if the current press began outside of the dialog. A press that began inside, such as a selection of text, must
   * not close the dialog. The browser sends its click to the dialog element, too.
   */
  const isPressedOutside = useRef(false);
  /**
   * The time in ms at which the dialog was opened. The second press of a double click on the button that opened it must
   * not close it.
   */
  const openedAt_ms = useRef(0);

  useEffect(() => {
    const dialog = ref.current;
    if (!dialog || !open) return;
    const focusedBefore = document.activeElement;
    dialog.showModal();
    openedAt_ms.current = performance.now();
    return () => {
      dialog.close();
      // If React has already removed the dialog, the browser does not restore the focus. This code therefore restores
      // the focus itself.
      if (focusedBefore instanceof HTMLElement) focusedBefore.focus({ preventScroll: true });
    };
  }, [open]);

  if (!open) return null;
  return (
    <dialog
      ref={ref}
      className={classNames(styles['dialog'], sheet && styles['sheet'], isMessage && styles['message'])}
      aria-labelledby={titleId}
      // `closedby="none"` is required, because browsers close a dialog on the second Esc even if `cancel` is prevented.
      {...(onClose ? {} : { closedby: 'none' })}
      onCancel={(event) => {
        event.preventDefault();
        onClose?.();
      }}
      onPointerDown={({ target, currentTarget }) => {
        const isDoubleClick = performance.now() - openedAt_ms.current < DOUBLE_CLICK_ms;
        isPressedOutside.current = target === currentTarget && !isDoubleClick;
      }}
      onPointerUp={({ target, currentTarget }) => {
        if (target !== currentTarget) isPressedOutside.current = false;
      }}
      onClick={({ target, currentTarget }) => {
        if (target === currentTarget && isPressedOutside.current && !isMessage) onClose?.();
      }}
    >
      <div className={styles['inner']}>
        <div className={styles['head']}>
          <h2 id={titleId}>{title}</h2>
          {onClose && !isMessage && (
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

interface MessageDialogProps {
  readonly text: string;
  readonly onOk: () => void;
  /** If omitted, the dialog has no Cancel button, and Esc has the effect of OK. */
  readonly onCancel?: (() => void) | undefined;
}

/**
 * An open dialog with a message and the buttons OK and Cancel. It replaces `alert` and `confirm` of the browser
 * (R-2.55).
 */
export function MessageDialog({ text, onOk, onCancel }: MessageDialogProps) {
  const t = useUiText();
  return (
    <Dialog
      open
      isMessage
      title={text}
      onClose={onCancel ?? onOk}
      actions={
        <>
          {onCancel && <Button onClick={onCancel}>{t('common.cancel')}</Button>}
          {/* React omits the attribute `autofocus`, from which the browser chooses the first focus of a dialog. */}
          <Button ref={(button) => button?.setAttribute('autofocus', '')} variant="primary" onClick={onOk}>
            {t('common.ok')}
          </Button>
        </>
      }
    />
  );
}

interface DialogButtonsProps {
  readonly confirmLabel: string;
  readonly cancelLabel: string;
  readonly danger?: boolean;
  /** True while the action is running. The dialog then stays open, so that it can show an error. */
  readonly busy?: boolean;
  readonly onCancel: () => void;
}

/** The cancel button and the main button of a dialog. `confirmation` contains the props of the main button. */
function DialogButtons(props: DialogButtonsProps & { readonly confirmation: ButtonProps }) {
  const { confirmLabel, cancelLabel, danger = false, busy = false, onCancel, confirmation } = props;
  return (
    <>
      <Button onClick={onCancel} disabled={busy}>
        {cancelLabel}
      </Button>
      <Button {...confirmation} variant={danger ? 'danger' : 'primary'} busy={busy}>
        {confirmLabel}
      </Button>
    </>
  );
}

export interface ConfirmDialogProps extends DialogButtonsProps {
  readonly open: boolean;
  readonly title: ReactNode;
  readonly children: ReactNode;
  /** The error message of the failed action, or null. */
  readonly problem?: string | null;
  readonly onConfirm: () => void;
}

/** A dialog that requests a confirmation. It stays open while the action runs, and if the action fails. */
export function ConfirmDialog({ open, title, children, problem = null, onConfirm, ...buttons }: ConfirmDialogProps) {
  return (
    <Dialog
      open={open}
      title={title}
      onClose={buttons.busy === true ? undefined : buttons.onCancel}
      closeLabel={buttons.cancelLabel}
      actions={<DialogButtons {...buttons} confirmation={{ onClick: onConfirm }} />}
    >
      {children}
      {problem !== null && <ErrorBox message={problem} />}
    </Dialog>
  );
}

export interface FormDialogProps extends Omit<DialogButtonsProps, 'cancelLabel'> {
  readonly title: ReactNode;
  readonly children: ReactNode;
  /** The error message of the failed action, or null. */
  readonly problem?: string | null;
  readonly onSubmit: FormEventHandler<HTMLFormElement>;
}

/** An open dialog with a form. The main button submits the form. */
export function FormDialog({ title, children, problem = null, onSubmit, ...buttons }: FormDialogProps) {
  const t = useUiText();
  const id = useId();
  return (
    <Dialog
      open
      title={title}
      onClose={buttons.busy === true ? undefined : buttons.onCancel}
      actions={
        <DialogButtons {...buttons} cancelLabel={t('common.cancel')} confirmation={{ type: 'submit', form: id }} />
      }
    >
      <form id={id} noValidate className={styles['form']} onSubmit={onSubmit}>
        {children}
        {problem !== null && <ErrorBox message={problem} />}
      </form>
    </Dialog>
  );
}
