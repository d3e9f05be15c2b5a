import type { ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { JobView } from '@alpenglow/domain/contracts';
import { Button, Dialog, ErrorBox, messageOf, useApi, useLocale } from '@alpenglow/ui';
import { Loading } from '../loading.tsx';
import { Facts } from '../panel/facts.tsx';
import { RawText } from '../panel/raw-text.tsx';
import { jobQuery, type JobRef } from './calls.ts';
import { useText } from './text.ts';
import type { JobDeed } from './use-job-deeds.ts';

/** One job: what it is about, how often it failed and of what; and what can be done about it. */
export function JobDialog({
  job,
  onAsk,
  onClose,
}: {
  readonly job: JobRef;
  readonly onAsk: (deed: JobDeed) => void;
  readonly onClose: () => void;
}) {
  const t = useText();
  const api = useApi();
  const found = useQuery(jobQuery(api, job));
  const canAct = found.data !== undefined && found.data.data.state !== 'active';
  return (
    <Dialog
      open
      title={t('jobs.job')}
      onClose={onClose}
      actions={
        <>
          <Button variant="danger" disabled={!canAct} onClick={() => onAsk({ what: 'remove', job })}>
            {t('jobs.remove')}
          </Button>
          <Button variant="primary" disabled={!canAct} onClick={() => onAsk({ what: 'retry', job })}>
            {t('jobs.retry')}
          </Button>
        </>
      }
    >
      {found.isPending && <Loading height="12rem" />}
      {found.isError && (
        <ErrorBox message={messageOf(found.error, t('jobs.loadFailed'))} onRetry={() => void found.refetch()} />
      )}
      {found.data && <JobFacts job={found.data.data} />}
    </Dialog>
  );
}

function JobFacts({ job }: { readonly job: JobView }) {
  const t = useText();
  const locale = useLocale();
  const at = (time: string) => new Date(time).toLocaleString(locale, { dateStyle: 'medium', timeStyle: 'medium' });
  const times = [
    [t('jobs.enqueued'), job.enqueuedAt],
    [t('jobs.next'), job.nextAt],
    [t('jobs.started'), job.startedAt],
    [t('jobs.ended'), job.endedAt],
  ] as const;
  const facts: readonly (readonly [string, ReactNode])[] = [
    [t('jobs.id'), job.id],
    [t('jobs.stateOf'), t(`jobs.state.${job.state}`)],
    [t('jobs.attempts'), t('jobs.attemptsOf', { attempts: job.attempts, max: job.maxAttempts })],
    ...times.flatMap(([name, time]) => (time === null ? [] : [[name, at(time)] as const])),
    ...job.payload.map(({ name, value }) => [name, value] as const),
    ...(job.error === null ? [] : [[t('jobs.error'), job.error] as const]),
  ];
  return (
    <>
      <Facts facts={facts} />
      {job.stack.map((stack, index) => (
        <RawText key={index} label={t('jobs.stack')} wraps>
          {stack}
        </RawText>
      ))}
    </>
  );
}
