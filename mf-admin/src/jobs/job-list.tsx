import { useState } from 'react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Button, EmptyState, PagedTable, TimeAgo, useApi } from '@alpenglow/ui';
import { NameCell } from '../panel/list-parts.tsx';
import { useFormatTime } from '../panel/use-format-time.ts';
import { useText } from '../text.ts';
import { formatJobKind } from './job-kind.ts';
import { jobsQuery, type JobReference } from './api.ts';
import { JobDialog } from './job-dialog.tsx';
import type { QueueAndState } from './queue-table.tsx';
import { useJobAction, type JobAction } from './use-job-action.ts';
import listStyles from '../panel/list.module.css';
import styles from './jobs-page.module.css';

/**
 * Lists the jobs of the selected queue that are in the selected state. A dialog shows the details and the actions of a
 * job.
 */
export function JobList({ selected: { kind, state } }: { readonly selected: QueueAndState }) {
  const t = useText();
  const formatTime = useFormatTime('medium');
  const action = useJobAction();
  const [open, setOpen] = useState<JobReference | null>(null);
  const list = useInfiniteQuery(jobsQuery(useApi(), kind, state));
  const hasJobs = list.data?.pages.some(({ data }) => data.length > 0) ?? false;
  const request = (requested: JobAction) => {
    setOpen(null);
    action.openDialog(requested);
  };
  return (
    <section className={styles['jobs']} aria-labelledby="jobs-shown">
      <div className={listStyles['head']}>
        <h2 id="jobs-shown">{t('jobs.of', { kind: formatJobKind(t, kind), state: t(`jobs.state.${state}`) })}</h2>
        {state === 'dead' && hasJobs && (
          <Button onClick={() => request({ type: 'retryDead', kind })}>{t('jobs.retryDead')}</Button>
        )}
      </div>
      <PagedTable
        list={list}
        failedText={t('jobs.listFailed')}
        empty={<EmptyState title={t('jobs.none')} />}
        loadingHeight="10rem"
        label={t('nav.jobs')}
        getKey={({ id }) => id}
        columns={[
          { head: t('jobs.job'), cell: (job) => <NameCell name={formatJobKind(t, job.kind)} detail={job.error} /> },
          {
            head: t('jobs.attempts'),
            cell: ({ attempts, maxAttempts }) => t('jobs.attemptsOf', { attempts, max: maxAttempts }),
          },
          { head: t('jobs.enqueued'), cell: ({ enqueuedAt }) => <TimeAgo at={enqueuedAt} /> },
          {
            head: t('table.actions'),
            cell: (job) => (
              <Button
                size="small"
                aria-label={t('jobs.inspectOf', { job: formatJobKind(t, job.kind), time: formatTime(job.enqueuedAt) })}
                onClick={() => setOpen({ kind: job.kind, id: job.id })}
              >
                {t('jobs.inspect')}
              </Button>
            ),
          },
        ]}
      />
      {open && <JobDialog job={open} onAction={request} onClose={() => setOpen(null)} />}
      {action.dialog}
    </section>
  );
}
