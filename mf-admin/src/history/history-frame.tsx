import type { ReactNode } from 'react';
import type { UseQueryResult } from '@tanstack/react-query';
import {
  Breadcrumbs,
  EmptyState,
  ErrorBox,
  isApiError,
  LinkButton,
  messageOf,
  Page,
  PageHeading,
  type Breadcrumb,
} from '@alpenglow/ui';
import type { ChangeView } from '@alpenglow/domain/contracts';
import { Loading } from '../loading.tsx';
import type { Kind, Moments } from './calls.ts';
import { Difference } from './difference.tsx';
import { MomentBar, type Standing } from './moment-bar.tsx';
import { useText } from './text.ts';
import { Timeline } from './timeline.tsx';
import styles from './history.module.css';

interface Answer {
  readonly data: Standing & { readonly difference: readonly ChangeView[] | null };
}

interface HistoryFrameProps<Found extends Answer> {
  readonly kind: Kind;
  readonly id: string;
  readonly title: string;
  /** The ways back to this page, without itself. */
  readonly trail: readonly Breadcrumb[];
  readonly asOf: UseQueryResult<Found>;
  readonly moments: Moments;
  readonly onMoments: (moments: Moments) => void;
  /** Stands beside the title. */
  readonly actions?: ReactNode;
  /** How it stood at the moment. */
  readonly children: (data: Found['data']) => ReactNode;
}

/** What every history has: the moment that is looked at, how things stood then, what differs at another, and the events. */
export function HistoryFrame<Found extends Answer>({
  kind,
  id,
  title,
  trail,
  asOf,
  moments,
  onMoments,
  actions,
  children,
}: HistoryFrameProps<Found>) {
  const t = useText();
  const isUnknown = isApiError(asOf.error) && asOf.error.status === 404;
  return (
    <Page>
      <Breadcrumbs items={[...trail, { label: title }]} />
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
              <p className={styles['muted']}>
                <code>{id}</code>
              </p>
            </div>
            {actions}
          </header>
          <div className={styles['page']}>
            {asOf.isPending && <Loading height="24rem" />}
            {asOf.isError && (
              <ErrorBox message={messageOf(asOf.error, t('history.failed'))} onRetry={() => void asOf.refetch()} />
            )}
            {asOf.data && (
              <>
                <MomentBar at={moments.at} standing={asOf.data.data} onChange={(at) => onMoments({ ...moments, at })} />
                <div aria-busy={asOf.isPlaceholderData || undefined} className={styles['stood']}>
                  {children(asOf.data.data)}
                  <Difference
                    moments={moments}
                    difference={asOf.data.data.difference}
                    onClose={() => onMoments({ ...moments, and: null })}
                  />
                </div>
                <Timeline kind={kind} id={id} moments={moments} onMoments={onMoments} />
              </>
            )}
          </div>
        </>
      )}
    </Page>
  );
}
