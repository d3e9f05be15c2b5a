import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { SyncAnswer } from '@alpenglow/domain/contracts';
import { Badge, Button, Card, ErrorBox, messageOf, useApi, useHost } from '@alpenglow/ui';
import { Loading } from '../loading.tsx';
import { DataTable } from '../panel/data-table.tsx';
import { positionText } from '../panel/position-text.ts';
import { useText } from '../text.ts';
import styles from './overview-page.module.css';

const REFRESH_ms = 10_000;
const SYNC_KEY = ['sync'];
/** The server counts up to here (product decisions, "Answers"). */
const MAX_LAG_events = 1_000;

type Projection = SyncAnswer['data']['projections'][number];
const isBehind = ({ state }: Projection) => state !== 'live';

/** How far the read models are, and a button that waits until they are there (specification, section 7, "Sync"). */
export function SyncCard() {
  const t = useText();
  const api = useApi();
  const sync = useQuery({
    queryKey: SYNC_KEY,
    queryFn: ({ signal }) => api.syncStatus(signal),
    refetchInterval: REFRESH_ms,
  });
  const force = useForce();
  return (
    <Card className={styles['wide']}>
      <div className={styles['cardHead']}>
        <div>
          <h2>{t('sync')}</h2>
          <p>{t('syncText')}</p>
        </div>
        <Button busy={force.isPending} onClick={() => force.mutate()}>
          {force.isPending ? t('forcing') : t('force')}
        </Button>
      </div>
      {sync.isPending && <Loading height="12rem" />}
      {sync.isError && (
        <ErrorBox message={messageOf(sync.error, t('api.syncStatusFailed'))} onRetry={() => void sync.refetch()} />
      )}
      {sync.data && <ProjectionTable projections={sync.data.data.projections} />}
    </Card>
  );
}

/** Brings the read models up to the last event, and says how it went. */
function useForce() {
  const t = useText();
  const api = useApi();
  const { notify } = useHost();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => api.syncForce(),
    onSuccess: (answer) => {
      queryClient.setQueryData(SYNC_KEY, answer);
      const behind = answer.data.projections.filter(isBehind).length;
      notify(
        behind === 0
          ? { text: t('forced'), tone: 'success' }
          : { text: t('stillBehind', { count: behind }), tone: 'info' },
      );
    },
    onError: (error) => notify({ text: messageOf(error, t('api.syncForceFailed')), tone: 'danger' }),
  });
}

function ProjectionTable({ projections }: { readonly projections: readonly Projection[] }) {
  const t = useText();
  return (
    <DataTable
      label={t('sync')}
      columns={[t('projection'), t('state'), t('lag'), t('position')]}
      className={styles['table']}
    >
      {projections.map((projection) => (
        <tr key={projection.name}>
          <th scope="row">{projection.name}</th>
          <td>
            <Badge tone={isBehind(projection) ? 'accent' : 'success'}>
              {isBehind(projection) ? t('behind') : t('upToDate')}
            </Badge>
          </td>
          <td>
            {projection.lag < MAX_LAG_events
              ? t('lagUnit', { count: projection.lag })
              : t('lagOver', { count: MAX_LAG_events })}
          </td>
          <td>{positionText(projection.position)}</td>
        </tr>
      ))}
    </DataTable>
  );
}
