import { use, useEffect, useEffectEvent, useRef, useState, type FormEvent } from 'react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { newThreadFields, THREAD_TITLE_MAX, type NewThreadFields } from '@alpenglow/domain/contracts';
import {
  Button,
  communityKeys,
  ErrorBox,
  Field,
  isApiError,
  messageOf,
  TextInput,
  useApi,
  useHost,
  useSendingKey,
  useUser,
} from '@alpenglow/ui';
import { startThread } from '../api/calls.ts';
import { placePath, type Place } from '../places.ts';
import { useText } from '../text.ts';
import { BegunAt } from './begun-at.ts';
import { BodyField } from './body-field.tsx';
import { createDraftStore, type DraftValues } from './draft.ts';
import { errorsByField, focusFirstError } from './field-errors.ts';
import { HouseRules } from './house-rules.tsx';
import { leftText } from './left-text.ts';
import { PlaceChooser } from './place-chooser.tsx';
import styles from './write.module.css';

/** A new thread: where, what about, and its first post. Kept while it is written. */
export default function NewThreadForm() {
  const t = useText();
  const place = use(BegunAt);
  const api = useApi();
  const { navigate, notify } = useHost();
  const queryClient = useQueryClient();
  const viewer = useUser()?.id ?? '';
  const form = useRef<HTMLFormElement>(null);
  const [draft] = useState(() => createDraftStore({ viewer, name: 'thread' }));
  const [values, setValues] = useState(() => beginning(place, draft.load()));
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  const sendOnce = useSendingKey();
  const send = useMutation({
    mutationFn: (fields: NewThreadFields) => sendOnce((key) => startThread(api, fields, key)),
    onSuccess: ({ data }) => {
      draft.clear();
      notify({ text: t('community.threadStarted'), tone: 'success' });
      void queryClient.invalidateQueries({ queryKey: communityKeys.all, refetchType: 'none' });
      navigate(data.path);
    },
    onError: (error) => {
      if (isApiError(error) && Object.keys(error.fields).length > 0) focusFirstError(form.current);
    },
  });
  const refused = isApiError(send.error) ? send.error.fields : {};
  const errorOf = (field: string) => errors[field] ?? refused[field];

  const begin = useEffectEvent(() =>
    form.current?.querySelector<HTMLElement>(values.city === '' ? 'select' : 'input')?.focus({ preventScroll: true }),
  );
  useEffect(() => begin(), []);

  const change = (changed: Partial<typeof values>) => {
    const now = { ...values, ...changed };
    setValues(now);
    draft.save({ ...(now.title.trim() === '' && now.body.trim() === '' ? {} : now) });
    if (send.isError) send.reset();
  };
  const submit = (event?: FormEvent) => {
    event?.preventDefault();
    if (send.isPending) return;
    const checked = newThreadFields.safeParse(values);
    setErrors(checked.success ? {} : errorsByField(checked.error));
    if (checked.success) send.mutate(checked.data);
    else focusFirstError(form.current);
  };
  return (
    <form ref={form} className={styles['form']} noValidate onSubmit={submit} aria-label={t('community.startThread')}>
      <PlaceChooser
        value={values}
        error={errorOf('city') ?? errorOf('state')}
        disabled={send.isPending}
        onChange={change}
      />
      <Field
        label={t('community.title')}
        hint={leftText(t, values.title, THREAD_TITLE_MAX) ?? t('community.titleHint')}
        error={errorOf('title')}
      >
        <TextInput
          name="title"
          dir="auto"
          autoComplete="off"
          required
          value={values.title}
          disabled={send.isPending}
          onChange={({ target }) => change({ title: target.value })}
        />
      </Field>
      <BodyField
        label={t('community.text')}
        value={values.body}
        error={errorOf('body')}
        disabled={send.isPending}
        onChange={(body) => change({ body })}
        onSend={submit}
      />
      <HouseRules />
      {send.isError && Object.keys(refused).length === 0 && (
        <ErrorBox message={messageOf(send.error, t('community.sendFailed'))} />
      )}
      <div className={styles['row']}>
        <Button type="submit" variant="primary" busy={send.isPending}>
          {send.isPending ? t('community.sending') : t('community.startThread')}
        </Button>
        <Button
          variant="quiet"
          disabled={send.isPending}
          onClick={() => navigate(place ? placePath(place) : '/community')}
        >
          {t('common.cancel')}
        </Button>
      </div>
    </form>
  );
}

/** What the form begins with: what was kept, in the place where it is opened now. */
function beginning(place: Place | null, draft: DraftValues | null) {
  const here = { country: place?.country.code ?? '', state: place?.state?.code ?? '', city: place?.city ?? '' };
  const kept = { country: draft?.['country'] ?? '', state: draft?.['state'] ?? '', city: draft?.['city'] ?? '' };
  return {
    ...(here.city === '' && kept.city !== '' ? kept : here),
    title: draft?.['title'] ?? '',
    body: draft?.['body'] ?? '',
  };
}
