import { useEffect, useRef, useState, type FormEvent } from 'react';
import { useMutation } from '@tanstack/react-query';
import { postChanges, type PostView, type ThreadCard } from '@alpenglow/domain/contracts';
import { Button, ErrorBox, Field, isApiError, messageOf, TextInput, useApi } from '@alpenglow/ui';
import { editPost } from '../api/calls.ts';
import { useText } from '../text.ts';
import { BodyField } from '../write/body-field.tsx';
import { errorsByField, focusFirstError } from '../write/field-errors.ts';
import styles from '../write/write.module.css';

export interface EditFormProps {
  readonly post: PostView;
  readonly thread: Pick<ThreadCard, 'id' | 'title'>;
  readonly onCancel: () => void;
  /** It is changed; resolves once the page shows it. */
  readonly onDone: () => Promise<void>;
}

/** A post in the hands of its author, in its place. The title of a thread belongs to its opening post. */
export function EditForm({ post, thread, onCancel, onDone }: EditFormProps) {
  const t = useText();
  const api = useApi();
  const form = useRef<HTMLFormElement>(null);
  const [title, setTitle] = useState(thread.title);
  const [body, setBody] = useState(post.markdown ?? '');
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  const save = useMutation({
    mutationFn: async (fields: { readonly title?: string; readonly body: string }) => {
      await editPost(api, thread.id, post.number, fields);
      await onDone();
    },
  });
  const refused = isApiError(save.error) ? save.error.fields : {};
  useEffect(() => form.current?.querySelector('textarea')?.focus(), []);

  const submit = (event?: FormEvent) => {
    event?.preventDefault();
    if (save.isPending) return;
    const checked = postChanges.safeParse(post.number === 0 ? { title, body } : { body });
    setErrors(checked.success ? {} : errorsByField(checked.error));
    if (!checked.success) return focusFirstError(form.current);
    const { title: newTitle, body: newBody } = checked.data;
    save.mutate({ body: newBody, ...(newTitle !== undefined && { title: newTitle }) });
  };
  return (
    <form ref={form} className={styles['form']} noValidate onSubmit={submit} aria-label={t('community.editPost')}>
      {post.number === 0 && (
        <Field label={t('community.title')} error={errors['title'] ?? refused['title']}>
          <TextInput
            name="title"
            dir="auto"
            required
            value={title}
            disabled={save.isPending}
            onChange={({ target }) => setTitle(target.value)}
          />
        </Field>
      )}
      <BodyField
        label={t('community.text')}
        value={body}
        error={errors['body'] ?? refused['body']}
        disabled={save.isPending}
        onChange={setBody}
        onSend={submit}
      />
      {save.isError && Object.keys(refused).length === 0 && (
        <ErrorBox message={messageOf(save.error, t('community.sendFailed'))} />
      )}
      <div className={styles['row']}>
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
