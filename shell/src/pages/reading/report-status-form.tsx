import { REPORT_REFERENCE } from '@alpenglow/domain/contracts';
import { Button, ErrorBox, Field, messageOf, TextInput, useApi, useLocale, useSend } from '@alpenglow/ui';
import { useState, type FormEvent } from 'react';
import { useText } from '../text.ts';
import styles from './report-status.module.css';

const EXAMPLE = 'R-1C6T2M4XA07KQ2M';
const TIME_FORMAT = { dateStyle: 'long', timeStyle: 'short' } as const;

/**
 * A form in which visitors enter the reference number of their report. The result shows only whether the report has
 * been decided.
 */
export function ReportStatusForm() {
  const t = useText();
  const api = useApi();
  const locale = useLocale();
  const [reference, setReference] = useState('');
  const [error, setError] = useState<string | null>(null);
  const statusQuery = useSend({
    mutationFn: (normalized: string) =>
      api.request<'getReport'>({ path: `/reports/${encodeURIComponent(normalized)}` }),
  });
  const report = statusQuery.data?.data;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const normalized = reference.trim().toUpperCase();
    const isNumber = REPORT_REFERENCE.test(normalized);
    setError(isNumber ? null : t('help.ask.wrong', { example: EXAMPLE }));
    if (isNumber) statusQuery.mutate(normalized);
  };
  return (
    <>
      <p>{t('help.ask.text')}</p>
      <form noValidate className={styles['form']} onSubmit={submit} data-needs-scripts="">
        <Field label={t('help.ask.number')} hint={t('help.ask.hint', { example: EXAMPLE })} error={error}>
          <TextInput
            autoComplete="off"
            autoCapitalize="characters"
            spellCheck={false}
            maxLength={40}
            value={reference}
            onChange={({ target }) => {
              statusQuery.reset();
              setReference(target.value);
            }}
          />
        </Field>
        <Button type="submit" busy={statusQuery.isPending}>
          {t('help.ask.send')}
        </Button>
      </form>
      <div role="status">
        {report && (
          <p className={styles['response']}>
            {t('help.ask.filed', { time: new Date(report.filedAt).toLocaleString(locale, TIME_FORMAT) })}{' '}
            <strong>{report.status === 'decided' ? t('help.ask.decided') : t('help.ask.received')}</strong>
          </p>
        )}
      </div>
      {statusQuery.isError && <ErrorBox message={messageOf(statusQuery.error, t('help.ask.failed'))} />}
    </>
  );
}
