import { useRef, useState, type FormEvent } from 'react';
import { useMutation } from '@tanstack/react-query';
import { Link } from 'react-router-dom';
import { newReplyFields, type PostView } from '@alpenglow/domain/contracts';
import {
  Button,
  CloseIcon,
  ErrorBox,
  IconButton,
  isApiError,
  messageOf,
  useApi,
  useSendingKey,
  useUser,
} from '@alpenglow/ui';
import { reply } from '../api/calls.ts';
import { useText } from '../text.ts';
import { BodyField } from '../write/body-field.tsx';
import { createDraftStore } from '../write/draft.ts';
import { errorsByField, focusFirstError } from '../write/field-errors.ts';
import { HouseRules } from '../write/house-rules.tsx';
import { anchorOf } from './where.ts';
import styles from '../write/write.module.css';

export interface ReplyFormProps {
  readonly threadId: string;
  /** The post it answers to. */
  readonly quoted: PostView | null;
  readonly onUnquote: () => void;
  /** It is there; resolves once the page shows it. */
  readonly onSent: (number: number) => Promise<void>;
}

/** A reply at the end of a thread, kept while it is written. */
export function ReplyForm({ threadId, quoted, onUnquote, onSent }: ReplyFormProps) {
  const t = useText();
  const api = useApi();
  const viewer = useUser()?.id ?? '';
  const form = useRef<HTMLFormElement>(null);
  const [draft] = useState(() => createDraftStore({ viewer, name: `reply.${threadId}` }));
  const [body, setBody] = useState(() => draft.load()?.['body'] ?? '');
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  const sendOnce = useSendingKey();
  const send = useMutation({
    mutationFn: async (fields: { readonly body: string; readonly quotedNumber: number | null }) => {
      const { data } = await sendOnce((key) => reply(api, threadId, fields, key));
      draft.clear();
      setBody('');
      onUnquote();
      await onSent(data.number);
    },
  });
  const refused = isApiError(send.error) ? send.error.fields : {};

  const change = (text: string) => {
    setBody(text);
    draft.save({ body: text });
    if (send.isError) send.reset();
  };
  const submit = (event?: FormEvent) => {
    event?.preventDefault();
    if (send.isPending) return;
    const checked = newReplyFields.safeParse({ body, quotedNumber: quoted?.number ?? null });
    setErrors(checked.success ? {} : errorsByField(checked.error));
    if (checked.success) send.mutate({ body: checked.data.body, quotedNumber: quoted?.number ?? null });
    else focusFirstError(form.current);
  };
  return (
    <form ref={form} id="reply" className={styles['form']} noValidate onSubmit={submit} aria-labelledby="reply-title">
      <h2 id="reply-title">{t('community.reply')}</h2>
      {quoted && (
        <p className={styles['chip']}>
          <Link to={`#${anchorOf(quoted.number)}`} preventScrollReset>
            {t('community.replyTo', { name: quoted.author.name ?? t('community.formerMember'), number: quoted.number })}
          </Link>
          <IconButton label={t('community.unquote')} onClick={onUnquote}>
            <CloseIcon size={0.9} />
          </IconButton>
        </p>
      )}
      <BodyField
        label={t('community.yourReply')}
        value={body}
        error={errors['body'] ?? refused['body']}
        disabled={send.isPending}
        onChange={change}
        onSend={submit}
      />
      <HouseRules />
      {send.isError && Object.keys(refused).length === 0 && (
        <ErrorBox message={messageOf(send.error, t('community.sendFailed'))} />
      )}
      <div className={styles['row']}>
        <Button type="submit" variant="primary" busy={send.isPending}>
          {send.isPending ? t('community.sending') : t('community.sendReply')}
        </Button>
      </div>
    </form>
  );
}
