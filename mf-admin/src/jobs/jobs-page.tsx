import { useQuery } from '@tanstack/react-query';
import { useSearchParams } from 'react-router-dom';
import { JOB_STATES } from '@alpenglow/domain/contracts';
import { Page, QueryView, useApi } from '@alpenglow/ui';
import { useChoice } from '../panel/choice-links.tsx';
import { ListHeader } from '../panel/list-header.tsx';
import { useText } from '../text.ts';
import { queuesQuery } from './api.ts';
import { JobList } from './job-list.tsx';
import { QueueTable } from './queue-table.tsx';

/** The page `/admin/jobs`. It shows the number of jobs in each queue, and the jobs of the selected queue and state. */
export default function JobsPage() {
  const t = useText();
  const [search, setSearch] = useSearchParams();
  const queues = useQuery(queuesQuery(useApi()));
  const kind = search.get('kind');
  const state = useChoice('state', JOB_STATES, 'dead');
  return (
    <Page>
      <ListHeader title={t('nav.jobs')} />
      <QueryView query={queues} failedText={t('jobs.listFailed')} loadingHeight="16rem">
        {({ data }) => (
          <QueueTable
            queues={data}
            shown={kind === null ? null : { kind, state }}
            onShow={(selected) => setSearch({ ...selected }, { replace: true })}
          />
        )}
      </QueryView>
      {kind !== null && <JobList key={`${kind}.${state}`} selected={{ kind, state }} />}
    </Page>
  );
}
