import { useForm } from 'react-hook-form';
import { ErrorBox, Field, FormDialog, TextArea } from '@alpenglow/ui';

export interface TextDialogProps {
  readonly title: string;
  readonly text: string;
  readonly label: string;
  readonly hint: string;
  readonly maxLength: number;
  /** Error message for an empty text. It is null if the text is optional. */
  readonly missingText: string | null;
  readonly confirmLabel: string;
  /** True if the action cannot be undone. */
  readonly isDangerous?: boolean;
  readonly isBusy?: boolean;
  readonly problem?: string | null;
  readonly onConfirm: (input: string) => void;
  readonly onClose: () => void;
}

/** A dialog in which the user enters a short text for an action, e.g. a reason. */
export function TextDialog({
  title,
  text,
  label,
  hint,
  maxLength,
  missingText,
  confirmLabel,
  isDangerous = false,
  isBusy = false,
  problem = null,
  onConfirm,
  onClose,
}: TextDialogProps) {
  const { register, handleSubmit, formState } = useForm({ defaultValues: { input: '' } });
  const submit = handleSubmit(({ input }) => onConfirm(input.trim()));
  const isOptional = missingText === null;
  const validate = (input: string) => isOptional || input.trim() !== '' || missingText;
  return (
    <FormDialog
      title={title}
      confirmLabel={confirmLabel}
      danger={isDangerous}
      busy={isBusy}
      onSubmit={(event) => void submit(event)}
      onCancel={onClose}
    >
      <p>{text}</p>
      {problem !== null && <ErrorBox message={problem} />}
      <Field label={label} hint={hint} error={formState.errors.input?.message} optional={isOptional}>
        <TextArea required={!isOptional} rows={3} maxLength={maxLength} {...register('input', { validate })} />
      </Field>
    </FormDialog>
  );
}
