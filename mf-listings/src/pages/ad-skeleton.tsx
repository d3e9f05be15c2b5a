import { classNames, layout, Page, Skeleton, VisuallyHidden } from '@alpenglow/ui';
import { useText } from '../text.ts';
import styles from './ad-skeleton.module.css';

export function AdPageSkeleton() {
  const t = useText();
  return (
    <Page>
      <div role="status" className={styles['layout']}>
        <VisuallyHidden>{t('adLoading')}</VisuallyHidden>
        <Skeleton className={styles['picture']} height="auto" />
        <div className={classNames(layout['stack3'], layout['top'])}>
          <Skeleton width="40%" height="1.5rem" />
          <Skeleton width="90%" height="2.5rem" />
          <Skeleton width="60%" height="1.25rem" />
          <Skeleton height="9rem" />
        </div>
      </div>
    </Page>
  );
}
