import { REASON_MAX } from '@alpenglow/domain/contracts';
import { useText } from '../text.ts';
import { WordsDialog, type WordsDialogProps } from './words-dialog.tsx';

export interface ReasonDialogProps extends Omit<WordsDialogProps, 'label' | 'hint' | 'maxLength' | 'missingText'> {
  /** Who reads the reason; staff alone unless told. */
  readonly hint?: string;
}

/** Asks why before something is done to somebody: the words go into the event. */
export function ReasonDialog({ hint, ...rest }: ReasonDialogProps) {
  const t = useText();
  return (
    <WordsDialog
      {...rest}
      label={t('reason.label')}
      hint={hint ?? t('reason.hint')}
      maxLength={REASON_MAX}
      missingText={t('reason.missing')}
    />
  );
}
