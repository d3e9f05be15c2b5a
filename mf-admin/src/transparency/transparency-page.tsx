import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useSearchParams } from 'react-router-dom';
import {
  Breadcrumbs,
  Button,
  Card,
  ErrorBox,
  Field,
  isApiError,
  messageOf,
  Page,
  PageHeading,
  TextInput,
  useApi,
} from '@alpenglow/ui';
import { Loading } from '../loading.tsx';
import { ExportButtons } from '../panel/export-buttons.tsx';
import { downloadReport, reportQuery, type Period } from './calls.ts';
import { periodIn, periodNamed, PERIODS } from './period.ts';
import { Report } from './report.tsx';
import { useText } from './text.ts';
import styles from './transparency.module.css';

/** `/admin/transparency`: what was reported, decided and erased in a period. */
export default function TransparencyPage() {
  const t = useText();
  const api = useApi();
  const [search, setSearch] = useSearchParams();
  const [openedAt_ms] = useState(() => Date.now());
  const period = periodIn(search, openedAt_ms);
  const report = useQuery(reportQuery(api, period));
  const isRefused = isApiError(report.error) && 'from' in report.error.fields;
  return (
    <Page>
      <Breadcrumbs items={[{ label: t('transparency.admin'), to: '/admin' }, { label: t('transparency.title') }]} />
      <header className={styles['head']}>
        <PageHeading documentTitle={t('transparency.title')}>{t('transparency.title')}</PageHeading>
        <p className={styles['muted']}>{t('transparency.text')}</p>
      </header>
      <div className={styles['page']}>
        <PeriodCard
          period={period}
          isRefused={isRefused}
          now_ms={openedAt_ms}
          onChange={(next) => setSearch({ ...next }, { replace: true })}
        />
        {report.isPending && <Loading height="24rem" />}
        {report.isError && !isRefused && (
          <ErrorBox message={messageOf(report.error, t('transparency.failed'))} onRetry={() => void report.refetch()} />
        )}
        {report.data && !report.isError && (
          <div aria-busy={report.isPlaceholderData || undefined} className={styles['page']}>
            <Report report={report.data.data} />
          </div>
        )}
      </div>
    </Page>
  );
}

interface PeriodCardProps {
  readonly period: Period;
  /** There is no report of it. */
  readonly isRefused: boolean;
  readonly now_ms: number;
  readonly onChange: (period: Period) => void;
}

function PeriodCard({ period, isRefused, now_ms, onChange }: PeriodCardProps) {
  const t = useText();
  const api = useApi();
  return (
    <Card className={styles['period']}>
      <div className={styles['dates']}>
        <Field
          label={t('transparency.from')}
          error={isRefused ? t(period.from > period.to ? 'transparency.wrongOrder' : 'transparency.tooLong') : null}
        >
          <TextInput
            type="date"
            value={period.from}
            max={period.to}
            onChange={({ target }) => target.value !== '' && onChange({ ...period, from: target.value })}
          />
        </Field>
        <Field label={t('transparency.to')}>
          <TextInput
            type="date"
            value={period.to}
            min={period.from}
            onChange={({ target }) => target.value !== '' && onChange({ ...period, to: target.value })}
          />
        </Field>
      </div>
      <div className={styles['buttons']}>
        {PERIODS.map((name) => (
          <Button key={name} size="small" variant="quiet" onClick={() => onChange(periodNamed(name, now_ms))}>
            {t(`transparency.period.${name}`)}
          </Button>
        ))}
        <ExportButtons
          labelOf={(format) => t('transparency.export', { format })}
          isDisabled={isRefused}
          download={(format) => downloadReport(api, period, format)}
          failedText={t('transparency.exportFailed')}
        />
      </div>
    </Card>
  );
}
