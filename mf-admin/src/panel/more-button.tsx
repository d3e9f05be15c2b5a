import type { ReactNode } from 'react';
import { Button } from '@alpenglow/ui';
import { useText } from '../text.ts';
import styles from './more-button.module.css';

export interface MoreButtonProps {
  /** The list, as `useInfiniteQuery` has it. */
  readonly list: {
    readonly hasNextPage: boolean;
    readonly isFetchingNextPage: boolean;
    fetchNextPage(): Promise<unknown>;
  };
  /** What it says while nothing is under way. */
  readonly children: ReactNode;
}

/** Fetches the next page of a list, as long as there is one. */
export function MoreButton({ list, children }: MoreButtonProps) {
  const t = useText();
  if (!list.hasNextPage) return null;
  return (
    <div className={styles['more']}>
      <Button onClick={() => void list.fetchNextPage()} busy={list.isFetchingNextPage}>
        {list.isFetchingNextPage ? t('common.loading') : children}
      </Button>
    </div>
  );
}
