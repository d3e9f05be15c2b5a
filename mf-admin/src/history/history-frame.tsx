import type { ReactNode } from 'react';
import type { UseQueryResult } from '@tanstack/react-query';
import {
  Breadcrumbs,
  EmptyState,
  isApiError,
  LinkButton,
  Page,
  PageHeading,
  type Breadcrumb,
  QueryView,
} from '@alpenglow/ui';
import type { ChangeView } from '@alpenglow/domain/contracts';
import { TechnicalDetails } from '../panel/technical-details.tsx';
import type { HistoryKind, SelectedTimes } from './api.ts';
import { TimeComparison } from './time-comparison.tsx';
import { TimeSelector, type HistoryPosition } from './time-selector.tsx';
import { useText } from '../text.ts';
import { Timeline } from './timeline.tsx';
import styles from './history.module.css';

interface SnapshotResponse {
  readonly data: HistoryPosition & { readonly difference: readonly ChangeView[] | null };
}

interface HistoryFrameProps<Snapshot extends SnapshotResponse> {
  readonly kind: HistoryKind;
  readonly id: string;
  /** The name of the ad, the account or the thread, if it is known. */
  readonly name?: string | undefined;
  /** Breadcrumbs between the breadcrumb of the admin panel and the breadcrumb of this page. */
  readonly parents?: readonly Breadcrumb[];
  readonly asOf: UseQueryResult<Snapshot>;
  readonly times: SelectedTimes;
  readonly onTimesChange: (moments: SelectedTimes) => void;
  /** Content next to the title of the page. */
  readonly actions?: ReactNode;
  /** Renders the state of the ad, the account or the thread at the selected time. */
  readonly children: (data: Snapshot['data']) => ReactNode;
}

/**
 * The common parts of all history pages: the selection of a time, the state at that time, the comparison with another
 * time, and the list of events.
 */
export function HistoryFrame<Snapshot extends SnapshotResponse>({
  kind,
  id,
  name,
  parents = [],
  asOf,
  times: moments,
  onTimesChange: onMoments,
  actions,
  children,
}: HistoryFrameProps<Snapshot>) {
  const t = useText();
  const kindTitle = t(`history.of.${kind}`);
  const title = name === undefined ? kindTitle : `${kindTitle}: ${name}`;
  const isUnknown = isApiError(asOf.error) && asOf.error.status === 404;
  return (
    <Page>
      <Breadcrumbs items={[{ label: t('title'), to: '/admin' }, ...parents, { label: kindTitle }]} />
      {isUnknown ? (
        <EmptyState
          title={<PageHeading documentTitle={t('history.unknown')}>{t('history.unknown')}</PageHeading>}
          actions={<LinkButton to="/admin">{t('history.back')}</LinkButton>}
        />
      ) : (
        <>
          <header className={styles['head']}>
            <div>
              <PageHeading documentTitle={title}>{title}</PageHeading>
              <TechnicalDetails>
                <code>{id}</code>
              </TechnicalDetails>
            </div>
            {actions}
          </header>
          <div className={styles['page']}>
            <QueryView query={asOf} failedText={t('history.failed')} loadingHeight="24rem">
              {({ data }: Snapshot) => (
                <>
                  <TimeSelector at={moments.at} standing={data} onChange={(at) => onMoments({ ...moments, at })} />
                  <div aria-busy={asOf.isPlaceholderData || undefined} className={styles['state']}>
                    {children(data)}
                    <TimeComparison
                      moments={moments}
                      difference={data.difference}
                      onClose={() => onMoments({ ...moments, and: null })}
                    />
                  </div>
                  <Timeline kind={kind} id={id} times={moments} onTimesChange={onMoments} />
                </>
              )}
            </QueryView>
          </div>
        </>
      )}
    </Page>
  );
}
