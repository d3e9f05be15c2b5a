import { ReasonDialog, type ReasonDialogProps } from './reason-dialog.tsx';
import { useDialogAction, type DialogActionOptions, type DialogActionState } from './use-dialog-action.ts';

export interface ReasonActionOptions<Target, Result> extends DialogActionOptions<Target, Result> {
  readonly dialog: (target: Target) => Omit<ReasonDialogProps, keyof DialogActionState>;
}

/** Sends an action after the user has entered a reason in a dialog. */
export function useReasonAction<Target, Result = unknown>({ dialog, ...action }: ReasonActionOptions<Target, Result>) {
  return useDialogAction(action, (target, state) => <ReasonDialog {...dialog(target)} {...state} />);
}
