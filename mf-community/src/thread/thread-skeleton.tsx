import { Page, Skeleton, VisuallyHidden } from '@alpenglow/ui';
import { useText } from '../text.ts';
import styles from './thread.module.css';

export function ThreadSkeleton() {
  const t = useText();
  return (
    <Page>
      <div role="status" className={styles['skeleton']}>
        <VisuallyHidden>{t('common.loading')}</VisuallyHidden>
        <Skeleton width="14rem" height="0.9em" />
        <Skeleton width="70%" height="2.2em" />
        <Skeleton width="10rem" />
        <Skeleton height="7em" />
        <Skeleton height="4em" />
        <Skeleton height="4em" />
      </div>
    </Page>
  );
}
