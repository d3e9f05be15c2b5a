import { useId } from 'react';
import { Card, DataTable, useLocale } from '@alpenglow/ui';
import { DailyCountsChart, type DailyCount } from './daily-counts-chart.tsx';
import { useText } from '../text.ts';
import styles from './days-card.module.css';

/** Shows a count for each of the last days as a chart, and the exact numbers as a table. */
export function DailyCountsCard({ title, days }: { readonly title: string; readonly days: readonly DailyCount[] }) {
  const t = useText();
  const locale = useLocale();
  const id = useId();
  const total = days.reduce((sum, { count }) => sum + count, 0);
  // Days are counted in UTC, so they are also formatted in UTC and not in the reader's time zone.
  const dayName = (day: string) =>
    new Date(`${day}T00:00:00Z`).toLocaleDateString(locale, { dateStyle: 'medium', timeZone: 'UTC' });
  return (
    <Card className={styles['card']}>
      <h2 id={id}>{title}</h2>
      <p>{t('overview.lastDays', { days: days.length, count: total })}</p>
      <DailyCountsChart days={days} labelledBy={id} />
      <details>
        <summary>{t('overview.asTable')}</summary>
        <DataTable
          label={title}
          variant="none"
          className={styles['figures']}
          rows={[...days].reverse()}
          getKey={({ day }) => day}
          columns={[
            { head: t('day'), cell: ({ day }) => dayName(day) },
            { head: t('overview.count'), cell: ({ count }) => count.toLocaleString(locale) },
          ]}
        />
      </details>
    </Card>
  );
}
