import { useId } from 'react';
import { Card, useLocale } from '@alpenglow/ui';
import { DaysChart, type DayCount } from './days-chart.tsx';
import { useText } from './text.ts';
import styles from './days-card.module.css';

/** How often something happened on each of the last days: as a chart, and as a table for whoever reads figures. */
export function DaysCard({ title, days }: { readonly title: string; readonly days: readonly DayCount[] }) {
  const t = useText();
  const locale = useLocale();
  const id = useId();
  const total = days.reduce((sum, { count }) => sum + count, 0);
  // Days are those of UTC, wherever one looks from.
  const dayName = (day: string) =>
    new Date(`${day}T00:00:00Z`).toLocaleDateString(locale, { dateStyle: 'medium', timeZone: 'UTC' });
  return (
    <Card className={styles['card']}>
      <h2 id={id}>{title}</h2>
      <p>{t('overview.lastDays', { days: days.length, count: total })}</p>
      <DaysChart days={days} labelledBy={id} />
      <details>
        <summary>{t('overview.asTable')}</summary>
        <div className={styles['figures']} role="region" aria-labelledby={id} tabIndex={0}>
          <table>
            <thead>
              <tr>
                <th scope="col">{t('overview.day')}</th>
                <th scope="col">{t('overview.count')}</th>
              </tr>
            </thead>
            <tbody>
              {[...days].reverse().map(({ day, count }) => (
                <tr key={day}>
                  <th scope="row">{dayName(day)}</th>
                  <td>{count.toLocaleString(locale)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </Card>
  );
}
