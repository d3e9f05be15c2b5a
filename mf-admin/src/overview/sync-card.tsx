import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ResponseOf } from '@alpenglow/domain/contracts';
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
  TimeAgo,
  useApi,
  useHost,
  useSend,
} from '@alpenglow/ui';
import { formatPosition } from '../panel/format-position.ts';
import { formatConsumerName, formatProjectionName } from '../panel/part-names.ts';
import { useText } from '../text.ts';
import tables from '../panel/table.module.css';
import styles from './overview-page.module.css';

const REFRESH_ms = 10_000;
const SYNC_KEY = ['sync'];
/** The server counts the unhandled events of a read model only up to this number. */
const MAX_LAG_events = 1_000;

type Projection = ResponseOf<'getSyncStatus'>['data']['projections'][number];
const BADGE_TONES = { live: 'success', 'catching up': 'accent', failing: 'danger' } as const;
const STATE_TEXTS = { live: 'upToDate', 'catching up': 'behind', failing: 'failing.state' } as const;
type Failing = Pick<Projection, 'name' | 'cause' | 'since'>;
const isFailing = ({ state }: Pick<Projection, 'state'>) => state === 'failing';
const isBehind = ({ state }: Projection) => state !== 'live';

/**
 * Shows how many events each read model has not handled yet if one of them is late, and which consumers of events
 * fail. A button waits until all read models have handled all events.
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
        {({ data: { projections, consumers } }) => (
          <>
            <FailingConsumers failing={[...projections.filter(isFailing), ...consumers]} />
            {projections.some(isBehind) ? (
              <>
                <p>{t('syncText')}</p>
                <ProjectionTable projections={projections} />
              </>
            ) : (
              <p>{t('overview.modelsUpToDate', { count: projections.length })}</p>
            )}
          </>
        )}
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

/** Shows the consumers of events that fail, with the cause and since when. Shows nothing if there is none. */
function FailingConsumers({ failing }: { readonly failing: readonly Failing[] }) {
  const t = useText();
  if (failing.length === 0) return null;
  return (
    <section aria-labelledby="failing-consumers">
      <h3 id="failing-consumers">{t('failing.title')}</h3>
      <p>{t('failing.text')}</p>
      <DataTable
        label={t('failing.title')}
        variant="none"
        className={classNames(tables['table'], styles['table'], styles['causes'])}
        rows={failing}
        getKey={({ name }) => name}
        columns={[
          { head: t('failing.consumer'), cell: ({ name }) => formatConsumerName(t, name) },
          { head: t('failing.since'), cell: ({ since }) => since !== null && <TimeAgo at={since} /> },
          { head: t('failing.cause'), cell: ({ cause }) => cause },
        ]}
      />
    </section>
  );
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
          cell: (projection) => <Badge tone={BADGE_TONES[projection.state]}>{t(STATE_TEXTS[projection.state])}</Badge>,
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
