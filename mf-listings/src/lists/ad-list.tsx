import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { stateOf } from '@alpenglow/domain/contracts';
import {
  adListQuery,
  apiMessages,
  ArrowUpIcon,
  Button,
  EmptyState,
  ErrorBox,
  fill,
  fillCount,
  listingsMessages as text,
  messageOf,
  useApi,
  VisuallyHidden,
} from '@alpenglow/ui';
import { AdGrid, AdGridSkeleton } from '../ads/ad-grid.tsx';
import { cardsOf, totalOf } from './ad-pages.ts';
import { apiFilterOf, chosenCount, type ListFilter } from './filters.ts';
import { useLiveList } from './use-live-list.ts';
import styles from './ad-list.module.css';

const SKELETONS = 10;
const TOP_px = 240;

export interface AdListProps {
  readonly filter: ListFilter;
  /** Says of the list what it is, for screen readers. */
  readonly label: string;
  /** An empty list offers what to change. */
  readonly onChange: (filter: ListFilter) => void;
}

/** The ads a filter finds, live, page after page. */
export function AdList({ filter, label, onChange }: AdListProps) {
  const api = useApi();
  const apiFilter = apiFilterOf(filter);
  const list = useInfiniteQuery({
    ...adListQuery(api, apiFilter),
    placeholderData: keepPreviousData,
    // Coming back to the window must not move what a visitor is reading.
    refetchOnWindowFocus: () => window.scrollY < TOP_px,
  });
  const { waiting, showWaiting } = useLiveList(apiFilter, list.isPlaceholderData ? undefined : list.data);
  const cards = cardsOf(list.data);
  const total = totalOf(list.data);

  // A search for what is rare may have to be told to look on.
  const isNothingFound = cards.length === 0 && !list.hasNextPage;

  if (list.isPending) return <AdGridSkeleton count={SKELETONS} />;
  if (list.isError && cards.length === 0) {
    return <ErrorBox message={messageOf(list.error, apiMessages.adsFailed)} onRetry={() => void list.refetch()} />;
  }
  return (
    <>
      <div className={styles['pill']} role="status">
        {waiting > 0 && (
          <Button variant="primary" size="small" onClick={showWaiting}>
            <ArrowUpIcon />
            {fillCount(waiting, text.newAds)}
          </Button>
        )}
      </div>
      <p className={styles['status']} role="status">
        {total !== null && fillCount(total, text.resultCount)}
      </p>
      <VisuallyHidden>
        <h2>{label}</h2>
      </VisuallyHidden>
      {isNothingFound && <NothingFound filter={filter} onChange={onChange} />}
      {cards.length > 0 && (
        <div className={list.isPlaceholderData ? styles['stale'] : undefined} aria-busy={list.isFetching}>
          <AdGrid ads={cards} label={label} />
        </div>
      )}
      {!isNothingFound && (
        <div className={styles['more']}>
          <p role="status">{total === null ? fillCount(cards.length, text.shown) : fill(text.shownOf, { shown: cards.length, total: Math.max(total, cards.length) })}</p>
          {list.isFetchNextPageError && <ErrorBox message={messageOf(list.error, apiMessages.adsFailed)} onRetry={() => void list.fetchNextPage()} />}
          {list.hasNextPage && (
            <Button onClick={() => void list.fetchNextPage()} busy={list.isFetchingNextPage}>
              {list.isFetchingNextPage ? text.loadingMore : text.showMore}
            </Button>
          )}
        </div>
      )}
    </>
  );
}

/** Says what to change, each change one press away. */
function NothingFound({ filter, onChange }: Pick<AdListProps, 'filter' | 'onChange'>) {
  const { q, category, state, city } = filter;
  const stateName = state === null ? null : (stateOf(state)?.name ?? state);
  return (
    <EmptyState
      title={text.emptyTitle}
      actions={
        <>
          {q !== '' && <Button onClick={() => onChange({ ...filter, q: '' })}>{fill(text.withoutSearch, { q })}</Button>}
          {category !== null && <Button onClick={() => onChange({ ...filter, category: null })}>{text.withoutCategory}</Button>}
          {city !== null && stateName !== null && <Button onClick={() => onChange({ ...filter, city: null })}>{fill(text.withoutCity, { state: stateName })}</Button>}
        </>
      }
    >
      <p>{chosenCount(filter) > 0 ? text.emptyText : text.emptyAll}</p>
    </EmptyState>
  );
}
