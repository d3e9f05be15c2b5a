import { Link } from 'react-router-dom';
import { JOB_STATES, type OverviewView } from '@alpenglow/domain/contracts';
import { Card, ErrorBox, useLocale } from '@alpenglow/ui';
import { DataTable } from '../panel/data-table.tsx';
import { useText } from './text.ts';
import styles from './overview-page.module.css';

/** How much work waits for the workers. */
export function QueuesCard({ queues }: Pick<OverviewView, 'queues'>) {
  const t = useText();
  const locale = useLocale();
  return (
    <Card className={styles['wide']}>
      <h2>{t('overview.queues')}</h2>
      {queues === null ? (
        <ErrorBox message={t('overview.queuesAway')} />
      ) : (
        <DataTable
          label={t('overview.queues')}
          columns={[t('overview.queue'), ...JOB_STATES.map((state) => t(`overview.jobs.${state}`))]}
          className={styles['table']}
        >
          {queues.map((queue) => (
            <tr key={queue.kind}>
              <th scope="row">
                <Link to={`/admin/jobs?kind=${queue.kind}&state=${queue.dead > 0 ? 'dead' : 'waiting'}`}>
                  {queue.kind}
                </Link>
              </th>
              {JOB_STATES.map((state) => (
                <td key={state}>{queue[state].toLocaleString(locale)}</td>
              ))}
            </tr>
          ))}
        </DataTable>
      )}
    </Card>
  );
}
