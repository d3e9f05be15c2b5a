import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { SyncResponse } from '@alpenglow/domain/contracts';
import {
  Badge,
  Button,
  Card,
  classNames,
  DataTable,
  forceSync,
  getSyncStatus,
  messageOf,
  QueryView,
  useApi,
  useHost,
  useSend,
} from '@alpenglow/ui';
import { formatPosition } from '../panel/format-position.ts';
import { formatProjectionName } from '../panel/part-names.ts';
import { useText } from '../text.ts';
import tables from '../panel/table.module.css';
import styles from './overview-page.module.css';

const REFRESH_ms = 10_000;
const SYNC_KEY = ['sync'];
/** The server counts the unhandled events of a read model only up to this number. */
const MAX_LAG_events = 1_000;

type Projection = SyncResponse['data']['projections'][number];
const isBehind = ({ state }: Projection) => state !== 'live';

/**
 * Shows how many events each read model has not handled yet if one of them is late. A button waits until all read
 * models have handled all events.
 */
export function SyncCard() {
  const t = useText();
  const api = useApi();
  const sync = useQuery({
    queryKey: SYNC_KEY,
    queryFn: ({ signal }) => getSyncStatus(api, signal),
    refetchInterval: REFRESH_ms,
  });
  const force = useForceSync();
  return (
    <Card className={styles['wide']}>
      <div className={styles['cardHead']}>
        <h2>{t('sync')}</h2>
        <Button busy={force.isPending} onClick={() => force.mutate()}>
          {force.isPending ? t('forcing') : t('force')}
        </Button>
      </div>
      <QueryView query={sync} failedText={t('api.syncStatusFailed')} loadingHeight="12rem">
        {({ data: { projections } }) =>
          projections.some(isBehind) ? (
            <>
              <p>{t('syncText')}</p>
              <ProjectionTable projections={projections} />
            </>
          ) : (
            <p>{t('overview.modelsUpToDate', { count: projections.length })}</p>
          )
        }
      </QueryView>
    </Card>
  );
}

/** Waits until the read models have handled the last event, and shows the result as a notification. */
function useForceSync() {
  const t = useText();
  const api = useApi();
  const { notify } = useHost();
  const queryClient = useQueryClient();
  return useSend({
    mutationFn: () => forceSync(api),
    onSuccess: (response) => {
      queryClient.setQueryData(SYNC_KEY, response);
      const behind = response.data.projections.filter(isBehind).length;
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
      variant="none"
      className={classNames(tables['table'], styles['table'])}
      rows={projections}
      getKey={({ name }) => name}
      columns={[
        { head: t('projection'), cell: ({ name }) => formatProjectionName(t, name) },
        {
          head: t('state'),
          cell: (projection) => (
            <Badge tone={isBehind(projection) ? 'accent' : 'success'}>
              {isBehind(projection) ? t('behind') : t('upToDate')}
            </Badge>
          ),
        },
        {
          head: t('lag'),
          cell: ({ lag }) =>
            lag < MAX_LAG_events ? t('replay.events', { count: lag }) : t('lagOver', { count: MAX_LAG_events }),
        },
        { head: t('position'), cell: ({ position }) => formatPosition(position) },
      ]}
    />
  );
}
