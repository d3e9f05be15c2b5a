import { useEffect, useRef, type ReactNode, type RefObject } from 'react';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useNavigationType } from 'react-router-dom';
import {
  adListQuery,
  EmptyState,
  ErrorBox,
  FirstPageLink,
  lazySection,
  messageOf,
  MoreLink,
  QueryError,
  useApi,
  useHost,
  useIsHydrated,
  useNextPageUrl,
  useStartCursor,
  VisuallyHidden,
  NewEntries,
} from '@alpenglow/ui';
import { AdGrid, AdGridSkeleton } from '../ads/ad-grid.tsx';
import { SHORT_LIST_ads } from '../ads/short-list.ts';
import { useText } from '../text.ts';
import { getCards, getNextCursor, getSearch, getTotal } from './ad-pages.ts';
import { getSelectedFilters, toApiFilter, type ListFilter } from './filters.ts';
import { useInteraction } from './use-interaction.ts';
import { useLiveNotice } from '../ads/live-notice.ts';
import { useLiveList } from './use-live-list.ts';
import { useRestoredList } from './use-restored-list.ts';
import styles from './ad-list.module.css';

const SKELETONS = 10;

/** The parts below are shown in addition to the list, so nothing replaces one that fails. */
const nothing = () => null;
/** The numbers of matching threads and articles below a search. */
const FoundElsewhere = lazySection(() => import('./other-results.tsx'), null, { instead: nothing });
const MoreAds = lazySection(() => import('../ads/more-ads.tsx'), null, { instead: nothing });
/** The suggestions for an empty list. If they fail, only the title is shown. */
const NoResults = lazySection(
  () => import(/* webpackChunkName: "no-results" */ './no-results.tsx'),
  ({ title }) => <EmptyState title={title} />,
  { chunk: 'no-results', instead: ({ title }) => <EmptyState title={title} /> },
);

export interface AdListProps {
  readonly filter: ListFilter;
  readonly label: string;
  readonly chips: ReactNode;
  /** True on the page of a city, because the city filter cannot be removed there. */
  readonly isPlaceFixed?: boolean;
  /** Called when the visitor chooses another filter, which an empty list suggests. */
  readonly onChange: (filter: ListFilter) => void;
}

/**
 * The list of ads that match a filter. Messages of the live WebSocket channel update the list, and a link loads more
 * ads. If the URL contains a cursor, the list begins with the page of this cursor.
 */
export function AdList({ filter, label, chips, isPlaceFixed = false, onChange }: AdListProps) {
  const t = useText();
  const api = useApi();
  const { notify } = useHost();
  // The server renders only the list itself, because the other parts load more code and data.
  const isHydrated = useIsHydrated();
  const headingRef = useRef<HTMLHeadingElement>(null);
  const { ref, isInteracting } = useInteraction();
  const apiFilter = toApiFilter(filter);
  const start = useStartCursor();
  const nextPageUrl = useNextPageUrl();
  const list = useInfiniteQuery({ ...adListQuery(api, apiFilter, start), placeholderData: keepPreviousData });
  const pages = list.isPlaceholderData ? undefined : list.data;
  const { showWaiting, forgetEvents, ...live } = useLiveList(apiFilter, pages, { start, isHeld: isInteracting });
  const notice = useLiveNotice(live);
  const pendingCount = useRestoredList(apiFilter, start, pages);
  const cards = getCards(list.data);
  const total = getTotal(list.data);
  const shown = cards.filter(({ isActive }) => isActive).length;

  useScrollToNewList(headingRef, JSON.stringify([apiFilter, start]));

  // The first page of a search may be empty while later pages contain ads, so `hasNextPage` is also checked.
  const isEmpty = cards.length === 0 && !list.hasNextPage;
  const isSearch = getSelectedFilters(filter).some(({ name }) => !isPlaceFixed || name !== 'city');
  const isShort = start === null && pages !== undefined && !list.hasNextPage && cards.length <= SHORT_LIST_ads;
  // A short search without a place offers ads near the first result.
  const center = filter.state === null ? (isSearch ? cards[0] : undefined) : filter;
  // True if all ads are on one page. The number of ads is then shown only above the list.
  const isSinglePage = list.data?.pages.length === 1 && !list.hasNextPage;
  const nextCursor = getNextCursor(list.data);
  const isLoadingMore = list.isFetchingNextPage || pendingCount > 0;

  const showNewAds = () => {
    window.scrollTo({ top: 0 });
    headingRef.current?.focus({ preventScroll: true });
    forgetEvents();
    if (live.waiting === 0) return;
    showWaiting().catch((error: unknown) => notify({ text: messageOf(error, t('api.adsFailed')), tone: 'danger' }));
  };

  if (list.isPending) {
    return (
      <>
        <div className={styles['status']}>
          <p className={styles['count']}>{t('loadingAds')}</p>
          {chips}
        </div>
        <FirstPageLink />
        <AdGridSkeleton count={Math.max(SKELETONS, pendingCount)} />
      </>
    );
  }
  if (list.isError && cards.length === 0) {
    return (
      <>
        <div className={styles['status']}>{chips}</div>
        <FirstPageLink />
        <QueryError query={list} text={t('api.adsFailed')} />
      </>
    );
  }
  return (
    <>
      <div className={styles['status']} data-notice={notice.count > 0 || undefined}>
        <p className={styles['count']} role="status">
          {total !== null && t('resultCount', { count: total })}
        </p>
        <NewEntries count={notice.count} onShow={showNewAds} className={styles['pill']}>
          {notice.text}
        </NewEntries>
        {chips}
      </div>
      {filter.q !== '' && <div className={styles['elsewhere']}>{isHydrated && <FoundElsewhere q={filter.q} />}</div>}
      <h2 ref={headingRef} tabIndex={-1} className={styles['heading']}>
        <VisuallyHidden>{label}</VisuallyHidden>
      </h2>
      <FirstPageLink />
      {isEmpty && (
        <NoResults
          title={isSearch ? t('noMatchTitle') : t('emptyTitle')}
          filter={filter}
          isPlaceFixed={isPlaceFixed}
          onChange={onChange}
        />
      )}
      {cards.length > 0 && (
        <div ref={ref} className={list.isPlaceholderData ? styles['stale'] : undefined} aria-busy={list.isFetching}>
          <AdGrid
            ads={cards}
            label={label}
            search={getSearch(list.data)}
            hasState={filter.state === null}
            coming={pendingCount}
          />
        </div>
      )}
      {!isEmpty && !isSinglePage && (
        <div className={styles['more']}>
          <p role="status">
            {total === null || start !== null
              ? t('shown', { count: shown })
              : t('shownOf', { shown, total: Math.max(total, shown) })}
          </p>
          {list.isFetchNextPageError && (
            <ErrorBox message={messageOf(list.error, t('api.adsFailed'))} onRetry={() => void list.fetchNextPage()} />
          )}
          {nextCursor !== null && (
            <MoreLink
              to={nextPageUrl(nextCursor)}
              rel="next"
              busy={isLoadingMore}
              onMore={() => void list.fetchNextPage()}
            >
              {isLoadingMore ? t('loadingMore') : t('showMore')}
            </MoreLink>
          )}
        </div>
      )}
      {isHydrated && isShort && center?.state != null && (
        <MoreAds state={center.state} city={center.city} except={cards.map(({ id }) => id)} />
      )}
    </>
  );
}

/**
 * Scrolls to the top of the list when the filter changes. After the Back button, the browser restores the earlier
 * scroll position instead.
 */
function useScrollToNewList(heading: RefObject<HTMLElement | null>, list: string): void {
  const navigationType: string = useNavigationType();
  const previousList = useRef(list);
  useEffect(() => {
    if (previousList.current === list) return;
    previousList.current = list;
    if (navigationType !== 'POP' && heading.current && heading.current.getBoundingClientRect().top < 0)
      heading.current.scrollIntoView({ block: 'start' });
  }, [heading, list, navigationType]);
}
