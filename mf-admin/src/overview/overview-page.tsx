import { useQuery, useQueryClient } from '@tanstack/react-query';
import { classNames, ErrorBox, messageOf, Page, TimeAgo, useApi, useLive, useThreadLive } from '@alpenglow/ui';
import { Loading } from '../loading.tsx';
import { LeadHead } from '../panel/lead-head.tsx';
import { overviewQuery } from './calls.ts';
import { DaysCard } from './days-card.tsx';
import { HealthCard } from './health-card.tsx';
import { QueuesCard } from './queues-card.tsx';
import { Figures } from './figures.tsx';
import { SyncCard } from './sync-card.tsx';
import { useText } from './text.ts';
import cards from '../panel/cards.module.css';
import styles from './overview-page.module.css';

/** `/admin`. */
export default function OverviewPage() {
  const t = useText();
  const api = useApi();
  const overview = useQuery(overviewQuery(api));
  useRefreshOnNews();
  const state = overview.data?.data;
  return (
    <Page>
      <LeadHead title={t('overview.title')}>
        {state && (
          <>
            {t('overview.counted')} <TimeAgo at={state.at} />
          </>
        )}
      </LeadHead>
      {overview.isPending && <Loading height="24rem" />}
      {overview.isError && (
        <ErrorBox message={messageOf(overview.error, t('overview.failed'))} onRetry={() => void overview.refetch()} />
      )}
      <div className={classNames(cards['cards'], styles['cards'])}>
        {state && (
          <>
            <Figures state={state} />
            <DaysCard
              title={t('overview.signUpsPerDay')}
              days={state.days.map(({ day, signUps }) => ({ day, count: signUps }))}
            />
            <DaysCard title={t('overview.adsPerDay')} days={state.days.map(({ day, ads }) => ({ day, count: ads }))} />
            <QueuesCard queues={state.queues} />
          </>
        )}
        <HealthCard />
        <SyncCard />
      </div>
    </Page>
  );
}

/** What happens is counted at once, not only when its time has come. */
function useRefreshOnNews(): void {
  const api = useApi();
  const queryClient = useQueryClient();
  const refresh = () =>
    void queryClient.invalidateQueries({ queryKey: overviewQuery(api).queryKey }, { cancelRefetch: false });
  useLive(refresh);
  useThreadLive(refresh);
}
