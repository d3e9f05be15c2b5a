import { Button, EmptyState, ErrorBox, layout, messageOf, Page, PageHeading, Skeleton, useLocale } from '@alpenglow/ui';
import { useQuery } from '@tanstack/react-query';
import { FrontEndTable } from './front-ends/front-end-table.tsx';
import { fetchFrontEnds, type FrontEnds } from './front-ends/front-ends.ts';
import { Size } from './front-ends/size.tsx';
import { StatisticsTable } from './front-ends/statistics-table.tsx';
import { useText } from './text.ts';
import styles from './front-ends-page.module.css';

/**
 * Shows developers the status of the front ends, with their deployments, sizes, speeds and errors in browsers. The page
 * contains no personal data.
 */
export default function FrontEndsPage() {
  const t = useText();
  const { data, error, isFetching, refetch, dataUpdatedAt } = useQuery({
    queryKey: ['front-ends'],
    queryFn: ({ signal }) => fetchFrontEnds(signal),
  });
  const refresh = () => void refetch();
  return (
    <Page className={styles['page']}>
      <header className={styles['head']}>
        <div>
          <PageHeading documentTitle={t('frontEnds.title')}>{t('frontEnds.title')}</PageHeading>
          <p className={styles['intro']}>{t('frontEnds.intro')}</p>
        </div>
        <div className={styles['refresh']}>
          {data && <AsOf at_ms={dataUpdatedAt} />}
          <Button size="small" busy={isFetching} onClick={refresh}>
            {isFetching ? t('frontEnds.refreshing') : t('frontEnds.refresh')}
          </Button>
        </div>
      </header>
      {error && (
        <ErrorBox message={t('frontEnds.failed')} onRetry={refresh}>
          {messageOf(error, '')}
        </ErrorBox>
      )}
      {data ? <State state={data} /> : !error && <Waiting />}
    </Page>
  );
}

function State({ state: { shell, remotes, statistics } }: { readonly state: FrontEnds }) {
  const t = useText();
  const live = new Set([shell.hash, ...remotes.flatMap(({ hash }) => hash ?? [])]);
  const canaries = new Map(remotes.flatMap(({ canary }) => (canary ? [[canary.hash, canary.percent] as const] : [])));
  return (
    <>
      <section className={styles['shell']} aria-label={t('frontEnds.shell')}>
        <strong>{t('frontEnds.shell')}</strong>
        <code>{shell.hash}</code>
        <span>{t('frontEnds.shellText', { version: shell.contractVersion })}</span>
        <Size bytes={shell.sizeBytes} />
      </section>
      {remotes.some(({ hash }) => hash !== null) ? (
        <FrontEndTable remotes={remotes} />
      ) : (
        <EmptyState title={t('frontEnds.empty')}>
          <p>{t('frontEnds.emptyText')}</p>
        </EmptyState>
      )}
      {statistics ? (
        <StatisticsTable statistics={statistics} live={live} canaries={canaries} />
      ) : (
        <p className={layout['hint']}>{t('frontEnds.statisticsFailed')}</p>
      )}
    </>
  );
}

function AsOf({ at_ms }: { readonly at_ms: number }) {
  const t = useText();
  const locale = useLocale();
  return (
    <span>{t('frontEnds.asOf', { time: new Intl.DateTimeFormat(locale, { timeStyle: 'medium' }).format(at_ms) })}</span>
  );
}

function Waiting() {
  const t = useText();
  return (
    <div role="status" aria-label={t('common.loading')} className={styles['waiting']}>
      <Skeleton height="3.5rem" />
      <Skeleton height="16rem" />
    </div>
  );
}
