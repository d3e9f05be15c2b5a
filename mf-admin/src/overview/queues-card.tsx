import { Link } from 'react-router-dom';
import { JOB_STATES, type OverviewView, type QueueView } from '@alpenglow/domain/contracts';
import { Card, classNames, DataTable, ErrorBox, useLocale } from '@alpenglow/ui';
import { formatJobKind } from '../jobs/job-kind.ts';
import { useText } from '../text.ts';
import tables from '../panel/table.module.css';
import styles from './overview-page.module.css';

/** A card with the number of background jobs in each queue. */
export function QueuesCard({ queues }: Pick<OverviewView, 'queues'>) {
  const t = useText();
  const locale = useLocale();
  return (
    <Card className={styles['wide']}>
      <h2>{t('nav.jobs')}</h2>
      {queues === null ? (
        <ErrorBox message={t('overview.queuesAway')} />
      ) : (
        <DataTable
          label={t('nav.jobs')}
          variant="none"
          className={classNames(tables['table'], styles['table'])}
          rows={queues}
          getKey={({ kind }) => kind}
          columns={[
            {
              head: t('jobs.queue'),
              cell: ({ kind, dead }) => (
                <Link to={`/admin/jobs?kind=${kind}&state=${dead > 0 ? 'dead' : 'waiting'}`}>
                  {formatJobKind(t, kind)}
                </Link>
              ),
            },
            ...JOB_STATES.map((state) => ({
              head: t(`overview.jobs.${state}`),
              cell: (queue: QueueView) => queue[state].toLocaleString(locale),
            })),
          ]}
        />
      )}
    </Card>
  );
}
