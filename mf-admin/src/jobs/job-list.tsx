import { useMemo, useState } from 'react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Badge, Button, DataTable, EmptyState, PagedList, TimeAgo, useApi, NewEntries } from '@alpenglow/ui';

import { useFormatTime } from '../panel/use-format-time.ts';
import { useHeldRows } from '../panel/use-held-rows.ts';
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
 * job. While an admin uses the list, its rows do not move (F-38).
 */
export function JobList({ selected: { kind, state } }: { readonly selected: QueueAndState }) {
  const t = useText();
  const formatTime = useFormatTime('medium');
  const action = useJobAction();
  const [open, setOpen] = useState<JobReference | null>(null);
  const list = useInfiniteQuery(jobsQuery(useApi(), kind, state));
  const jobs = useMemo(() => list.data?.pages.flatMap(({ data }) => data) ?? [], [list.data]);
  const { rows, waiting, release, ref } = useHeldRows(jobs, JSON.stringify([kind, state]));
  const request = (requested: JobAction) => {
    setOpen(null);
    action.openDialog(requested);
  };
  return (
    <section className={styles['jobs']} aria-labelledby="jobs-shown">
      <div className={listStyles['head']}>
        <h2 id="jobs-shown">{t('jobs.of', { kind: formatJobKind(t, kind), state: t(`jobs.state.${state}`) })}</h2>
        {state === 'dead' && jobs.length > 0 && (
          <Button onClick={() => request({ type: 'retryDead', kind })}>{t('jobs.retryDead')}</Button>
        )}
      </div>
      <PagedList
        list={list}
        failedText={t('jobs.listFailed')}
        empty={<EmptyState title={t('jobs.none')} />}
        loadingHeight="10rem"
        // The last job may have left the list while the pointer is on its row.
        isShownEmpty={rows.length > 0}
      >
        {() => (
          <>
            <NewEntries count={waiting} onShow={release}>
              {t('jobs.newJobs', { count: waiting })}
            </NewEntries>
            <div ref={ref}>
              <DataTable
                label={t('nav.jobs')}
                rows={rows}
                getKey={({ item }) => item.id}
                columns={[
                  {
                    head: t('jobs.job'),
                    cell: ({ item: job }) => (
                      <>
                        {formatJobKind(t, job.kind)}
                        {job.error !== null && <span>{job.error}</span>}
                      </>
                    ),
                  },
                  {
                    head: t('jobs.attempts'),
                    cell: ({ item: { attempts, maxAttempts } }) => t('jobs.attemptsOf', { attempts, max: maxAttempts }),
                  },
                  { head: t('jobs.enqueued'), cell: ({ item }) => <TimeAgo at={item.enqueuedAt} /> },
                  {
                    head: t('table.actions'),
                    cell: ({ item: job, isGone }) =>
                      isGone ? (
                        <div className={styles['notInList']}>
                          <Badge>{t('jobs.notInList')}</Badge>
                        </div>
                      ) : (
                        <Button
                          size="small"
                          aria-label={t('jobs.inspectOf', {
                            job: formatJobKind(t, job.kind),
                            time: formatTime(job.enqueuedAt),
                          })}
                          onClick={() => setOpen({ kind: job.kind, id: job.id })}
                        >
                          {t('jobs.inspect')}
                        </Button>
                      ),
                  },
                ]}
              />
            </div>
          </>
        )}
      </PagedList>
      {open && <JobDialog job={open} onAction={request} onClose={() => setOpen(null)} />}
      {action.dialog}
    </section>
  );
}
