import { JOB_STATES, type JobState, type QueueView } from '@alpenglow/domain/contracts';
import { Button, DataTable, useLocale } from '@alpenglow/ui';
import { useText } from '../text.ts';
import { formatJobKind } from './job-kind.ts';

/** A queue and a state. Together, they select the jobs to show, e.g. the delayed jobs of one queue. */
export interface QueueAndState {
  readonly kind: string;
  readonly state: JobState;
}

export interface QueueTableProps {
  readonly queues: readonly QueueView[];
  readonly shown: QueueAndState | null;
  readonly onShow: (selected: QueueAndState) => void;
}

/** A table with the number of jobs in each queue and state. A click on a number lists these jobs. */
export function QueueTable({ queues, shown, onShow }: QueueTableProps) {
  const t = useText();
  const locale = useLocale();
  return (
    <DataTable
      label={t('jobs.queues')}
      rows={queues}
      getKey={({ kind }) => kind}
      columns={[
        { head: t('jobs.queue'), cell: ({ kind }) => formatJobKind(t, kind) },
        ...JOB_STATES.map((state) => ({
          head: t(`jobs.state.${state}`),
          cell: (queue: QueueView) => (
            <Button
              size="small"
              variant={state === 'dead' && queue.dead > 0 ? 'danger' : 'quiet'}
              aria-pressed={shown?.kind === queue.kind && shown.state === state}
              aria-label={t('jobs.showOf', {
                kind: formatJobKind(t, queue.kind),
                state: t(`jobs.state.${state}`),
                count: queue[state],
              })}
              onClick={() => onShow({ kind: queue.kind, state })}
            >
              {queue[state].toLocaleString(locale)}
            </Button>
          ),
        })),
      ]}
    />
  );
}
