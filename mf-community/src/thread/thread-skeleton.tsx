import { Loading, Page, Skeleton } from '@alpenglow/ui';
import styles from './thread.module.css';

export function ThreadSkeleton() {
  return (
    <Page>
      <Loading className={styles['skeleton']}>
        <Skeleton width="14rem" height="0.9em" />
        <Skeleton width="70%" height="2.2em" />
        <Skeleton width="10rem" />
        <Skeleton height="7em" />
        <Skeleton height="4em" />
        <Skeleton height="4em" />
      </Loading>
    </Page>
  );
}
