import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import {
  classNames,
  ErrorBox,
  FirstPageLink,
  layout,
  Loading,
  messageOf,
  MoreLink,
  QueryError,
  Skeleton,
  useApi,
  useNextPageUrl,
  useStartCursor,
} from '@alpenglow/ui';
import { useText } from '../text.ts';
import { ArticleCard } from './article-card.tsx';
import { articleListQuery, getArticles, type ArticleFilter } from './articles.ts';
import styles from './article-list.module.css';

const SKELETONS = [1, 2, 3];

export interface ArticleListProps {
  readonly filter: ArticleFilter;
  readonly empty: ReactNode;
}

/**
 * A list of articles in pages, newest first. The newest article is larger if the list has no filter. If the URL
 * contains a cursor, the list begins with the page of this cursor.
 */
export function ArticleList({ filter, empty }: ArticleListProps) {
  const t = useText();
  const start = useStartCursor();
  const nextPageUrl = useNextPageUrl();
  const list = useInfiniteQuery(articleListQuery(useApi(), filter, start));
  const articles = getArticles(list.data?.pages ?? []);
  const hasLead = filter.city === null && filter.tag === null && start === null;
  const nextCursor = list.data?.pages.at(-1)?.nextCursor ?? null;

  if (list.isPending || (list.isError && articles.length === 0)) {
    return (
      <>
        <FirstPageLink />
        {list.isPending ? <ArticleSkeletons /> : <QueryError query={list} text={t('blog.failed')} />}
      </>
    );
  }
  if (articles.length === 0) return empty;
  return (
    <>
      <FirstPageLink />
      <div className={styles['list']}>
        {articles.map((article, index) => (
          <ArticleCard key={article.slug} article={article} isLead={hasLead && index === 0} priority={index === 0} />
        ))}
      </div>
      {list.isFetchNextPageError && (
        <ErrorBox message={messageOf(list.error, t('blog.failed'))} onRetry={() => void list.fetchNextPage()} />
      )}
      {nextCursor !== null && (
        <div className={styles['more']}>
          <MoreLink
            to={nextPageUrl(nextCursor)}
            rel="next"
            busy={list.isFetchingNextPage}
            onMore={() => void list.fetchNextPage()}
          >
            {list.isFetchingNextPage ? t('common.loading') : t('blog.more')}
          </MoreLink>
        </div>
      )}
    </>
  );
}

function ArticleSkeletons() {
  return (
    <Loading className={styles['list']}>
      {SKELETONS.map((number) => (
        <div key={number} className={classNames(layout['stack3'], layout['top'])}>
          <Skeleton height="12rem" />
          <Skeleton width="8rem" />
          <Skeleton width="80%" height="1.5rem" />
          <Skeleton />
        </div>
      ))}
    </Loading>
  );
}
