import type { ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { JobView } from '@alpenglow/domain/contracts';
import { Button, Dialog, QueryView, useApi } from '@alpenglow/ui';
import { Facts } from '../panel/facts.tsx';
import { RawText } from '../panel/raw-text.tsx';
import { TechnicalDetails } from '../panel/technical-details.tsx';
import { useFormatTime } from '../panel/use-format-time.ts';
import { jobQuery, type JobReference } from './api.ts';
import { formatJobKind } from './job-kind.ts';
import { useText } from '../text.ts';
import type { JobAction } from './use-job-action.ts';

/**
 * A dialog with the data, the attempts and the errors of a background job, and with buttons to retry or remove the job.
 */
export function JobDialog({
  job,
  onAction,
  onClose,
}: {
  readonly job: JobReference;
  readonly onAction: (action: JobAction) => void;
  readonly onClose: () => void;
}) {
  const t = useText();
  const result = useQuery(jobQuery(useApi(), job));
  const canAct = result.data !== undefined && result.data.data.state !== 'active';
  return (
    <Dialog
      open
      title={formatJobKind(t, job.kind)}
      onClose={onClose}
      actions={
        <>
          <Button variant="danger" disabled={!canAct} onClick={() => onAction({ type: 'remove', job })}>
            {t('jobs.remove')}
          </Button>
          <Button variant="primary" disabled={!canAct} onClick={() => onAction({ type: 'retry', job })}>
            {t('jobs.retry')}
          </Button>
        </>
      }
    >
      <QueryView query={result} failedText={t('jobs.loadFailed')} loadingHeight="12rem">
        {({ data }) => <JobFacts job={data} />}
      </QueryView>
    </Dialog>
  );
}

function JobFacts({ job }: { readonly job: JobView }) {
  const t = useText();
  const formatTime = useFormatTime('medium');
  const times = [
    [t('jobs.enqueued'), job.enqueuedAt],
    [t('jobs.next'), job.nextAt],
    [t('jobs.started'), job.startedAt],
    [t('jobs.ended'), job.endedAt],
  ] as const;
  const facts: readonly (readonly [string, ReactNode])[] = [
    [t('jobs.stateOf'), t(`jobs.state.${job.state}`)],
    [t('jobs.attempts'), t('jobs.attemptsOf', { attempts: job.attempts, max: job.maxAttempts })],
    ...times.flatMap(([name, time]) => (time === null ? [] : [[name, formatTime(time)] as const])),
    ...(job.error === null ? [] : [[t('jobs.error'), job.error] as const]),
  ];
  return (
    <>
      <Facts facts={facts} />
      <TechnicalDetails>
        <Facts facts={[[t('id'), job.id], ...job.payload.map(({ name, value }) => [name, value] as const)]} />
        {job.stack.map((stack, index) => (
          <RawText key={index} label={t('jobs.stack')} wraps>
            {stack}
          </RawText>
        ))}
      </TechnicalDetails>
    </>
  );
}
