import { useRef, useState, type FormEvent } from 'react';
import { Link } from 'react-router-dom';
import { newReplyFields, type PostView } from '@alpenglow/domain/contracts';
import {
  Button,
  classNames,
  CloseIcon,
  ErrorBox,
  errorsByField,
  focusFirstError,
  IconButton,
  isApiError,
  layout,
  messageOf,
  RestoredText,
  useApi,
  useSendingKey,
  useTextDraft,
  useSend,
} from '@alpenglow/ui';
import { postReply, type ReplyFields } from '../api/requests.ts';
import { useText } from '../text.ts';
import { BodyField } from '../write/body-field.tsx';
import { HouseRules } from '../write/house-rules.tsx';
import { getPostAnchor } from './post-url.ts';
import styles from '../write/write.module.css';

export interface ReplyFormProps {
  readonly threadId: string;
  readonly quoted: PostView | null;
  readonly onUnquote: () => void;
  /** Called after the reply was posted. Its promise resolves when the page shows the reply. */
  readonly onSent: (number: number) => Promise<void>;
}

/** The form for a reply. Unsent text is stored as a draft in this browser. */
export function ReplyForm({ threadId, quoted, onUnquote, onSent }: ReplyFormProps) {
  const t = useText();
  const api = useApi();
  const form = useRef<HTMLFormElement>(null);
  const draft = useTextDraft(`community.reply.${threadId}`, { in: 'browser' });
  const [body, setBody] = useState(draft.texts['body'] ?? '');
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  const sendOnce = useSendingKey();
  const send = useSend({
    mutationFn: async (fields: ReplyFields) => {
      const { data } = await sendOnce((key) => postReply(api, threadId, fields, key));
      draft.clear();
      setBody('');
      onUnquote();
      await onSent(data.number);
    },
  });
  const rejectedFields = isApiError(send.error) ? send.error.fields : {};

  const change = (text: string) => {
    setBody(text);
    draft.save({ body: text });
    if (send.isError) send.reset();
  };
  const submit = (event?: FormEvent) => {
    event?.preventDefault();
    if (send.isPending) return;
    const validation = newReplyFields.safeParse({ body, quotedNumber: quoted?.number ?? null });
    setErrors(validation.success ? {} : errorsByField(validation.error));
    if (validation.success) send.mutate(validation.data);
    else focusFirstError(form.current);
  };
  return (
    <form ref={form} id="reply" className={styles['form']} noValidate onSubmit={submit} aria-labelledby="reply-title">
      <h2 id="reply-title">{t('community.reply')}</h2>
      {quoted && (
        <p className={styles['chip']}>
          <Link to={`#${getPostAnchor(quoted.number)}`} preventScrollReset>
            {t('community.replyTo', { name: quoted.author.name ?? t('community.formerMember'), number: quoted.number })}
          </Link>
          <IconButton label={t('community.unquote')} onClick={onUnquote}>
            <CloseIcon size={0.9} />
          </IconButton>
        </p>
      )}
      <RestoredText draft={draft} onDiscard={() => setBody('')} />
      <BodyField
        label={t('community.yourReply')}
        value={body}
        error={errors['body'] ?? rejectedFields['body']}
        disabled={send.isPending}
        onChange={change}
        onSend={submit}
      />
      <HouseRules />
      {send.isError && Object.keys(rejectedFields).length === 0 && (
        <ErrorBox message={messageOf(send.error, t('community.sendFailed'))} />
      )}
      <div className={classNames(layout['row3'], layout['centered'])}>
        <Button type="submit" variant="primary" busy={send.isPending}>
          {send.isPending ? t('community.sending') : t('community.sendReply')}
        </Button>
      </div>
    </form>
  );
}
