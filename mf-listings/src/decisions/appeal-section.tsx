import { useState, type FormEvent } from 'react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import {
  adKeys,
  Badge,
  Button,
  Card,
  ErrorBox,
  Field,
  isApiError,
  messageOf,
  TextArea,
  useApi,
  useHost,
  useLocale,
  useSendingKey,
} from '@alpenglow/ui';
import { APPEAL_TEXT_MAX, appealFields, type StatementView } from '@alpenglow/domain/contracts';
import { errorsByField } from '../account/field-errors.ts';
import { appeal, keyOf, type Reader } from './calls.ts';
import { useText } from './text.ts';
import styles from './decisions.module.css';

export interface AppealSectionProps {
  readonly statement: StatementView;
  readonly reader: Reader;
}

/** What became of an appeal; the form for one, while there may be one; or that it is too late. */
export function AppealSection({ statement, reader }: AppealSectionProps) {
  const t = useText();
  const { appeal: filed, appealableUntil, outcome } = statement;
  // What was left standing takes nothing from anybody.
  if (filed === null && appealableUntil === null && outcome === 'kept') return null;
  return (
    <Card>
      <section className={styles['appeal']} aria-labelledby="appeal">
        <h2 id="appeal">{t('decisions.appealTitle')}</h2>
        {filed !== null && <Filed appeal={filed} />}
        {filed === null &&
          (appealableUntil === null ? (
            <p>{t('decisions.noAppeal')}</p>
          ) : (
            <AppealForm id={statement.id} until={appealableUntil} reader={reader} />
          ))}
      </section>
    </Card>
  );
}

function Filed({
  appeal: { text, filedAt, outcome, facts, decidedAt },
}: {
  readonly appeal: NonNullable<StatementView['appeal']>;
}) {
  const t = useText();
  const locale = useLocale();
  const words = (time: string) => new Date(time).toLocaleString(locale, { dateStyle: 'long', timeStyle: 'short' });
  return (
    <>
      <p>
        <Badge tone={outcome === 'overturned' ? 'success' : outcome === 'upheld' ? 'danger' : 'accent'}>
          {t(`decisions.appeal.${outcome ?? 'waiting'}`)}
        </Badge>
      </p>
      <dl className={styles['reasons']}>
        <dt>{t('decisions.appealWords')}</dt>
        <dd className={styles['words']} dir="auto">
          {text}
        </dd>
        <dt>{t('decisions.appealedAt')}</dt>
        <dd>
          <time dateTime={filedAt}>{words(filedAt)}</time>
        </dd>
        {facts !== null && (
          <>
            <dt>{t('decisions.appealFacts')}</dt>
            <dd className={styles['words']} dir="auto">
              {facts}
            </dd>
          </>
        )}
        {decidedAt !== null && (
          <>
            <dt>{t('decisions.appealDecidedAt')}</dt>
            <dd>
              <time dateTime={decidedAt}>{words(decidedAt)}</time>
            </dd>
          </>
        )}
      </dl>
      {outcome === null && <p>{t('decisions.appealWaits')}</p>}
    </>
  );
}

function AppealForm({ id, until, reader }: { readonly id: string; readonly until: string; readonly reader: Reader }) {
  const t = useText();
  const api = useApi();
  const locale = useLocale();
  const { notify } = useHost();
  const queryClient = useQueryClient();
  const [text, setText] = useState('');
  const [error, setError] = useState<string | null>(null);
  const sendOnce = useSendingKey();
  const send = useMutation({
    mutationFn: (words: string) => sendOnce((key) => appeal(api, reader, id, words, key)),
    onSuccess: async () => {
      notify({ text: t('decisions.appealed'), tone: 'success' });
      const changed = [keyOf(reader), ...('viewer' in reader ? [adKeys.mine(reader.viewer)] : [])];
      await Promise.all(changed.map((queryKey) => queryClient.invalidateQueries({ queryKey })));
    },
  });
  const refused = isApiError(send.error) ? send.error.fields['text'] : undefined;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (send.isPending) return;
    const checked = appealFields.safeParse({ text });
    setError(checked.success ? null : (errorsByField(checked.error)['text'] ?? null));
    if (checked.success) send.mutate(checked.data.text);
  };
  return (
    <form noValidate className={styles['form']} onSubmit={submit}>
      <p>{t('decisions.appealText', { date: new Date(until).toLocaleDateString(locale, { dateStyle: 'long' }) })}</p>
      <Field
        label={t('decisions.appealLabel')}
        hint={t('decisions.appealHint', { max: APPEAL_TEXT_MAX })}
        error={error ?? refused}
      >
        <TextArea
          dir="auto"
          required
          maxLength={APPEAL_TEXT_MAX}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      </Field>
      {send.isError && refused === undefined && (
        <ErrorBox message={messageOf(send.error, t('decisions.appealFailed'))} />
      )}
      <Button type="submit" variant="primary" busy={send.isPending}>
        {send.isPending ? t('decisions.appealing') : t('decisions.appealSend')}
      </Button>
    </form>
  );
}
