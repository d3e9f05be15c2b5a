import { lazy, Suspense, useEffect, useRef, type ReactNode, type RefObject } from 'react';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useNavigationType } from 'react-router-dom';
import { adListQuery, ArrowUpIcon, Button, ErrorBox, messageOf, useApi, useHost, VisuallyHidden } from '@alpenglow/ui';
import { AdGrid, AdGridSkeleton } from '../ads/ad-grid.tsx';
import { useText } from '../text.ts';
import { cardsOf, totalOf } from './ad-pages.ts';
import { apiFilterOf, type ListFilter } from './filters.ts';
import { NothingFound } from './nothing-found.tsx';
import { useHeld } from './use-held.ts';
import { useLiveList } from './use-live-list.ts';
import { useRestoredList } from './use-restored-list.ts';
import styles from './ad-list.module.css';

const SKELETONS = 10;

/** Only who searches loads it; without it the list is whole. */
const FoundElsewhere = lazy(() => import('./found-elsewhere.tsx').catch(() => ({ default: () => null })));

export interface AdListProps {
  readonly filter: ListFilter;
  /** Says of the list what it is, for screen readers. */
  readonly label: string;
  /** Beside the count: what is chosen. */
  readonly chips: ReactNode;
  /** An empty list offers what to change. */
  readonly onChange: (filter: ListFilter) => void;
}

/** The ads a filter finds, live, page after page. */
export function AdList({ filter, label, chips, onChange }: AdListProps) {
  const t = useText();
  const api = useApi();
  const { notify } = useHost();
  const headingRef = useRef<HTMLHeadingElement>(null);
  const { ref, isHeld } = useHeld();
  const apiFilter = apiFilterOf(filter);
  const list = useInfiniteQuery({ ...adListQuery(api, apiFilter), placeholderData: keepPreviousData });
  const pages = list.isPlaceholderData ? undefined : list.data;
  const { waiting, showWaiting } = useLiveList(apiFilter, pages, { isHeld });
  const coming = useRestoredList(apiFilter, pages);
  const cards = cardsOf(list.data);
  const total = totalOf(list.data);
  const shown = cards.filter(({ isActive }) => isActive).length;

  useTopOfOtherList(headingRef, JSON.stringify(apiFilter));

  // A search for what is rare may have to be told to look on.
  const isNothingFound = cards.length === 0 && !list.hasNextPage;
  // The count above the list says it all.
  const isOnePage = list.data?.pages.length === 1 && !list.hasNextPage;

  const showNews = () => {
    window.scrollTo({ top: 0 });
    headingRef.current?.focus({ preventScroll: true });
    showWaiting().catch((error: unknown) => notify({ text: messageOf(error, t('api.adsFailed')), tone: 'danger' }));
  };

  if (list.isPending) {
    return (
      <>
        <div className={styles['status']}>
          <p className={styles['count']}>{t('loadingAds')}</p>
          {chips}
        </div>
        <AdGridSkeleton count={Math.max(SKELETONS, coming)} />
      </>
    );
  }
  if (list.isError && cards.length === 0) {
    return (
      <>
        <div className={styles['status']}>{chips}</div>
        <ErrorBox message={messageOf(list.error, t('api.adsFailed'))} onRetry={() => void list.refetch()} />
      </>
    );
  }
  return (
    <>
      <div className={styles['pill']} role="status">
        {waiting > 0 && (
          <Button variant="primary" size="small" onClick={showNews}>
            <ArrowUpIcon />
            {t('newAds', { count: waiting })}
          </Button>
        )}
      </div>
      <div className={styles['status']}>
        <p className={styles['count']} role="status">
          {total !== null && t('resultCount', { count: total })}
        </p>
        {chips}
      </div>
      {filter.q !== '' && (
        <div className={styles['elsewhere']}>
          <Suspense fallback={null}>
            <FoundElsewhere q={filter.q} />
          </Suspense>
        </div>
      )}
      <h2 ref={headingRef} tabIndex={-1} className={styles['heading']}>
        <VisuallyHidden>{label}</VisuallyHidden>
      </h2>
      {isNothingFound && <NothingFound filter={filter} onChange={onChange} />}
      {cards.length > 0 && (
        <div ref={ref} className={list.isPlaceholderData ? styles['stale'] : undefined} aria-busy={list.isFetching}>
          <AdGrid ads={cards} label={label} coming={coming} />
        </div>
      )}
      {!isNothingFound && !isOnePage && (
        <div className={styles['more']}>
          <p role="status">
            {total === null ? t('shown', { count: shown }) : t('shownOf', { shown, total: Math.max(total, shown) })}
          </p>
          {list.isFetchNextPageError && (
            <ErrorBox message={messageOf(list.error, t('api.adsFailed'))} onRetry={() => void list.fetchNextPage()} />
          )}
          {list.hasNextPage && (
            <Button onClick={() => void list.fetchNextPage()} busy={list.isFetchingNextPage || coming > 0}>
              {list.isFetchingNextPage || coming > 0 ? t('loadingMore') : t('showMore')}
            </Button>
          )}
        </div>
      )}
    </>
  );
}

/** Whoever chooses another filter further down begins at the top of what it finds; Back leads to where one was. */
function useTopOfOtherList(heading: RefObject<HTMLElement | null>, list: string): void {
  const navigationType: string = useNavigationType();
  const before = useRef(list);
  useEffect(() => {
    if (before.current === list) return;
    before.current = list;
    if (navigationType !== 'POP' && heading.current && heading.current.getBoundingClientRect().top < 0)
      heading.current.scrollIntoView({ block: 'start' });
  }, [heading, list, navigationType]);
}
