import { useQuery, useQueryClient } from '@tanstack/react-query';
import {
  classNames,
  Loading,
  Page,
  QueryError,
  TimeAgo,
  useApi,
  useLive,
  usePacer,
  useThreadLive,
} from '@alpenglow/ui';
import { PageIntro } from '../panel/page-intro.tsx';
import { overviewQuery } from './api.ts';
import { DailyCountsCard } from './daily-counts-card.tsx';
import { HealthCard } from './health-card.tsx';
import { PictureChecksCard } from './picture-checks-card.tsx';
import { QueuesCard } from './queues-card.tsx';
import { Figures, Waiting } from './figures.tsx';
import { SyncCard } from './sync-card.tsx';
import { useText } from '../text.ts';
import cards from '../panel/cards.module.css';
import styles from './overview-page.module.css';

/** The page `/admin`. It shows an overview of the most important numbers and the health of the site. */
export default function OverviewPage() {
  const t = useText();
  const api = useApi();
  const overview = useQuery(overviewQuery(api));
  useRefreshOnLiveMessage();
  const state = overview.data?.data;
  return (
    <Page>
      <PageIntro title={t('nav.overview')}>
        {state && (
          <>
            {t('overview.counted')} <TimeAgo at={state.at} />
          </>
        )}
      </PageIntro>
      {overview.isPending && <Loading height="24rem" />}
      {overview.isError && <QueryError query={overview} text={t('overview.failed')} />}
      <div className={classNames(cards['cards'], styles['cards'])}>
        {state && (
          <>
            <Waiting state={state} />
            <Figures state={state} />
            <DailyCountsCard
              title={t('overview.signUpsPerDay')}
              days={state.days.map(({ day, signUps }) => ({ day, count: signUps }))}
            />
            <DailyCountsCard
              title={t('overview.adsPerDay')}
              days={state.days.map(({ day, ads }) => ({ day, count: ads }))}
            />
            <QueuesCard queues={state.queues} />
          </>
        )}
        <PictureChecksCard />
        <HealthCard />
        <SyncCard />
      </div>
    </Page>
  );
}

/** Refreshes the overview after messages of the live WebSocket channel, in addition to regular polling. */
function useRefreshOnLiveMessage(): void {
  const api = useApi();
  const queryClient = useQueryClient();
  const { queryKey } = overviewQuery(api);
  const refetch = usePacer<string>(() => void queryClient.invalidateQueries({ queryKey }, { cancelRefetch: false }));
  const refresh = ({ seq }: { readonly seq: string }) => refetch(seq);
  useLive(refresh, { topics: [{ kind: 'all' }], queryKey });
  useThreadLive(refresh, { topics: [] });
}
