import { useState, type FormEvent } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import {
  adKeys,
  Badge,
  Button,
  Card,
  ErrorBox,
  errorsByField,
  Field,
  isApiError,
  messageOf,
  RestoredText,
  TextArea,
  useApi,
  useHost,
  useLocale,
  useSendingKey,
  useTextDraft,
  useSend,
} from '@alpenglow/ui';
import { APPEAL_TEXT_MAX, appealFields, isAppealableOutcome, type StatementView } from '@alpenglow/domain/contracts';
import { fileAppeal, getStatementsKey, type StatementReader } from './api.ts';
import { useText } from './text.ts';
import styles from './decisions.module.css';

export interface AppealSectionProps {
  readonly statement: StatementView;
  readonly reader: StatementReader;
}

/**
 * Shows the state of the appeal against a moderation decision. Without an appeal, shows the form for an appeal, or a
 * note that the time limit for an appeal is over.
 */
export function AppealSection({ statement, reader }: AppealSectionProps) {
  const t = useText();
  const { appeal: filed, appealableUntil, outcome } = statement;
  // The decision left the content unchanged, so there is nothing to appeal.
  if (filed === null && appealableUntil === null && !isAppealableOutcome(outcome)) return null;
  return (
    <Card>
      <section className={styles['appeal']} aria-labelledby="appeal">
        <h2 id="appeal">{t('decisions.appealTitle')}</h2>
        {filed !== null && <FiledAppeal appeal={filed} />}
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

function FiledAppeal(props: { readonly appeal: NonNullable<StatementView['appeal']> }) {
  const { text, filedAt, outcome, facts, decidedAt } = props.appeal;
  const t = useText();
  const locale = useLocale();
  const formatted = (time: string) => new Date(time).toLocaleString(locale, { dateStyle: 'long', timeStyle: 'short' });
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
          <time dateTime={filedAt}>{formatted(filedAt)}</time>
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
              <time dateTime={decidedAt}>{formatted(decidedAt)}</time>
            </dd>
          </>
        )}
      </dl>
      {outcome === null && <p>{t('decisions.appealWaits')}</p>}
    </>
  );
}

/** The form for an appeal. Unsent text is stored in this tab, because it may contain personal data. */
function AppealForm(props: { readonly id: string; readonly until: string; readonly reader: StatementReader }) {
  const { id, until, reader } = props;
  const t = useText();
  const api = useApi();
  const locale = useLocale();
  const { notify } = useHost();
  const queryClient = useQueryClient();
  const draft = useTextDraft(`appeal.${id}`, { in: 'tab' });
  const [text, setText] = useState(draft.texts['text'] ?? '');
  const [error, setError] = useState<string | null>(null);
  const sendOnce = useSendingKey();
  const send = useSend({
    mutationFn: (formatted: string) => sendOnce((key) => fileAppeal(api, reader, id, formatted, key)),
    onSuccess: async () => {
      draft.clear();
      notify({ text: t('decisions.appealed'), tone: 'success' });
      const changed = [getStatementsKey(reader), ...('viewer' in reader ? [adKeys.mine(reader.viewer)] : [])];
      await Promise.all(changed.map((queryKey) => queryClient.invalidateQueries({ queryKey })));
    },
  });
  const rejectedText = isApiError(send.error) ? send.error.fields['text'] : undefined;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (send.isPending) return;
    const validation = appealFields.safeParse({ text });
    setError(validation.success ? null : (errorsByField(validation.error)['text'] ?? null));
    if (validation.success) send.mutate(validation.data.text);
  };
  return (
    <form noValidate className={styles['form']} onSubmit={submit}>
      <p>{t('decisions.appealText', { date: new Date(until).toLocaleDateString(locale, { dateStyle: 'long' }) })}</p>
      <RestoredText draft={draft} onDiscard={() => setText('')} />
      <Field
        label={t('decisions.appealLabel')}
        hint={t('decisions.appealHint', { max: APPEAL_TEXT_MAX })}
        error={error ?? rejectedText}
      >
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
      {send.isError && rejectedText === undefined && (
        <ErrorBox message={messageOf(send.error, t('decisions.appealFailed'))} />
      )}
      <Button type="submit" variant="primary" busy={send.isPending}>
        {send.isPending ? t('decisions.appealing') : t('decisions.appealSend')}
      </Button>
    </form>
  );
}
