import { use, useEffect, useEffectEvent, useRef, useState, type FormEvent } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { newThreadFields, THREAD_TITLE_MAX, type NewThreadFields } from '@alpenglow/domain/contracts';
import {
  Button,
  classNames,
  communityKeys,
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
  useHost,
  useSendingKey,
  useTextDraft,
  useSend,
} from '@alpenglow/ui';
import { startThread } from '../api/requests.ts';
import { getPlacePath, type Place } from '../places.ts';
import { useText } from '../text.ts';
import { NewThreadPlace } from './new-thread-place.ts';
import { BodyField } from './body-field.tsx';
import { HouseRules } from './house-rules.tsx';
import { formatRemainingLength } from './remaining-length.ts';
import { PlaceChooser } from './place-chooser.tsx';
import styles from './write.module.css';

/** The form for the place, title and first post of a new thread. Unsent text is stored as a draft in this browser. */
export default function NewThreadForm() {
  const t = useText();
  const place = use(NewThreadPlace);
  const api = useApi();
  const { navigate, notify } = useHost();
  const queryClient = useQueryClient();
  const form = useRef<HTMLFormElement>(null);
  const draft = useTextDraft('community.thread', { in: 'browser' });
  const [values, setValues] = useState(() => initialValues(place, draft.texts));
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  const sendOnce = useSendingKey();
  const send = useSend({
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
  const rejectedFields = isApiError(send.error) ? send.error.fields : {};
  const errorOf = (field: string) => errors[field] ?? rejectedFields[field];

  const focusFirstField = useEffectEvent(() =>
    form.current
      ?.querySelector<HTMLElement>(values.city === '' ? '[name=city]' : '[name=title]')
      ?.focus({ preventScroll: true }),
  );
  useEffect(() => focusFirstField(), []);

  const change = (changed: Partial<typeof values>) => {
    const newValues = { ...values, ...changed };
    setValues(newValues);
    draft.save(newValues.title.trim() === '' && newValues.body.trim() === '' ? {} : newValues);
    if (send.isError) send.reset();
  };
  const submit = (event?: FormEvent) => {
    event?.preventDefault();
    if (send.isPending) return;
    const validation = newThreadFields.safeParse(values);
    setErrors(validation.success ? {} : errorsByField(validation.error));
    if (validation.success) send.mutate(validation.data);
    else focusFirstError(form.current);
  };
  return (
    <form ref={form} className={styles['form']} noValidate onSubmit={submit} aria-label={t('community.startThread')}>
      <RestoredText draft={draft} onDiscard={() => setValues(initialValues(place, {}))} />
      <PlaceChooser
        value={values}
        error={errorOf('city') ?? errorOf('state')}
        disabled={send.isPending}
        onChange={change}
      />
      <Field
        label={t('community.title')}
        hint={formatRemainingLength(t, values.title, THREAD_TITLE_MAX) ?? t('community.titleHint')}
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
      {send.isError && Object.keys(rejectedFields).length === 0 && (
        <ErrorBox message={messageOf(send.error, t('community.sendFailed'))} />
      )}
      <div className={classNames(layout['row3'], layout['centered'])}>
        <Button type="submit" variant="primary" busy={send.isPending}>
          {send.isPending ? t('community.sending') : t('community.startThread')}
        </Button>
        <Button
          variant="quiet"
          disabled={send.isPending}
          onClick={() => navigate(place ? getPlacePath(place) : '/community')}
        >
          {t('common.cancel')}
        </Button>
      </div>
    </form>
  );
}

/**
 * Returns the initial values of the form. The texts are those of the draft. The place is the city of the list from
 * which the form was opened. If that list has no city, the place is the city of the draft.
 */
function initialValues(place: Place | null, draft: Readonly<Record<string, string | undefined>>) {
  const currentPlace = { country: place?.country.code ?? '', state: place?.state?.code ?? '', city: place?.city ?? '' };
  const draftPlace = { country: draft['country'] ?? '', state: draft['state'] ?? '', city: draft['city'] ?? '' };
  return {
    ...(currentPlace.city === '' && draftPlace.city !== '' ? draftPlace : currentPlace),
    title: draft['title'] ?? '',
    body: draft['body'] ?? '',
  };
}
