import type { ReactNode } from 'react';
import { ConfirmDialog } from '@alpenglow/ui';
import { useText } from '../text.ts';
import { useDialogAction, type DialogActionOptions } from './use-dialog-action.ts';

interface ConfirmationTexts {
  readonly title: string;
  readonly text: ReactNode;
  readonly confirmLabel: string;
  readonly cancelLabel?: string;
  readonly isDangerous?: boolean;
}

export interface ConfirmedActionOptions<Target, Result> extends Omit<DialogActionOptions<Target, Result>, 'send'> {
  readonly send: (target: Target) => Promise<Result>;
  readonly dialog: (target: Target) => ConfirmationTexts;
}

/** Sends an action after the user has confirmed it in a dialog. */
export function useConfirmedAction<Target, Result = unknown>({
  dialog,
  ...action
}: ConfirmedActionOptions<Target, Result>) {
  const t = useText();
  return useDialogAction(action, (target, { isBusy, problem, onConfirm, onClose }) => {
    const { title, text, confirmLabel, cancelLabel = t('common.cancel'), isDangerous = false } = dialog(target);
    return (
      <ConfirmDialog
        open
        title={title}
        confirmLabel={confirmLabel}
        cancelLabel={cancelLabel}
        danger={isDangerous}
        busy={isBusy}
        problem={problem}
        onConfirm={() => onConfirm('')}
        onCancel={onClose}
      >
        {typeof text === 'string' ? <p>{text}</p> : text}
      </ConfirmDialog>
    );
  });
}
