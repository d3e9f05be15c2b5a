import { REPORT_REFERENCE, type ReportStatusAnswer } from '@alpenglow/domain/contracts';
import { Button, ErrorBox, Field, messageOf, TextInput, useApi, useLocale } from '@alpenglow/ui';
import { useMutation } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { useText } from '../text.ts';
import styles from './ask-after-report.module.css';

const EXAMPLE = 'R-07KQ2M4X';

/** Whoever has reported something asks with its number whether it is decided; nothing else is told. */
export function AskAfterReport() {
  const t = useText();
  const api = useApi();
  const locale = useLocale();
  const [reference, setReference] = useState('');
  const [error, setError] = useState<string | null>(null);
  const ask = useMutation({
    mutationFn: (asked: string) => api.call<ReportStatusAnswer>({ path: `/reports/${encodeURIComponent(asked)}` }),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const asked = reference.trim().toUpperCase();
    const isNumber = REPORT_REFERENCE.test(asked);
    setError(isNumber ? null : t('help.ask.wrong', { example: EXAMPLE }));
    if (isNumber) ask.mutate(asked);
  };
  return (
    <>
      <p>{t('help.ask.text')}</p>
      <form noValidate className={styles['form']} onSubmit={submit}>
        <Field label={t('help.ask.number')} hint={t('help.ask.hint', { example: EXAMPLE })} error={error}>
          <TextInput
            autoComplete="off"
            autoCapitalize="characters"
            spellCheck={false}
            maxLength={40}
            value={reference}
            onChange={({ target }) => {
              ask.reset();
              setReference(target.value);
            }}
          />
        </Field>
        <Button type="submit" busy={ask.isPending}>
          {t('help.ask.send')}
        </Button>
      </form>
      <div role="status">
        {ask.data && (
          <p className={styles['answer']}>
            {t('help.ask.filed', {
              time: new Date(ask.data.data.filedAt).toLocaleString(locale, { dateStyle: 'long', timeStyle: 'short' }),
            })}{' '}
            <strong>{ask.data.data.status === 'decided' ? t('help.ask.decided') : t('help.ask.received')}</strong>
          </p>
        )}
      </div>
      {ask.isError && <ErrorBox message={messageOf(ask.error, t('help.ask.failed'))} />}
    </>
  );
}
