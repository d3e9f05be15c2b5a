import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useSearchParams } from 'react-router-dom';
import {
  Breadcrumbs,
  getServerTime_ms,
  isApiError,
  layout,
  Loading,
  Page,
  PageHeading,
  QueryError,
  useApi,
} from '@alpenglow/ui';
import { reportQuery } from './api.ts';
import { readPeriod } from './period.ts';
import { PeriodCard } from './period-card.tsx';
import { Report } from './report.tsx';
import { useText } from '../text.ts';
import styles from './transparency.module.css';

/** The page `/admin/transparency`. It shows the numbers of reports, decisions and erasures in a period. */
export default function TransparencyPage() {
  const t = useText();
  const [search, setSearch] = useSearchParams();
  const [openedAt_ms] = useState(getServerTime_ms);
  const period = readPeriod(search, openedAt_ms);
  const report = useQuery(reportQuery(useApi(), period));
  const isRejected = isApiError(report.error) && 'from' in report.error.fields;
  return (
    <Page>
      <Breadcrumbs items={[{ label: t('title'), to: '/admin' }, { label: t('nav.transparency') }]} />
      <header className={styles['head']}>
        <PageHeading documentTitle={t('nav.transparency')}>{t('nav.transparency')}</PageHeading>
        <p className={layout['muted']}>{t('transparency.text')}</p>
      </header>
      <div className={styles['page']}>
        <PeriodCard
          period={period}
          isRejected={isRejected}
          now_ms={openedAt_ms}
          onChange={(next) => setSearch({ ...next }, { replace: true })}
        />
        {report.isPending && <Loading height="24rem" />}
        {report.isError && !isRejected && <QueryError query={report} text={t('transparency.failed')} />}
        {report.data && !report.isError && (
          <div aria-busy={report.isPlaceholderData || undefined} className={styles['page']}>
            <Report report={report.data.data} />
          </div>
        )}
      </div>
    </Page>
  );
}
