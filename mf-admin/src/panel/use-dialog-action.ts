import { useState, type ReactNode } from 'react';
import { messageOf, useWrite, type WriteOptions } from '@alpenglow/ui';

export interface DialogActionOptions<Target, Result>
  extends Pick<WriteOptions<Target, Result>, 'doneText' | 'affectedQueries' | 'onDone'> {
  /** Sends the action. `reason` is empty if the dialog does not request a reason. */
  readonly send: (target: Target, reason: string) => Promise<Result>;
  /** Returns the message for an error that has no message. */
  readonly failedText: (target: Target) => string;
}

interface Input<Target> {
  readonly target: Target;
  readonly reason: string;
  readonly onSent: (() => void) | undefined;
}

/** State of the open dialog, with the functions that confirm the action and close the dialog. */
export interface DialogActionState {
  readonly isBusy: boolean;
  /** The error message of the last attempt, or null. */
  readonly problem: string | null;
  /** Sends the action. `onSent` is called when the action has succeeded. */
  readonly onConfirm: (reason: string, onSent?: () => void) => void;
  readonly onClose: () => void;
}

/**
 * Sends an action after the user has confirmed it in a dialog. `openDialog` opens the dialog for the target of the
 * action, e.g. one ad. The dialog closes when the action has succeeded. If the action fails, the dialog stays open with
 * its input, and shows the error.
 */
export function useDialogAction<Target, Result = unknown>(
  { send, doneText, failedText, affectedQueries, onDone }: DialogActionOptions<Target, Result>,
  renderDialog: (target: Target, state: DialogActionState) => ReactNode,
) {
  const [target, setTarget] = useState<Target | null>(null);
  const write = useWrite<Input<Target>, Result>({
    send: (input) => send(input.target, input.reason),
    doneText: doneText && ((input, result) => doneText(input.target, result)),
    affectedQueries: (input, error) => affectedQueries(input.target, error),
    onDone: (input) => {
      input.onSent?.();
      setTarget(null);
      onDone?.(input.target);
    },
  });
  const openDialog = (next: Target) => {
    write.reset();
    setTarget(() => next);
  };
  if (target === null) return { openDialog, dialog: null };
  const dialog = renderDialog(target, {
    isBusy: write.isPending,
    problem: write.isError ? messageOf(write.error, failedText(target)) : null,
    onConfirm: (reason, onSent) => write.mutate({ target, reason, onSent }),
    onClose: () => setTarget(null),
  });
  return { openDialog, dialog };
}
