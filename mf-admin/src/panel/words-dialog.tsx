import { useState, type ReactNode } from 'react';
import { Button, Dialog, Field, TextArea } from '@alpenglow/ui';
import { useText } from '../text.ts';

export interface WordsDialogProps {
  readonly title: string;
  readonly children: ReactNode;
  readonly label: string;
  readonly hint: string;
  readonly maxLength: number;
  /** What is said where none are given; null where none are needed. */
  readonly missingText: string | null;
  readonly confirmLabel: string;
  /** What is done cannot be undone. */
  readonly isDangerous?: boolean;
  readonly isBusy?: boolean;
  readonly onConfirm: (words: string) => void;
  readonly onClose: () => void;
}

/** Asks for a few words before something is done. */
export function WordsDialog({
  title,
  children,
  label,
  hint,
  maxLength,
  missingText,
  confirmLabel,
  isDangerous = false,
  isBusy = false,
  onConfirm,
  onClose,
}: WordsDialogProps) {
  const t = useText();
  const [words, setWords] = useState('');
  const [error, setError] = useState<string | null>(null);
  const confirm = () => (missingText !== null && words.trim() === '' ? setError(missingText) : onConfirm(words.trim()));
  return (
    <Dialog
      open
      title={title}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose} disabled={isBusy}>
            {t('common.cancel')}
          </Button>
          <Button variant={isDangerous ? 'danger' : 'primary'} busy={isBusy} onClick={confirm}>
            {confirmLabel}
          </Button>
        </>
      }
    >
      {children}
      <Field label={label} hint={hint} error={error} optional={missingText === null}>
        <TextArea
          required={missingText !== null}
          rows={3}
          maxLength={maxLength}
          value={words}
          onChange={({ target }) => setWords(target.value)}
        />
      </Field>
    </Dialog>
  );
}
