import { REASON_LENGTH_MAX } from '@alpenglow/domain/contracts';
import { useText } from '../text.ts';
import { TextDialog, type TextDialogProps } from './text-dialog.tsx';

export interface ReasonDialogProps extends Omit<TextDialogProps, 'label' | 'hint' | 'maxLength' | 'missingText'> {
  /** Text that explains who can read the reason. The default text explains that only staff can read the reason. */
  readonly hint?: string;
}

/** A dialog that requires a reason for an action. The reason is stored in the event that records the action. */
export function ReasonDialog({ hint, ...rest }: ReasonDialogProps) {
  const t = useText();
  return (
    <TextDialog
      {...rest}
      label={t('field.reason')}
      hint={hint ?? t('reason.hint')}
      maxLength={REASON_LENGTH_MAX}
      missingText={t('reason.missing')}
    />
  );
}
