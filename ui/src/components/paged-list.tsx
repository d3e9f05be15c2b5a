import type { ReactNode } from 'react';
import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import { getErrorMessage } from '../api/api-error.ts';
import { useUiText } from '../i18n/text.tsx';
import { Button } from './button.tsx';
import { classNames } from './class-names.ts';
import { Loading } from './loading.tsx';
import { QueryError } from './query-view.tsx';
import { ErrorBox } from './state-box.tsx';
import styles from './paged-list.module.css';

export interface PagedListProps<Page extends { readonly data: readonly unknown[] }> {
  readonly list: UseInfiniteQueryResult<InfiniteData<Page>>;
  readonly failedText: string;
  readonly empty: ReactNode;
  readonly loadingHeight?: string | undefined;
  readonly moreText?: string | undefined;
  readonly moreClassName?: string | undefined;
  /** True if `children` is rendered instead of `empty` even if there are no items. */
  readonly isShownEmpty?: boolean | undefined;
  /** Renders the items of all loaded pages. `first` is the first page. */
  readonly children: (items: readonly Page['data'][number][], first: Page) => ReactNode;
}

/**
 * Renders a paged list with a button that loads more items. If there are no items, renders a loading placeholder, an
 * error or `empty`.
 */
export function PagedList<Page extends { readonly data: readonly unknown[] }>(props: PagedListProps<Page>) {
  const { list, failedText, empty, loadingHeight = '16rem', moreText, moreClassName, isShownEmpty, children } = props;
  const t = useUiText();
  if (list.isPending) return <Loading height={loadingHeight} />;
  const first = list.data?.pages[0];
  const items: readonly Page['data'][number][] = list.data?.pages.flatMap(({ data }) => data) ?? [];
  if (list.isError && items.length === 0) return <QueryError query={list} text={failedText} />;
  if (first === undefined || (items.length === 0 && isShownEmpty !== true)) return empty;
  return (
    <>
      {children(items, first)}
      {list.isFetchNextPageError && (
        <ErrorBox message={getErrorMessage(list.error, t('list.failed'))} onRetry={() => void list.fetchNextPage()} />
      )}
      {list.hasNextPage && !list.isFetchNextPageError && (
        <div className={classNames(styles['more'], moreClassName)}>
          <Button onClick={() => void list.fetchNextPage()} busy={list.isFetchingNextPage}>
            {list.isFetchingNextPage ? t('common.loading') : (moreText ?? t('list.more'))}
          </Button>
        </div>
      )}
    </>
  );
}
