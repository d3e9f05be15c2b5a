import { useEffect, useRef, useState, type FormEvent } from 'react';
import { editPostFields, type PostView, type ThreadCard } from '@alpenglow/domain/contracts';
import {
  Button,
  classNames,
  ErrorBox,
  errorsByField,
  Field,
  focusFirstError,
  isApiError,
  layout,
  messageOf,
  RestoredText,
  TextInput,
  useApi,
  useTextDraft,
  useSend,
} from '@alpenglow/ui';
import { editPost, type PostChanges } from '../api/requests.ts';
import { useText } from '../text.ts';
import { BodyField } from '../write/body-field.tsx';
import styles from '../write/write.module.css';

export interface EditFormProps {
  readonly post: PostView;
  readonly thread: Pick<ThreadCard, 'id' | 'title'>;
  readonly onCancel: () => void;
  /** Called after the post was changed. Its promise resolves when the page shows the new version. */
  readonly onDone: () => Promise<void>;
}

/**
 * The form in which an author edits a post. It is displayed in place of the post. For the opening post, the form also
 * contains a field for the title of the thread. Unsent text is stored in this browser.
 */
export function EditForm({ post, thread, onCancel, onDone }: EditFormProps) {
  const t = useText();
  const api = useApi();
  const form = useRef<HTMLFormElement>(null);
  const draft = useTextDraft(`community.edit.${thread.id}-${post.number}`, { in: 'browser' });
  const initial = { title: thread.title, body: post.markdown ?? '' };
  const [title, setTitle] = useState(draft.texts['title'] ?? initial.title);
  const [body, setBody] = useState(draft.texts['body'] ?? initial.body);
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  const save = useSend({
    mutationFn: async (fields: PostChanges) => {
      await editPost(api, thread.id, post.number, fields);
      draft.clear();
      await onDone();
    },
  });
  const rejectedFields = isApiError(save.error) ? save.error.fields : {};
  useEffect(() => form.current?.querySelector('textarea')?.focus(), []);

  const change = (changed: Partial<typeof initial>) => {
    const next = { title, body, ...changed };
    setTitle(next.title);
    setBody(next.body);
    draft.save(next.title === initial.title && next.body === initial.body ? {} : next);
  };
  const submit = (event?: FormEvent) => {
    event?.preventDefault();
    if (save.isPending) return;
    const validation = editPostFields.safeParse(post.number === 0 ? { title, body } : { body });
    setErrors(validation.success ? {} : errorsByField(validation.error));
    if (!validation.success) return focusFirstError(form.current);
    const { title: newTitle, body: newBody } = validation.data;
    save.mutate({ body: newBody, ...(newTitle !== undefined && { title: newTitle }) });
  };
  return (
    <form ref={form} className={styles['form']} noValidate onSubmit={submit} aria-label={t('community.editPost')}>
      <RestoredText
        draft={draft}
        onDiscard={() => {
          setTitle(initial.title);
          setBody(initial.body);
        }}
      />
      {post.number === 0 && (
        <Field label={t('community.title')} error={errors['title'] ?? rejectedFields['title']}>
          <TextInput
            name="title"
            dir="auto"
            required
            value={title}
            disabled={save.isPending}
            onChange={({ target }) => change({ title: target.value })}
          />
        </Field>
      )}
      <BodyField
        label={t('community.text')}
        value={body}
        error={errors['body'] ?? rejectedFields['body']}
        disabled={save.isPending}
        onChange={(text) => change({ body: text })}
        onSend={submit}
      />
      {save.isError && Object.keys(rejectedFields).length === 0 && (
        <ErrorBox message={messageOf(save.error, t('community.sendFailed'))} />
      )}
      <div className={classNames(layout['row3'], layout['centered'])}>
        <Button type="submit" variant="primary" size="small" busy={save.isPending}>
          {save.isPending ? t('community.saving') : t('community.save')}
        </Button>
        <Button variant="quiet" size="small" disabled={save.isPending} onClick={onCancel}>
          {t('common.cancel')}
        </Button>
      </div>
    </form>
  );
}
