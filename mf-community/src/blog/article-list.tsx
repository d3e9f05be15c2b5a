import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Button, ErrorBox, messageOf, Skeleton, useApi, VisuallyHidden } from '@alpenglow/ui';
import { useText } from '../text.ts';
import { ArticleCard } from './article-card.tsx';
import { articleListQuery, articlesOf, type ArticleFilter } from './articles.ts';
import styles from './article-list.module.css';

const SKELETONS = [1, 2, 3];

export interface ArticleListProps {
  readonly filter: ArticleFilter;
  /** Stands where nothing is found. */
  readonly empty: ReactNode;
}

/** Articles by date, page after page, the newest larger where all are listed. */
export function ArticleList({ filter, empty }: ArticleListProps) {
  const t = useText();
  const api = useApi();
  const list = useInfiniteQuery(articleListQuery(api, filter));
  const articles = articlesOf(list.data?.pages ?? []);
  const hasLead = filter.city === null && filter.tag === null;

  if (list.isPending) return <ArticleSkeletons />;
  if (list.isError && articles.length === 0)
    return <ErrorBox message={messageOf(list.error, t('blog.failed'))} onRetry={() => void list.refetch()} />;
  if (articles.length === 0) return empty;
  return (
    <>
      <div className={styles['list']}>
        {articles.map((article, index) => (
          <ArticleCard key={article.slug} article={article} isLead={hasLead && index === 0} priority={index === 0} />
        ))}
      </div>
      {list.isFetchNextPageError && (
        <ErrorBox message={messageOf(list.error, t('blog.failed'))} onRetry={() => void list.fetchNextPage()} />
      )}
      {list.hasNextPage && (
        <div className={styles['more']}>
          <Button onClick={() => void list.fetchNextPage()} busy={list.isFetchingNextPage}>
            {list.isFetchingNextPage ? t('common.loading') : t('blog.more')}
          </Button>
        </div>
      )}
    </>
  );
}

function ArticleSkeletons() {
  const t = useText();
  return (
    <div className={styles['list']} role="status">
      <VisuallyHidden>{t('common.loading')}</VisuallyHidden>
      {SKELETONS.map((number) => (
        <div key={number} className={styles['skeleton']}>
          <Skeleton height="12rem" />
          <Skeleton width="8rem" />
          <Skeleton width="80%" height="1.5rem" />
          <Skeleton />
        </div>
      ))}
    </div>
  );
}
