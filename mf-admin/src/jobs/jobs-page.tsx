import { useState } from 'react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useSearchParams } from 'react-router-dom';
import { JOB_STATES, type JobCard, type JobState, type QueueView } from '@alpenglow/domain/contracts';
import {
  Button,
  ConfirmDialog,
  EmptyState,
  ErrorBox,
  messageOf,
  Page,
  PageHeading,
  TimeAgo,
  useApi,
  useLocale,
} from '@alpenglow/ui';
import { Loading } from '../loading.tsx';
import { DataTable } from '../panel/data-table.tsx';
import { More } from '../panel/more.tsx';
import { jobsQuery, queuesQuery, type JobRef } from './calls.ts';
import { JobDialog } from './job-dialog.tsx';
import { useText } from './text.ts';
import { useJobDeeds, type JobDeed } from './use-job-deeds.ts';
import framed from '../panel/framed-table.module.css';
import listStyles from '../panel/list.module.css';
import styles from './jobs-page.module.css';

interface Place {
  readonly kind: string;
  readonly state: JobState;
}

/** `/admin/jobs`: how full each queue is, and the jobs of one of them in one state. */
export default function JobsPage() {
  const t = useText();
  const api = useApi();
  const [search, setSearch] = useSearchParams();
  const queues = useQuery(queuesQuery(api));
  const kind = search.get('kind');
  const state = JOB_STATES.find((one) => one === search.get('state')) ?? 'dead';
  return (
    <Page>
      <header className={listStyles['head']}>
        <PageHeading documentTitle={t('jobs.title')}>{t('jobs.title')}</PageHeading>
      </header>
      {queues.isPending && <Loading height="16rem" />}
      {queues.isError && (
        <ErrorBox message={messageOf(queues.error, t('jobs.listFailed'))} onRetry={() => void queues.refetch()} />
      )}
      {queues.data && (
        <QueueTable
          queues={queues.data.data}
          shown={kind === null ? null : { kind, state }}
          onShow={(place) => setSearch({ ...place }, { replace: true })}
        />
      )}
      {kind !== null && <Jobs key={`${kind}.${state}`} place={{ kind, state }} />}
    </Page>
  );
}

function QueueTable({
  queues,
  shown,
  onShow,
}: {
  readonly queues: readonly QueueView[];
  readonly shown: Place | null;
  readonly onShow: (place: Place) => void;
}) {
  const t = useText();
  const locale = useLocale();
  return (
    <DataTable
      label={t('jobs.queues')}
      columns={[t('jobs.queue'), ...JOB_STATES.map((state) => t(`jobs.state.${state}`))]}
      className={framed['framed']}
    >
      {queues.map((queue) => (
        <tr key={queue.kind}>
          <th scope="row">{queue.kind}</th>
          {JOB_STATES.map((state) => (
            <td key={state}>
              <Button
                size="small"
                variant={state === 'dead' && queue.dead > 0 ? 'danger' : 'quiet'}
                aria-pressed={shown?.kind === queue.kind && shown.state === state}
                aria-label={t('jobs.showOf', {
                  kind: queue.kind,
                  state: t(`jobs.state.${state}`),
                  count: queue[state],
                })}
                onClick={() => onShow({ kind: queue.kind, state })}
              >
                {queue[state].toLocaleString(locale)}
              </Button>
            </td>
          ))}
        </tr>
      ))}
    </DataTable>
  );
}

function Jobs({ place: { kind, state } }: { readonly place: Place }) {
  const t = useText();
  const api = useApi();
  const deeds = useJobDeeds();
  const [open, setOpen] = useState<JobRef | null>(null);
  const [asked, setAsked] = useState<JobDeed | null>(null);
  const list = useInfiniteQuery(jobsQuery(api, kind, state));
  const jobs = list.data?.pages.flatMap(({ data }) => data) ?? [];
  const ask = (deed: JobDeed) => {
    setOpen(null);
    setAsked(deed);
  };
  return (
    <section className={styles['jobs']} aria-labelledby="jobs-shown">
      <div className={listStyles['head']}>
        <h2 id="jobs-shown">{t('jobs.of', { kind, state: t(`jobs.state.${state}`) })}</h2>
        {state === 'dead' && jobs.length > 0 && (
          <Button onClick={() => ask({ what: 'retryDead', kind })}>{t('jobs.retryDead')}</Button>
        )}
      </div>
      {list.isPending && <Loading height="10rem" />}
      {list.isError && jobs.length === 0 && (
        <ErrorBox message={messageOf(list.error, t('jobs.listFailed'))} onRetry={() => void list.refetch()} />
      )}
      {list.data && jobs.length === 0 && <EmptyState title={t('jobs.none')} />}
      {jobs.length > 0 && <JobTable jobs={jobs} onOpen={setOpen} />}
      <More list={list} />
      {open && <JobDialog job={open} onAsk={ask} onClose={() => setOpen(null)} />}
      {asked && (
        <ConfirmDialog
          open
          danger={asked.what === 'remove'}
          title={t(`jobs.${asked.what}Title`)}
          confirmLabel={t(`jobs.${asked.what}`)}
          cancelLabel={t('common.cancel')}
          busy={deeds.isPending}
          onCancel={() => setAsked(null)}
          onConfirm={() => deeds.mutate(asked, { onSettled: () => setAsked(null) })}
        >
          <p>{t(`jobs.${asked.what}Text`)}</p>
        </ConfirmDialog>
      )}
    </section>
  );
}

function JobTable({ jobs, onOpen }: { readonly jobs: readonly JobCard[]; readonly onOpen: (job: JobRef) => void }) {
  const t = useText();
  return (
    <DataTable
      label={t('jobs.title')}
      columns={[t('jobs.job'), t('jobs.attempts'), t('jobs.enqueued'), t('jobs.actions')]}
      className={framed['framed']}
    >
      {jobs.map((job) => (
        <tr key={job.id}>
          <th scope="row">
            {job.id}
            {job.error !== null && <span>{job.error}</span>}
          </th>
          <td>{t('jobs.attemptsOf', { attempts: job.attempts, max: job.maxAttempts })}</td>
          <td>
            <TimeAgo at={job.enqueuedAt} />
          </td>
          <td>
            <Button
              size="small"
              aria-label={t('jobs.inspectOf', { id: job.id })}
              onClick={() => onOpen({ kind: job.kind, id: job.id })}
            >
              {t('jobs.inspect')}
            </Button>
          </td>
        </tr>
      ))}
    </DataTable>
  );
}
