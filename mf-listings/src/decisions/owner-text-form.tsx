import { APPEAL_TEXT_MAX, type appealFields, type responseFields } from '@alpenglow/domain/contracts';
import {
  Button,
  ErrorBox,
  errorsByField,
  Field,
  isApiError,
  messageOf,
  RestoredText,
  TextArea,
  useHost,
  useSend,
  useSendingKey,
  useTextDraft,
} from '@alpenglow/ui';
import { useQueryClient, type QueryKey } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { useText } from './text.ts';
import styles from './decisions.module.css';

export interface OwnerTextFormProps {
  readonly fields: typeof appealFields | typeof responseFields;
  readonly draftName: string;
  readonly explanation: string;
  readonly label: string;
  readonly button: string;
  /** The texts after the form was sent, or could not be sent. */
  readonly sent: string;
  readonly failed: string;
  /** Sends the text. `key` is the idempotency key of the request. */
  readonly send: (text: string, key: string) => Promise<unknown>;
  /** The keys of the queries whose results change. */
  readonly changes: readonly QueryKey[];
}

/**
 * The form for an appeal against a decision, or a response to it. Unsent text is stored in this tab, because it may
 * contain personal data.
 */
export function OwnerTextForm(props: OwnerTextFormProps) {
  const { fields, draftName, explanation, label, button, sent, failed, changes } = props;
  const t = useText();
  const { notify } = useHost();
  const queryClient = useQueryClient();
  const draft = useTextDraft(draftName, { in: 'tab' });
  const [text, setText] = useState(draft.texts['text'] ?? '');
  const [error, setError] = useState<string | null>(null);
  const sendOnce = useSendingKey();
  const send = useSend({
    mutationFn: (words: string) => sendOnce((key) => props.send(words, key)),
    onSuccess: async () => {
      draft.clear();
      notify({ text: sent, tone: 'success' });
      await Promise.all(changes.map((queryKey) => queryClient.invalidateQueries({ queryKey })));
    },
  });
  const rejectedText = isApiError(send.error) ? send.error.fields['text'] : undefined;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (send.isPending) return;
    const validation = fields.safeParse({ text });
    setError(validation.success ? null : (errorsByField(validation.error)['text'] ?? null));
    if (validation.success) send.mutate(validation.data.text);
  };
  return (
    <form noValidate className={styles['form']} onSubmit={submit}>
      <p>{explanation}</p>
      <RestoredText draft={draft} onDiscard={() => setText('')} />
      <Field label={label} hint={t('decisions.lengthHint', { max: APPEAL_TEXT_MAX })} error={error ?? rejectedText}>
        <TextArea
          dir="auto"
          required
          maxLength={APPEAL_TEXT_MAX}
          value={text}
          onChange={({ target }) => {
            setText(target.value);
            draft.save({ text: target.value });
          }}
        />
      </Field>
      {send.isError && rejectedText === undefined && <ErrorBox message={messageOf(send.error, failed)} />}
      <Button type="submit" variant="primary" busy={send.isPending}>
        {send.isPending ? t('decisions.sending') : button}
      </Button>
    </form>
  );
}
