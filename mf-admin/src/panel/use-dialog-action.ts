import { useState, type ReactNode } from 'react';
import { useWrite, type WriteOptions } from '@alpenglow/ui';

export interface DialogActionOptions<Target, Result>
  extends Pick<WriteOptions<Target, Result>, 'doneText' | 'failedText' | 'affectedQueries' | 'onDone'> {
  /** Sends the action. `reason` is empty if the dialog does not request a reason. */
  readonly send: (target: Target, reason: string) => Promise<Result>;
}

/** State of the open dialog, with the functions that confirm the action and close the dialog. */
export interface DialogActionState {
  readonly isBusy: boolean;
  readonly onConfirm: (reason: string) => void;
  readonly onClose: () => void;
}

/**
 * Sends an action after the user has confirmed it in a dialog. `openDialog` opens the dialog for the target of the
 * action, e.g. one ad. The dialog closes when the response arrives.
 */
export function useDialogAction<Target, Result = unknown>(
  { send, doneText, failedText, affectedQueries, onDone }: DialogActionOptions<Target, Result>,
  renderDialog: (target: Target, state: DialogActionState) => ReactNode,
) {
  const [target, setTarget] = useState<Target | null>(null);
  const write = useWrite<{ readonly target: Target; readonly reason: string }, Result>({
    send: (input) => send(input.target, input.reason),
    doneText: doneText && ((input, result) => doneText(input.target, result)),
    failedText: (input) => failedText(input.target),
    affectedQueries: (input, error) => affectedQueries(input.target, error),
    onSettled: () => setTarget(null),
    onDone: onDone && ((input) => onDone(input.target)),
  });
  const openDialog = (next: Target) => setTarget(() => next);
  if (target === null) return { openDialog, dialog: null };
  const dialog = renderDialog(target, {
    isBusy: write.isPending,
    onConfirm: (reason) => write.mutate({ target, reason }),
    onClose: () => setTarget(null),
  });
  return { openDialog, dialog };
}
