import { useRef, type ReactNode } from 'react';
import { useInfiniteQuery } from '@tanstack/react-query';
import {
  ErrorBox,
  FirstPageLink,
  Loading,
  messageOf,
  MoreLink,
  QueryError,
  Skeleton,
  useApi,
  useHost,
  useNextPageUrl,
  useStartCursor,
  VisuallyHidden,
  NewEntries,
} from '@alpenglow/ui';
import type { ThreadFilter } from '../api/requests.ts';
import { threadListQuery } from '../api/queries.ts';
import { useText } from '../text.ts';
import { ThreadRow } from './thread-row.tsx';
import { getCards, getNextCursor, getTotal } from './thread-pages.ts';
import { useLiveThreads } from './use-live-threads.ts';
import styles from './thread-list.module.css';

const SKELETONS = 6;

export interface ThreadListProps {
  readonly filter: ThreadFilter;
  readonly label: string;
  readonly empty: ReactNode;
}

/**
 * A list of threads in pages. If there are new threads or replies, a button shows them. If the URL contains a cursor,
 * the list begins with the page of this cursor.
 */
export function ThreadList({ filter, label, empty }: ThreadListProps) {
  const t = useText();
  const api = useApi();
  const { notify } = useHost();
  const heading = useRef<HTMLHeadingElement>(null);
  const start = useStartCursor();
  const nextPageUrl = useNextPageUrl();
  const list = useInfiniteQuery(threadListQuery(api, filter, start));
  const { waiting, showWaiting } = useLiveThreads(filter, start);
  const cards = getCards(list.data);
  const total = getTotal(list.data);

  if (list.isPending || (list.isError && cards.length === 0)) {
    return (
      <>
        <FirstPageLink />
        {list.isPending ? <ThreadListSkeleton /> : <QueryError query={list} text={t('community.listFailed')} />}
      </>
    );
  }
  const nextCursor = getNextCursor(list.data);

  const showNewThreads = () => {
    heading.current?.focus({ preventScroll: true });
    heading.current?.scrollIntoView({ block: 'start' });
    showWaiting().catch((error: unknown) =>
      notify({ text: messageOf(error, t('community.listFailed')), tone: 'danger' }),
    );
  };
  return (
    <section aria-label={label} className={styles['section']}>
      <h2 ref={heading} tabIndex={-1} className={styles['heading']}>
        <VisuallyHidden>{label}</VisuallyHidden>
      </h2>
      <NewEntries count={waiting} onShow={showNewThreads}>
        {t('community.newThreads', { count: waiting })}
      </NewEntries>
      <FirstPageLink />
      {cards.length === 0 ? (
        empty
      ) : (
        <ul role="list" className={styles['list']} aria-busy={list.isFetching}>
          {cards.map((thread) => (
            <li key={thread.id}>
              <ThreadRow thread={thread} isOfOneCity={filter.city !== undefined} />
            </li>
          ))}
        </ul>
      )}
      {cards.length > 0 && (list.hasNextPage || list.isFetchNextPageError) && (
        <div className={styles['more']}>
          <p role="status">
            {total === null || start !== null
              ? t('community.shown', { count: cards.length })
              : t('community.shownOf', { shown: cards.length, total: Math.max(total, cards.length) })}
          </p>
          {list.isFetchNextPageError && (
            <ErrorBox
              message={messageOf(list.error, t('community.listFailed'))}
              onRetry={() => void list.fetchNextPage()}
            />
          )}
          {nextCursor !== null && (
            <MoreLink
              to={nextPageUrl(nextCursor)}
              rel="next"
              busy={list.isFetchingNextPage}
              onMore={() => void list.fetchNextPage()}
            >
              {list.isFetchingNextPage ? t('community.loadingMore') : t('community.loadMore')}
            </MoreLink>
          )}
        </div>
      )}
    </section>
  );
}

export function ThreadListSkeleton() {
  return (
    <Loading className={styles['section']}>
      <div className={styles['list']}>
        {Array.from({ length: SKELETONS }, (_, index) => (
          <div key={index} className={styles['row']}>
            <div className={styles['words']}>
              <Skeleton width="60%" height="1.3em" />
              <Skeleton width="90%" />
              <Skeleton width="35%" height="0.8em" />
            </div>
          </div>
        ))}
      </div>
    </Loading>
  );
}
