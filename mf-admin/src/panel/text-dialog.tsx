import type { FormEvent, ReactNode } from 'react';
import { useForm } from 'react-hook-form';
import { Field, FormDialog, RestoredText, TextArea, TextInput, useFormDraft, useTextDraft } from '@alpenglow/ui';

export interface TextDialogProps {
  /**
   * The name of the draft of the text, e.g. `take-down.` with the id of the ad. The text is stored in this tab until
   * the action has succeeded. A failed action or a closed dialog therefore loses no text.
   */
  readonly draftName: string;
  readonly title: string;
  readonly text: string;
  /** More about the object of the action, below `text`. */
  readonly details?: ReactNode;
  /** Checks the fields in `details`, and shows their errors. The action is only sent if it returns true. */
  readonly checkDetails?: (() => boolean) | undefined;
  /** A text that the user must type before an action that cannot be undone. Case and outer spaces are ignored. */
  readonly typed?: { readonly label: string; readonly expected: string; readonly wrongText: string };
  readonly label: string;
  readonly hint: string;
  readonly maxLength: number;
  /** Error message for an empty text. It is null if the text is optional. */
  readonly missingText: string | null;
  readonly confirmLabel: string;
  /** True if the action cannot be undone. */
  readonly isDangerous?: boolean;
  readonly isBusy?: boolean;
  /** The error message of the failed action, or null. */
  readonly problem?: string | null;
  /** Sends the action. `onSent` must be called when the action has succeeded. `typed` is empty if none is required. */
  readonly onConfirm: (input: string, onSent: () => void, typed: string) => void;
  readonly onClose: () => void;
}

/** A dialog in which the user enters a short text for an action, e.g. a reason. */
export function TextDialog({
  draftName,
  title,
  text,
  details,
  checkDetails = () => true,
  typed,
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
  const draft = useTextDraft(`reason.${draftName}`, { in: 'tab' });
  const form = useForm({ defaultValues: { input: draft.texts['input'] ?? '', typed: '' } });
  const { register, handleSubmit, formState, reset } = form;
  useFormDraft(form, ({ input }) => draft.save({ input }));
  // All errors are shown at once.
  const submit = (event: FormEvent) => {
    const isValid = checkDetails();
    return handleSubmit(({ input, typed: text }) => {
      if (isValid) onConfirm(input.trim(), draft.clear, text.trim());
    })(event);
  };
  const isOptional = missingText === null;
  const validate = (input: string) => isOptional || input.trim() !== '' || missingText;
  return (
    <FormDialog
      title={title}
      confirmLabel={confirmLabel}
      danger={isDangerous}
      busy={isBusy}
      problem={problem}
      onSubmit={(event) => void submit(event)}
      onCancel={onClose}
    >
      <p>{text}</p>
      {details}
      <RestoredText draft={draft} onDiscard={() => reset({ input: '', typed: '' })} />
      <Field label={label} hint={hint} error={formState.errors.input?.message} optional={isOptional}>
        <TextArea required={!isOptional} rows={3} maxLength={maxLength} {...register('input', { validate })} />
      </Field>
      {typed && (
        <Field label={typed.label} error={formState.errors.typed?.message}>
          <TextInput
            dir="auto"
            required
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            {...register('typed', { validate: (value) => isSameText(value, typed.expected) || typed.wrongText })}
          />
        </Field>
      )}
    </FormDialog>
  );
}

const isSameText = (one: string, other: string) => one.trim().toLowerCase() === other.trim().toLowerCase();
